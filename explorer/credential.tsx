/** The header of the explorer: a login, which the client refreshes, or an access token that the user pastes. */
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { type AuthClient, AuthError } from '../client/src/browser.js';
import { useUserName } from './user-name.js';

interface Props {
  auth: AuthClient;
  /** The origin whose logins the gateway accepts */
  publicUrl: string;
  token: string;
  setToken(token: string): void;
}

export function Credential({ auth, publicUrl, token, setToken }: Props) {
  const { status, user } = useSyncExternalStore(auth.subscribe, auth.state);
  const name = useUserName(auth, user);
  const [fault, setFault] = useState<unknown>();

  const attempt = (work: Promise<unknown>): void => {
    setFault(undefined);
    work.catch(setFault);
  };
  const logIn = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    attempt(auth.login({ email: String(fields.get('email')), password: String(fields.get('password')) }));
  };

  return (
    <header>
      <h1>
        <a href="/">auth-gateway</a> explorer
      </h1>
      {user !== undefined && (
        <p>
          Logged in as {name === undefined ? user.role : `${name} (${user.role})`}.{' '}
          <button type="button" onClick={() => attempt(auth.logout())}>
            Log out
          </button>
        </p>
      )}
      {status === 'signing-out' && <p role="status">Not logged out yet, trying</p>}
      {status === 'signed-out' && (
        <form onSubmit={logIn}>
          <label>
            E-mail <input name="email" type="email" autoComplete="username" required />
          </label>
          <label>
            Password <input name="password" type="password" autoComplete="current-password" required />
          </label>
          <button type="submit">Log in</button>
        </form>
      )}
      <label>
        or ask with an access token{' '}
        <input
          autoComplete="off"
          spellCheck={false}
          value={token}
          onChange={({ currentTarget }) => setToken(currentTarget.value.trim())}
        />
      </label>
      <p role="alert">{fault !== undefined && <Fault fault={fault} publicUrl={publicUrl} />}</p>
    </header>
  );
}

/** The reason of a refusal; if it is this page's origin, with a link to the origin that may log in. */
function Fault({ fault, publicUrl }: { fault: unknown; publicUrl: string }) {
  if (!(fault instanceof AuthError)) return String(fault);
  if (fault.reason !== 'cross_site') return fault.detail;
  return (
    <>
      The gateway accepts logins at <a href={`${publicUrl}/graphql`}>{publicUrl}</a>, its PUBLIC_URL.
    </>
  );
}
