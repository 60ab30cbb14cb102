// A page with the client and what it does with passkeys, which tests drive. `?by-hand` takes from the browser what older ones lack.
import { createAuthClient } from '@auth-gateway/client/browser';
import * as passkeys from '@auth-gateway/client/passkeys';

if (location.search === '?by-hand') {
  delete PublicKeyCredential.parseRequestOptionsFromJSON;
  delete PublicKeyCredential.parseCreationOptionsFromJSON;
  delete PublicKeyCredential.prototype.toJSON;
}
// How often the browser was asked for a passkey
window.questions = 0;
const get = navigator.credentials.get;
navigator.credentials.get = (options) => {
  window.questions += 1;
  return get.call(navigator.credentials, options);
};
window.auth = createAuthClient({ url: '/' });
window.passkeys = passkeys;
