/** deploy/forward-auth: the file for nginx as it stands. Needs `nginx` on the PATH. */
import { testsBehind } from './behind/tests.js';

testsBehind('nginx');
