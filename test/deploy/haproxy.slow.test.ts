/** deploy/haproxy: the file as it stands, before two gateways. Needs `haproxy` on the PATH. */
import { testsBehind } from './behind-proxy.js';

testsBehind('haproxy');
