/** What the page shows: the login, the way back, or why there is none. (Interface 22) */
import { useEffect, useState } from 'preact/hooks';
import { Entrance } from '../kit/entrance.js';
import { Login } from '../kit/login.js';
import { Loading } from '../kit/states.js';
import { Card, Destination, Service, Waiting } from './card.js';
import { HAS_PROBLEM, IS_ASTRAY, leaveTo, ORIGIN } from './leaving.js';
import { Returning } from './returning.js';
import { latestReturn } from './returns.js';
import { isRefused } from './way-back.js';

export function App() {
  if (IS_ASTRAY) return <Astray />;
  if (HAS_PROBLEM) return <NotEntered />;
  const reason = <Destination />;
  if (isRefused.value) return <Login>{reason}</Login>;
  return (
    <Entrance reason={reason} frame={Waiting}>
      {({ sub }) => <Returning key={sub} />}
    </Entrance>
  );
}

function NotEntered() {
  const [{ target, isOnly }] = useState(latestReturn);
  const tryAgain = (): void => leaveTo(ORIGIN + target);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (isOnly) tryAgain();
  }, []);
  if (isOnly) {
    return (
      <Waiting>
        <Loading />
      </Waiting>
    );
  }
  return (
    <Card heading="That did not work">
      <p>
        <Service /> could not let you in: the way back was used or too old, or this browser stores no cookies for it.
      </p>
      <button type="button" class="main" onClick={tryAgain}>
        Try again
      </button>
    </Card>
  );
}

function Astray() {
  return (
    <Card heading="This address leads nowhere">
      <p>Open the site that you want to reach, and it will bring you here.</p>
      <p>If a link of the site brought you here, its operator has to add the site's address to the gateway.</p>
    </Card>
  );
}
