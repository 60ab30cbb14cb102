/** What the page shows: the form for logging in, or the view of its address in the frame. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { go, place } from '../kit/location.js';
import { Loading } from '../kit/states.js';
import { authState, currentUser, isOffline } from './auth.js';
import { Frame } from './frame.js';
import { Heading } from './heading.js';
import { Login } from './login.js';
import { MY_SESSIONS, OVERVIEW } from './paths.js';
import { Settled } from './settled.js';
import { isVisible, type View, viewOf } from './views.js';

export function App() {
  const { status, user, error } = authState.value;
  if (status === 'loading') return <Resuming />;
  if (status === 'signed-out') return <Login />;
  if (status === 'signing-out') {
    return (
      <main class="alone">
        <p role="status">
          {error === undefined ? 'Logging out…' : `Not logged out yet: ${error.detail}. Trying again.`}
        </p>
      </main>
    );
  }
  // Another user starts afresh and sees nothing of the previous one.
  return (
    <Frame key={user.sub}>
      <CurrentView />
    </Frame>
  );
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

function CurrentView() {
  const { path } = place.value;
  const found = viewOf(path);
  const isHome = found?.view.path === OVERVIEW;
  const isAllowed = found !== undefined && isVisible(found.view);
  const isMovedOn = isHome && !isAllowed;
  useEffect(() => {
    if (isMovedOn) go(MY_SESSIONS, { replace: true });
  }, [isMovedOn]);
  if (isMovedOn) return <Loading />;
  if (found === undefined) return <Notice heading="Not found" text="The console has no such view." />;
  if (!isAllowed) {
    return <Notice heading={found.view.name} text={`Your role (${currentUser.value?.role}) may not see this view.`} />;
  }
  return <Loaded key={`${found.view.name}/${found.id}`} view={found.view} id={found.id} />;
}

function Notice({ heading, text }: { heading: string; text: string }) {
  return (
    <>
      <Heading text={heading} />
      <p>{text}</p>
    </>
  );
}

const loaded = new Map<View, ComponentType<{ id: string }>>();

/** The view, once its code is there. It is not there if the gateway was updated since this page was loaded. */
function Loaded({ view, id }: { view: View; id: string }) {
  const [, redraw] = useState(0);
  const [isMissing, setMissing] = useState(false);
  const Component = loaded.get(view);
  useEffect(() => {
    if (Component !== undefined) return;
    view.load().then(
      (component) => {
        loaded.set(view, component);
        redraw((count) => count + 1);
      },
      () => setMissing(true),
    );
  }, [view, Component]);
  if (Component !== undefined) {
    return (
      <Settled>
        <Component id={id} />
      </Settled>
    );
  }
  if (!isMissing) return <Loading />;
  return (
    <>
      <Heading text={view.name} />
      <p role="alert" class="notice bad">
        This view could not be loaded: the gateway does not answer, or it was updated.
      </p>
      <p>
        <button type="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </p>
    </>
  );
}
