/** Logging in: the form, and after the right password of a user with a second factor one more step. (Interface 19 and 20) */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { authState, wasEnded } from './auth.js';
import { Brand } from './brand.js';
import { Heading } from './heading.js';
import { lazy } from './lazy.js';
import { PasswordForm } from './login/password-form.js';

const SecondStep = lazy(async () => (await import('./login/second-step.js')).SecondStep);

/** @param children why somebody is to log in, in place of a session that has ended */
export function Login({ children }: { children?: ComponentChildren }) {
  /** Of the last login whose password was right */
  const [email, setEmail] = useState<string>();
  const [hasExpired, setExpired] = useState(false);
  const state = authState.value;
  return (
    <main class="alone">
      <Brand />
      <Heading text="Log in" />
      {children || (wasEnded.value && <p class="warn">Your session has ended. Log in again to go on.</p>)}
      {state.status === 'second-factor' ? (
        <SecondStep email={email} factors={state.factors} onExpired={() => setExpired(true)} />
      ) : (
        <PasswordForm
          email={email}
          hasExpired={hasExpired}
          onSubmit={(sent) => {
            setEmail(sent);
            setExpired(false);
          }}
        />
      )}
    </main>
  );
}
