'use client';

import { AuthError } from '@auth-gateway/client/browser';
import { useAuth, useMe } from '@auth-gateway/client/react';
import { useActionState, useState } from 'react';
import { auth } from './auth';

export default function App() {
  const state = useAuth(auth);
  const me = useMe(auth);
  const [problem, setProblem] = useState('');
  const logOut = () => {
    setProblem('');
    auth.logout().catch((error) => {
      if (auth.state().status === 'signed-in') setProblem(say(error));
    });
  };
  if (state.status === 'loading') return <p>One moment</p>;
  if (state.status === 'signed-out') return <Login />;
  if (state.status === 'second-factor') return <SecondFactor />;
  if (state.status === 'signing-out') {
    return <p role="alert">{state.error ? `Not logged out yet. ${say(state.error)}` : 'Logging out'}</p>;
  }
  return (
    <main>
      <h1 style={{ overflowWrap: 'anywhere' }}>Logged in{me && ` as ${me.email}`}</h1>
      <button type="button" onClick={logOut}>
        Log out
      </button>
      <p role="alert">{problem}</p>
    </main>
  );
}

async function logIn(_before: string, form: FormData): Promise<string> {
  return auth.login(form).then(() => '', say);
}

function Login() {
  const [email, setEmail] = useState('');
  const [problem, action, isPending] = useActionState(logIn, '');
  return (
    <main>
      <h1>Log in</h1>
      <form action={action}>
        <p>
          <label htmlFor="email">E-mail</label>{' '}
          <input
            id="email"
            name="email"
            type="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            required
          />
        </p>
        <p>
          <label htmlFor="password">Password</label>{' '}
          <input id="password" name="password" type="password" autoComplete="current-password" required />
        </p>
        <button type="submit" disabled={isPending}>
          Log in
        </button>
        <p role="alert">{isPending ? '' : problem}</p>
      </form>
      <p>
        {/* Without MAIL there is no such page. No server sees what follows #. */}
        <a href={`/set-password#email=${encodeURIComponent(email)}`}>Forgot your password?</a>
      </p>
    </main>
  );
}

/** An app shows six digits; a recovery code is longer. */
async function sendCode(_before: string, form: FormData): Promise<string> {
  const text = String(form.get('code')).replace(/\s/g, '');
  return auth.secondFactor(/^\d{6}$/.test(text) ? { code: text } : { recoveryCode: text }).then(() => '', say);
}

const focus = (input: HTMLInputElement | null) => input?.focus();

function SecondFactor() {
  const [problem, action, isPending] = useActionState(sendCode, '');
  return (
    <main>
      <h1>One more step</h1>
      <form action={action}>
        <p>
          <label htmlFor="code">Code of your app, or a recovery code</label>{' '}
          <input
            id="code"
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            ref={focus}
            required
          />
        </p>
        <button type="submit" disabled={isPending}>
          Continue
        </button>{' '}
        <button type="button" onClick={auth.cancelSecondFactor}>
          Cancel
        </button>
        <p role="alert">{isPending ? '' : problem}</p>
      </form>
    </main>
  );
}

function say(error: unknown): string {
  if (!(error instanceof AuthError)) return 'Something went wrong.';
  const { detail, reason, retryAfterSeconds = 0 } = error;
  if (reason === 'account_locked') {
    const end = new Date(Date.now() + retryAfterSeconds * 1000).toLocaleString();
    return `${detail}, until ${end}. A new password by a link unlocks it at once.`;
  }
  return retryAfterSeconds ? `${detail}. Next try in ${Math.ceil(retryAfterSeconds / 60)} min.` : `${detail}.`;
}
