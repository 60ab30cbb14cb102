/** The form and its second step, as in the example `react`, which has more of both. */
import { useActionState } from 'react';
import { auth } from './gateway';
import { say } from './words';

async function logIn(_before: string, form: FormData): Promise<string> {
  return auth.login(form).then(() => '', say);
}

export function Login() {
  const [problem, action, isPending] = useActionState(logIn, '');
  return (
    <main>
      <h1>Log in</h1>
      <form action={action}>
        <p>
          <label htmlFor="email">E-mail</label>{' '}
          <input id="email" name="email" type="email" autoComplete="username" required />
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
    </main>
  );
}

/** An app shows six digits; a recovery code is longer. */
async function sendCode(_before: string, form: FormData): Promise<string> {
  const text = String(form.get('code')).replace(/\s/g, '');
  return auth.secondFactor(/^\d{6}$/.test(text) ? { code: text } : { recoveryCode: text }).then(() => '', say);
}

export function SecondFactor() {
  const [problem, action, isPending] = useActionState(sendCode, '');
  return (
    <main>
      <h1>One more step</h1>
      <form action={action}>
        <p>
          <label htmlFor="code">Code of your app, or a recovery code</label>{' '}
          <input id="code" name="code" autoComplete="one-time-code" autoCapitalize="none" spellCheck={false} required />
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
