/** The header of the explorer: a login, which the client refreshes, and as whom the page asks. */
import { useEffect, useId, useState } from 'preact/hooks';
import { AuthError, type AuthState } from '../../client/src/browser.js';
import { Brand } from '../kit/brand.js';
import { PUBLIC_URL } from '../kit/settings.js';
import { auth } from './ask.js';
import { type Chosen, WAYS, type Way, type WayName } from './ways.js';

export function Credential({ chosen, choose }: { chosen: Chosen; choose(chosen: Chosen): void }) {
  const id = useId();
  const { fields }: Way = WAYS[chosen.way];
  return (
    <header>
      <Brand home="/" />
      <h1>Explorer</h1>
      <Login />
      <div class="row">
        <label for={id}>Ask as</label>
        <select
          id={id}
          value={chosen.way}
          onChange={({ currentTarget }) => choose({ way: currentTarget.value as WayName, values: {} })}
        >
          {Object.entries(WAYS).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        {Object.entries(fields).map(([name, label]) => (
          <label key={name}>
            {label}{' '}
            <input
              autoComplete="off"
              spellcheck={false}
              value={chosen.values[name] ?? ''}
              onInput={({ currentTarget }) =>
                choose({ ...chosen, values: { ...chosen.values, [name]: currentTarget.value.trim() } })
              }
            />
          </label>
        ))}
      </div>
    </header>
  );
}

function Login() {
  const { status, user } = useAuthState();
  const name = useName(user?.sub);
  const [fault, setFault] = useState<unknown>();
  const attempt = (work: Promise<unknown>): void => {
    setFault(undefined);
    work.catch(setFault);
  };
  const logIn = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    attempt(auth.login({ email: String(fields.get('email')), password: String(fields.get('password')) }));
  };
  return (
    <>
      {user !== undefined && (
        <p>
          Logged in as {name === undefined ? user.role : `${name} (${user.role})`}.{' '}
          <button type="button" class="small" onClick={() => attempt(auth.logout())}>
            Log out
          </button>
        </p>
      )}
      {status === 'signing-out' && <p role="status">Not logged out yet, trying</p>}
      {status === 'signed-out' && (
        <form class="row" onSubmit={logIn}>
          <label>
            E-mail <input name="email" type="email" autoComplete="username" required />
          </label>
          <label>
            Password <input name="password" type="password" autoComplete="current-password" required />
          </label>
          <button type="submit">Log in</button>
        </form>
      )}
      <p role="alert" class="bad">
        {fault !== undefined && <Fault fault={fault} />}
      </p>
    </>
  );
}

/** The reason of a refusal; if it is this page's origin, with a link to the origin that may log in. */
function Fault({ fault }: { fault: unknown }) {
  if (!(fault instanceof AuthError)) return <>{String(fault)}</>;
  if (fault.reason === 'invalid_credentials') return <>E-mail or password is wrong.</>;
  if (fault.reason !== 'cross_site') return <>{fault.detail}</>;
  return (
    <>
      The gateway accepts logins at <a href={`${PUBLIC_URL}/graphql`}>{PUBLIC_URL}</a>, its PUBLIC_URL.
    </>
  );
}

function useAuthState(): AuthState {
  const [state, setState] = useState(auth.state());
  useEffect(() => {
    const show = (): void => setState(auth.state());
    show();
    return auth.subscribe(show);
  }, []);
  return state;
}

/**
 * An access token has no e-mail, so the gateway is asked.
 * @returns the e-mail of the user, or the id if the gateway does not say; undefined until it has answered
 */
function useName(sub: string | undefined): string | undefined {
  const [name, setName] = useState<string>();
  useEffect(() => {
    if (sub === undefined) return undefined;
    let isCurrent = true;
    const show = (text: string): void => {
      if (isCurrent) setName(text);
    };
    auth.me().then(
      ({ email }) => show(email),
      () => show(sub),
    );
    return () => {
      isCurrent = false;
      setName(undefined);
    };
  }, [sub]);
  return name;
}
