/** The form for e-mail and password, with passkeys in their place for those who have one. (Interface 19 and 20) */
import { useEffect, useRef, useState } from 'preact/hooks';
import { auth } from '../auth.js';
import { forgotAddress } from '../forgot.js';
import { problemOf } from '../graphql.js';
import { byPasskey, HAS_PASSKEYS, isGivenUp, wasPasskeyUsed } from '../passkeys.js';
import { Problem } from '../problem.js';
import { HAS_FORGOT_PAGE, PUBLIC_URL } from '../settings.js';
import { Unlock } from './unlock.js';

interface Props {
  /** Of the login that was begun here, if the second step has led back */
  email: string | undefined;
  /** The second step took too long. */
  hasExpired: boolean;
  onSubmit(email: string): void;
}

export function PasswordForm({ email, hasExpired, onSubmit }: Props) {
  const [typed, setTyped] = useState(email);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const password = useRef<HTMLInputElement>(null);
  const passkey = usePasskey(setFault);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (email !== undefined) password.current?.focus();
  }, []);

  const logIn = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    setFault(undefined);
    onSubmit(String(form.get('email')));
    try {
      await auth.login(form);
    } catch (error) {
      setFault(error);
      if (password.current !== null) password.current.value = '';
      password.current?.focus();
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <form class="login" onSubmit={logIn}>
        <div class="field">
          <label for="email">E-mail</label>
          <input
            id="email"
            name="email"
            type="email"
            autocomplete={wasPasskeyUsed() ? 'username webauthn' : 'username'}
            autocapitalize="none"
            spellcheck={false}
            defaultValue={email ?? ''}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            {...passkey.acts}
            required
          />
        </div>
        <div class="field">
          <label for="password">Password</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            ref={password}
            {...passkey.acts}
            required
          />
        </div>
        <p class="error" role="alert">
          {fault !== undefined && <Fault fault={fault} email={typed} />}
          {fault === undefined && hasExpired && 'This login took too long. Enter your password again.'}
        </p>
        <button type="submit" class="main" disabled={isBusy}>
          {isBusy ? 'Logging in…' : 'Log in'}
        </button>
      </form>
      {HAS_PASSKEYS && (
        <p>
          {/* biome-ignore lint/a11y/useValidAnchor: a link, so that one button alone is named `Log in` */}
          <a href="#passkey" onClick={passkey.logIn}>
            Log in with a passkey
          </a>
        </p>
      )}
      {HAS_FORGOT_PAGE && (
        <p>
          <a href={forgotAddress(typed)}>Forgot your password?</a>
        </p>
      )}
    </>
  );
}

/** Reasons that an offered passkey was chosen and refused. Anything else happened before anybody chose one. */
const REFUSED: ReadonlyArray<string | undefined> = ['invalid_credentials', 'challenge_invalid', 'account_locked'];

/**
 * Offers passkeys in the field of the e-mail, if one has been used here, once somebody acts on the form: each request for
 * options counts for the login limit of the address, and a form that is only shown costs nothing.
 */
function usePasskey(setFault: (fault: unknown) => void) {
  const [ended] = useState(() => new AbortController());
  /** Of the one offer that this form makes */
  const offer = useRef<AbortController>();

  const end = (): void => {
    ended.abort();
    offer.current?.abort();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => end, []);

  /** Of a field. One that the page itself has focused gets none of these events until somebody types. */
  const onAct = (event: Event): void => {
    const isIntoField = event.type !== 'keyup' || (event as KeyboardEvent).key === 'Tab';
    if (!isIntoField || offer.current !== undefined || !wasPasskeyUsed()) return;
    offer.current = new AbortController();
    offerPasskey(offer.current.signal).catch((error: unknown) => {
      if (error instanceof Problem && REFUSED.includes(error.reason)) setFault(passkeyFault(error));
    });
  };

  const logIn = async (event: MouseEvent): Promise<void> => {
    event.preventDefault();
    setFault(undefined);
    offer.current ??= new AbortController();
    offer.current.abort(); // its code may be on its way
    try {
      await byPasskey(({ logInWithPasskey }) => logInWithPasskey(auth, { signal: ended.signal }));
    } catch (error) {
      if (!isGivenUp(error)) setFault(passkeyFault(error));
    }
  };
  return { logIn, acts: { onPointerDown: onAct, onKeyDown: onAct, onKeyUp: onAct } };
}

function offerPasskey(signal: AbortSignal): Promise<void> {
  return byPasskey(async ({ isAutofillAvailable, logInWithPasskey }) => {
    if (await isAutofillAvailable()) await logInWithPasskey(auth, { autofill: true, signal });
  });
}

function passkeyFault(error: unknown): unknown {
  if (!(error instanceof Problem)) return error;
  if (error.reason === 'invalid_credentials') return new Problem('This passkey is not known here.', false);
  if (error.reason === 'challenge_invalid') return new Problem('That took too long. Try again.', false);
  return error;
}

/** The reason of a refusal, with a link to what helps: the origin that may log in, or a new password. */
function Fault({ fault, email }: { fault: unknown; email: string | undefined }) {
  const problem = problemOf(fault);
  if (!(problem instanceof Problem)) return <>Something went wrong in this page.</>;
  if (problem.reason !== 'cross_site') {
    return (
      <>
        {problem.message}
        <Unlock reason={problem.reason} email={email} />
      </>
    );
  }
  return (
    <>
      The gateway accepts logins at <a href={PUBLIC_URL + location.pathname}>{PUBLIC_URL}</a>, its PUBLIC_URL.
    </>
  );
}
