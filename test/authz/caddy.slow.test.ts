/** deploy/forward-auth: the file for caddy as it stands. Needs `caddy` on the PATH. */
import { testsBehind } from './behind/tests.js';

testsBehind('caddy');
