// A page with the client and nothing else, which tests drive. `?gateway=` names another origin than the page's own.
import * as account from '@auth-gateway/client/account';
import { createAuthClient } from '@auth-gateway/client/browser';

const gateway = new URLSearchParams(location.search).get('gateway') ?? location.origin;
window.auth = createAuthClient({ url: gateway });
window.account = account;
