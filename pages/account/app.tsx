/** What the page shows: a link of a mail, the login, or what is one's own. (Interface 21) */
import { Entrance } from '../kit/entrance.js';
import { lazy } from '../kit/lazy.js';
import { Frame } from './frame.js';
import { Gone, isGone } from './gone.js';
import { link } from './link.js';

const Home = lazy(async () => (await import('./home.js')).Home);
const TakeBack = lazy(async () => (await import('./take-back.js')).TakeBack);

export function App() {
  const opened = link.value;
  if (opened?.kind === 'undo') return <TakeBack key={opened} token={opened.token} />;
  if (isGone.value) return <Gone />;
  return (
    <Entrance reason={opened !== undefined && <p>Log in with your present e-mail, then confirm the new one.</p>}>
      {({ sub }) => (
        // Another user starts afresh and sees nothing of the previous one.
        <Frame key={sub}>
          <Home />
        </Frame>
      )}
    </Entrance>
  );
}
