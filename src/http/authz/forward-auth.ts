/** Questions of Traefik, Caddy, HAProxy, and of services that ask by themselves. (Interface 18) */
import { checked, fieldsOnce, originOf, type ProxyFamily, unreadable } from './original-request.js';

const FIELDS = ['x-forwarded-method', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-uri'] as const;

export const forwardAuth: ProxyFamily = {
  name: 'forward-auth',
  hasTargetBehindRule: false,

  read: (question) => {
    const values = fieldsOnce(question, FIELDS);
    if (values === undefined) {
      return unreadable(
        'The proxy must send X-Forwarded-Method, X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-Uri once each',
      );
    }
    const [method, proto, host, target] = values;
    return checked({ method, origin: originOf(proto, host), target }, 'X-Forwarded-Method and X-Forwarded-Uri');
  },

  passesOn: () => true,
  passesOnRedirects: true,
};
