/** deploy/forward-auth: the file for haproxy as it stands. Needs `haproxy` on the PATH. */
import { testsBehind } from './behind/tests.js';

testsBehind('haproxy');
