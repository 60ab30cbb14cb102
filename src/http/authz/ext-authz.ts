/** Questions of Envoy (`envoy.filters.http.ext_authz`), which asks in the form of the request itself. (Interface 18) */
import { checked, fieldsOnce, originOf, type ProxyFamily, unreadable } from './original-request.js';

export const extAuthz: ProxyFamily = {
  name: 'ext-authz',
  hasTargetBehindRule: true,

  read: (question, target) => {
    const values = fieldsOnce(question, ['x-forwarded-proto', 'host']);
    if (values === undefined) return unreadable('The proxy must send X-Forwarded-Proto and Host once each');
    const [proto, host] = values;
    return checked({ method: question.method, origin: originOf(proto, host), target }, 'The request line');
  },

  passesOn: () => true,
  passesOnRedirects: true,
};
