import { createAuthClient } from '@auth-gateway/client/browser';

export const auth = createAuthClient({ url: '/' });
