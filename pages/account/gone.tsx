/** What is shown once the account is deleted. (Interface 21) */
import { signal } from '@preact/signals';
import { auth } from '../kit/auth.js';
import { Brand } from '../kit/brand.js';
import { Heading } from '../kit/heading.js';
import { PRODUCT_NAME } from '../kit/settings.js';

/** The user has deleted their account on this page. */
export const isGone = signal(false);

/** The answer to a deletion was lost. If it was done, the gateway ends the session; else the session goes on. */
let mayBeGone = false;
auth.on('signed-out', ({ reason }) => {
  if (mayBeGone && reason === 'refused') isGone.value = true;
});
auth.on('refreshed', () => {
  mayBeGone = false;
});

export function expectGone(): void {
  mayBeGone = true;
}

export function Gone() {
  return (
    <main class="alone">
      <Brand />
      <Heading text="Your account is deleted" />
      <p>You are logged out everywhere, and nobody can log in with it any more.</p>
      <p>If {PRODUCT_NAME} asks you to log in, you would need a new account.</p>
    </main>
  );
}
