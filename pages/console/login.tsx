/** The form for logging in. */
import { useState } from 'preact/hooks';
import { AuthError } from '../../client/src/browser.js';
import { Problem } from '../kit/problem.js';
import { auth, wasEnded } from './auth.js';
import { problemOf } from './graphql.js';
import { Heading } from './heading.js';
import { HAS_FORGOT_PAGE, PUBLIC_URL } from './settings.js';

export function Login() {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();

  const logIn = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    setBusy(true);
    setFault(undefined);
    try {
      await auth.login(new FormData(form));
    } catch (error) {
      setFault(error);
      const password = form.elements.namedItem('password') as HTMLInputElement;
      password.value = '';
      password.focus();
    } finally {
      setBusy(false);
    }
  };

  return (
    <main class="alone">
      <p class="brand">auth-gateway</p>
      <Heading text="Log in" />
      {wasEnded.value && <p class="warn">Your session has ended. Log in again to go on.</p>}
      <form class="login" onSubmit={logIn}>
        <div class="field">
          <label for="email">E-mail</label>
          <input
            id="email"
            name="email"
            type="email"
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            required
          />
        </div>
        <div class="field">
          <label for="password">Password</label>
          <input id="password" name="password" type="password" autocomplete="current-password" required />
        </div>
        <p class="error" role="alert">
          {fault !== undefined && <Fault fault={fault} />}
        </p>
        <button type="submit" class="main" disabled={isBusy}>
          {isBusy ? 'Logging in…' : 'Log in'}
        </button>
      </form>
      {HAS_FORGOT_PAGE && (
        <p>
          <a href="/set-password">Forgot your password?</a>
        </p>
      )}
    </main>
  );
}

/** The reason of a refusal; if it is this page's origin, with a link to the origin that may log in. */
function Fault({ fault }: { fault: unknown }) {
  if (fault instanceof AuthError && fault.reason === 'cross_site') {
    return (
      <>
        The gateway accepts logins at <a href={`${PUBLIC_URL}/console/`}>{PUBLIC_URL}</a>, its PUBLIC_URL.
      </>
    );
  }
  const problem = problemOf(fault);
  return <>{problem instanceof Problem ? problem.message : 'Something went wrong in this page.'}</>;
}
