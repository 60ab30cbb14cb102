/** Who is logged in, by the client for browsers. The tokens are its own: nothing here stores one. */
import { computed, signal } from '@preact/signals';
import { createAuthClient } from '../../client/src/browser.js';
import type { OwnScope } from '../../src/domain/scopes.js';

/** A page that the browser has loaded ahead asks for nothing until it is shown. */
if ((document as Document & { prerendering?: boolean }).prerendering) {
  await new Promise((shown) => document.addEventListener('prerenderingchange', shown, { once: true }));
}

export const auth = createAuthClient({ url: '/' });

export const authState = signal(auth.state());
auth.subscribe(() => {
  authState.value = auth.state();
});

/** The gateway has ended the session, so this page asks for a login that nobody expected. */
export const wasEnded = signal(false);

/** This session was begun with a recovery code, some minutes ago, and no factor was added since. */
export const isByRecoveryCode = signal(false);

/** The session could not be continued yet, and that is tried again. */
export const isOffline = signal(false);

auth.on('signed-out', ({ reason }) => {
  wasEnded.value = reason === 'refused';
  isByRecoveryCode.value = false;
});
auth.on('signed-in', () => {
  wasEnded.value = false;
  isOffline.value = false;
});
auth.on('offline', () => {
  isOffline.value = true;
});
auth.on('refreshed', () => {
  isOffline.value = false;
});

export const currentUser = computed(() => authState.value.user);

/** The scopes of the gateway itself. It refuses what they do not allow, whatever the page shows. */
export type Scope = OwnScope;

/** Whether the role of the user has the scope. A component that asks is drawn again if that changes. */
export function can(scope: Scope): boolean {
  return currentUser.value?.scopes.includes(scope) ?? false;
}
