/** In the browser: reports each token to the server of the page, and its end. */
import { auth } from './app';

const begin = () => auth.fetch('/session', { method: 'POST' }).catch(() => undefined);
auth.on('signed-in', begin);
auth.on('refreshed', begin);
auth.on('signed-out', () => fetch('/session', { method: 'DELETE' }).catch(() => undefined));
