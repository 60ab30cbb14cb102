/** What the page shows: the form for logging in, or the view of its address in the frame. */
import { useEffect } from 'preact/hooks';
import { currentUser } from '../kit/auth.js';
import { Entrance } from '../kit/entrance.js';
import { Heading } from '../kit/heading.js';
import { Missing, useLoaded } from '../kit/lazy.js';
import { go, Link, place } from '../kit/location.js';
import { Settled } from '../kit/settled.js';
import { Loading } from '../kit/states.js';
import { FactorWanted } from './factor-wanted.js';
import { Frame } from './frame.js';
import { MY_SESSIONS, OVERVIEW } from './paths.js';
import { isVisible, type View, viewOf } from './views.js';

export function App() {
  return (
    <Entrance>
      {({ sub }) => (
        // Another user starts afresh and sees nothing of the previous one.
        <Frame key={sub}>
          <CurrentView />
        </Frame>
      )}
    </Entrance>
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
  if (!isAllowed) return <NotAllowed name={found.view.name} />;
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

function NotAllowed({ name }: { name: string }) {
  return (
    <>
      <Heading text={name} />
      <FactorWanted otherwise={<p>Your role ({currentUser.value?.role}) may not see this view.</p>}>
        You add one under <Link to={MY_SESSIONS}>My sessions</Link>.
      </FactorWanted>
    </>
  );
}

/** The view, once its code is there. */
function Loaded({ view, id }: { view: View; id: string }) {
  const Component = useLoaded(view.load);
  if (Component === undefined) return <Loading />;
  if (Component === 'missing') {
    return (
      <>
        <Heading text={view.name} />
        <Missing what="This view" />
      </>
    );
  }
  return (
    <Settled>
      <Component id={id} />
    </Settled>
  );
}
