/** deploy/nginx: the file as it stands, before two gateways. Needs `nginx` on the PATH. */
import { testsBehind } from './behind-proxy.js';

testsBehind('nginx');
