/** The way back to the service: the address that the gateway gives, or what is missing before it. (Interface 22) */
import { signal } from '@preact/signals';
import { AuthError } from '../../client/src/browser.js';
import { inside, renew } from '../../client/src/inside.js';
import { auth } from '../kit/auth.js';
import { MAX_AGE_SECONDS, NEEDS_FACTOR, ORIGIN, STATE, TARGET } from './leaving.js';
import { isLooping } from './returns.js';

/** `proof`: the service wants a better or a newer one than the session has */
export type WayBack = { kind: 'address'; address: string } | { kind: 'loop' } | { kind: 'proof' };

/** The gateway refuses the session of the cookie even after a refresh, so somebody is to log in. */
export const isRefused = signal(false);
auth.on('signed-in', () => {
  isRefused.value = false;
});

/**
 * @returns undefined if somebody is to log in
 * @throws {AuthError}
 */
export async function findWayBack(): Promise<WayBack | undefined> {
  if (isLooping()) return { kind: 'loop' };
  const token = await auth.getAccessToken();
  if (token === undefined) return undefined;
  if (!isProved(token)) return { kind: 'proof' };
  if (STATE === undefined) return { kind: 'address', address: ORIGIN + TARGET };
  const address = (await askGate()) ?? (await askWithNewCookie());
  if (address === undefined && auth.state().status === 'signed-in') isRefused.value = true;
  return address === undefined ? undefined : { kind: 'address', address };
}

/** Whether the session has the proof that the service wants. The claims are of the gateway's clock. */
function isProved(token: string): boolean {
  const payload = (token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
  const { acr, auth_time: provedAt, iat } = JSON.parse(atob(payload));
  return (!NEEDS_FACTOR || acr === 'aal2') && iat - provedAt <= MAX_AGE_SECONDS;
}

/** @returns undefined if the cookie is of no live session */
async function askGate(): Promise<string | undefined> {
  try {
    const body = { origin: ORIGIN, target: TARGET, state: STATE };
    return await inside(auth).ask('gate', ({ location }): string | undefined => location, body);
  } catch (error) {
    if (error instanceof AuthError && error.status === 401) return undefined;
    throw error;
  }
}

/** Another tab may have replaced the cookie in this moment. */
async function askWithNewCookie(): Promise<string | undefined> {
  renew(auth);
  return (await auth.getAccessToken()) === undefined ? undefined : askGate();
}
