/** The second step of a login: a code, a passkey or a recovery code, after the right password. (Interface 20) */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Factor } from '../../../client/src/browser.js';
import { auth, isByRecoveryCode } from '../auth.js';
import { CodeField, codeOf, problemWithFactor } from '../factors.js';
import { Field } from '../field.js';
import { byPasskey, HAS_PASSKEYS, isGivenUp } from '../passkeys.js';
import type { Problem } from '../problem.js';
import { Unlock } from './unlock.js';

interface Props {
  /** Of the first step */
  email: string | undefined;
  factors: readonly Factor[];
  /** The login is no longer valid: the password is asked for again. */
  onExpired(): void;
}

export function SecondStep({ email, factors, onExpired }: Props) {
  const has = { code: factors.includes('totp'), passkey: HAS_PASSKEYS && factors.includes('passkey') };
  const [way, setWay] = useState<Factor>(has.code ? 'totp' : has.passkey ? 'passkey' : 'recovery_code');
  const [busy, setBusy] = useState<Factor>();
  const [problem, setProblem] = useState<Problem>();
  const form = useRef<HTMLFormElement>(null);
  const [ended] = useState(() => new AbortController());

  useEffect(() => () => ended.abort(), [ended]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another way has another field
  useEffect(() => form.current?.querySelector<HTMLElement>('input, button')?.focus(), [way]);

  const change = (to: Factor): void => {
    setProblem(undefined);
    setWay(to);
  };

  const prove = async (by: Factor, act: () => Promise<unknown>): Promise<void> => {
    setBusy(by);
    setProblem(undefined);
    try {
      await act();
    } catch (error) {
      if (auth.state().status !== 'second-factor') return onExpired();
      if (isGivenUp(error)) return;
      setProblem(problemWithFactor(error, by));
    } finally {
      setBusy(undefined);
    }
  };

  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (way === 'passkey') return takePasskey();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    if (way === 'totp') void prove(way, async () => auth.secondFactor({ code: codeOf(form) }));
    else void prove(way, () => recover(String(form.get(way))));
  };

  const recover = async (recoveryCode: string): Promise<void> => {
    await auth.secondFactor({ recoveryCode });
    isByRecoveryCode.value = true;
  };

  const takePasskey = (): void => {
    if (busy === 'passkey') return;
    void prove('passkey', () => byPasskey(({ secondFactorByPasskey }) => secondFactorByPasskey(auth, ended.signal)));
  };

  return (
    <>
      <form class="login" ref={form} onSubmit={submit}>
        {way === 'totp' && <CodeField problem={problem} />}
        {way === 'recovery_code' && (
          <Field
            label="Recovery code"
            name={way}
            hint="One of the codes that you saved. Each works once."
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            problem={problem}
            isOnce
            required
          />
        )}
        {way === 'passkey' && <p id="passkey-step">Your password is right. Now use your passkey.</p>}
        <p class="error" role="alert">
          {problem?.argument === undefined && problem?.message}
          <Unlock reason={problem?.reason} email={email} />
        </p>
        {way !== 'passkey' && (
          <button type="submit" class="main" disabled={busy === way}>
            {busy === way ? 'Logging in…' : 'Log in'}
          </button>
        )}
        {has.passkey && (
          <button
            type="button"
            class={way === 'passkey' ? 'main' : undefined}
            aria-describedby={way === 'passkey' ? 'passkey-step' : undefined}
            onClick={takePasskey}
          >
            {busy === 'passkey' ? 'Waiting for the passkey…' : 'Use a passkey'}
          </button>
        )}
      </form>
      <p class="bar">
        {way !== 'recovery_code' && factors.includes('recovery_code') && (
          <button type="button" class="link" onClick={() => change('recovery_code')}>
            Use a recovery code
          </button>
        )}
        {way === 'recovery_code' && has.code && (
          <button type="button" class="link" onClick={() => change('totp')}>
            Use a code of the app
          </button>
        )}
        <button type="button" class="link" onClick={() => auth.cancelSecondFactor()}>
          Back
        </button>
      </p>
    </>
  );
}
