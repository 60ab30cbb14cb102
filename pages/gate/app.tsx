/** What the page shows: the login, the way back, or why there is none. (Interface 22) */
import { useEffect } from 'preact/hooks';
import { Brand } from '../kit/brand.js';
import { Entrance } from '../kit/entrance.js';
import { Heading } from '../kit/heading.js';
import { findWayBack, HAS_PROBLEM, IS_ASTRAY, ORIGIN, SERVICE } from './leaving.js';

export function App() {
  if (IS_ASTRAY) return <Astray />;
  if (HAS_PROBLEM) return <Problem />;
  return <Entrance reason={<p>To reach {SERVICE}.</p>}>{() => <Returning />}</Entrance>;
}

function Returning() {
  useEffect(() => {
    void findWayBack().then((address) => address !== undefined && location.replace(address));
  }, []);
  return (
    <main class="alone">
      <p role="status">Back to {SERVICE}…</p>
    </main>
  );
}

function Problem() {
  return (
    <main class="alone">
      <Brand />
      <Heading text="That did not work" />
      <p>{SERVICE} could not let you in: the way back was used or too old, or this browser keeps no cookies for it.</p>
      <p>
        <a href={`${ORIGIN}/`}>Try again</a>
      </p>
    </main>
  );
}

function Astray() {
  return (
    <main class="alone">
      <Brand />
      <Heading text="This address leads nowhere" />
      <p>Open the site that you want to reach, and it will bring you here.</p>
    </main>
  );
}
