/** What a page shows until somebody is logged in, and what it shows to them. (Interface 19 and 21) */
import type { ComponentChildren, ComponentType } from 'preact';
import type { User } from '../../client/src/browser.js';
import { authState, isOffline } from './auth.js';
import { Login } from './login.js';
import { Loading } from './states.js';

interface Props {
  /** Why somebody is to log in, if there is more to say than that */
  reason?: ComponentChildren;
  /** What stands around a sentence on what the page waits for */
  frame?: ComponentType<{ children: ComponentChildren }>;
  children(user: User): ComponentChildren;
}

export function Entrance({ reason, frame: Frame = Alone, children }: Props) {
  const { status, user, error } = authState.value;
  if (status === 'loading') return isOffline.value || Frame !== Alone ? <Frame>{resuming()}</Frame> : <Loading />;
  if (status === 'signed-out' || status === 'second-factor') return <Login>{reason}</Login>;
  if (status === 'signing-out') {
    return (
      <Frame>
        <p role="status">
          {error === undefined ? 'Logging out…' : `Not logged out yet: ${error.detail}. Trying again.`}
        </p>
      </Frame>
    );
  }
  return <>{children(user)}</>;
}

/** The client asks for a token by the cookie of the session. */
function resuming() {
  return isOffline.value ? <p role="status">The gateway does not answer. Trying again…</p> : <Loading />;
}

function Alone({ children }: { children: ComponentChildren }) {
  return <main class="alone">{children}</main>;
}
