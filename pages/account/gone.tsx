/** What is shown once the account is deleted. (Interface 21) */
import { signal } from '@preact/signals';
import { Brand } from '../kit/brand.js';
import { Heading } from '../kit/heading.js';
import { HOST } from '../kit/settings.js';

/** The user has deleted their account on this page. */
export const isGone = signal(false);

export function Gone() {
  return (
    <main class="alone">
      <Brand />
      <Heading text="Your account is deleted" />
      <p>You are logged out everywhere, and nobody can log in with it any more.</p>
      <p>If {HOST} asks you to log in, you would need a new account.</p>
    </main>
  );
}
