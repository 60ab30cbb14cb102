/** What a page shows until somebody is logged in, and what it shows to them. (Interface 19 and 21) */
import type { ComponentChildren } from 'preact';
import type { User } from '../../client/src/browser.js';
import { authState, isOffline } from './auth.js';
import { Login } from './login.js';
import { Loading } from './states.js';

interface Props {
  /** Why somebody is to log in, if there is more to say than that */
  reason?: ComponentChildren;
  children(user: User): ComponentChildren;
}

export function Entrance({ reason, children }: Props) {
  const { status, user, error } = authState.value;
  if (status === 'loading') return <Resuming />;
  if (status === 'signed-out' || status === 'second-factor') return <Login>{reason}</Login>;
  if (status === 'signing-out') {
    return (
      <main class="alone">
        <p role="status">
          {error === undefined ? 'Logging out…' : `Not logged out yet: ${error.detail}. Trying again.`}
        </p>
      </main>
    );
  }
  return <>{children(user)}</>;
}

/** The client asks for a token by the cookie of the session. */
function Resuming() {
  if (!isOffline.value) return <Loading />;
  return (
    <main class="alone">
      <p role="status">The gateway does not answer. Trying again…</p>
    </main>
  );
}
