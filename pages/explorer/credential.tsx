/** The header of the explorer: a login, which the client refreshes, and as whom the page asks. */
import { useEffect, useId, useState } from 'preact/hooks';
import { type AuthClient, AuthError, type AuthState } from '../../client/src/browser.js';
import { Brand } from '../kit/brand.js';
import { WAYS, type Way, type WayName } from './ways.js';

/** As whom the page asks, and what was typed for it */
export interface Chosen {
  way: WayName;
  values: Record<string, string>;
}

interface Props {
  auth: AuthClient;
  /** The origin whose logins the gateway accepts */
  publicUrl: string;
  chosen: Chosen;
  choose(chosen: Chosen): void;
}

export function Credential({ auth, publicUrl, chosen, choose }: Props) {
  const id = useId();
  const { fields }: Way = WAYS[chosen.way];
  return (
    <header>
      <Brand home="/" />
      <h1>Explorer</h1>
      <Login auth={auth} publicUrl={publicUrl} />
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

function Login({ auth, publicUrl }: Pick<Props, 'auth' | 'publicUrl'>) {
  const { status, user } = useAuthState(auth);
  const name = useName(auth, user?.sub);
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
        {fault !== undefined && <Fault fault={fault} publicUrl={publicUrl} />}
      </p>
    </>
  );
}

/** The reason of a refusal; if it is this page's origin, with a link to the origin that may log in. */
function Fault({ fault, publicUrl }: { fault: unknown; publicUrl: string }) {
  if (!(fault instanceof AuthError)) return <>{String(fault)}</>;
  if (fault.reason === 'invalid_credentials') return <>E-mail or password is wrong.</>;
  if (fault.reason !== 'cross_site') return <>{fault.detail}</>;
  return (
    <>
      The gateway accepts logins at <a href={`${publicUrl}/graphql`}>{publicUrl}</a>, its PUBLIC_URL.
    </>
  );
}

function useAuthState(auth: AuthClient): AuthState {
  const [state, setState] = useState(auth.state());
  useEffect(() => {
    const show = (): void => setState(auth.state());
    show();
    return auth.subscribe(show);
  }, [auth]);
  return state;
}

/**
 * An access token has no e-mail, so the gateway is asked.
 * @returns the e-mail of the user, or the id if the gateway does not say; undefined until it has answered
 */
function useName(auth: AuthClient, sub: string | undefined): string | undefined {
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
  }, [auth, sub]);
  return name;
}
