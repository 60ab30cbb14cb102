/** Questions of nginx (`ngx_http_auth_request_module`). (Interface 18) */
import { checked, fieldsOnce, type ProxyFamily, unreadable } from './original-request.js';

const FIELDS = 'X-Original-Method and X-Original-URL';
/** Origin, and path with query. */
const ABSOLUTE = /^(https?:\/\/[^/?#\\]+)(.*)$/s;

export const authRequest: ProxyFamily = {
  name: 'auth-request',
  hasTargetBehindRule: false,

  read: (question) => {
    const values = fieldsOnce(question, ['x-original-method', 'x-original-url']);
    if (values === undefined) return unreadable(`The proxy must send ${FIELDS} once each`);
    const [method, url] = values;
    const [, origin, target] = ABSOLUTE.exec(url) ?? [];
    if (origin === undefined || target === undefined) return unreadable('X-Original-URL must be an absolute URL');
    return checked({ method, origin, target }, FIELDS);
  },

  // Any other status but 2xx becomes 500.
  passesOn: (status) => status === 401 || status === 403 || status === 400,
  passesOnRedirects: false,
};
