/** The page at `/graphql` in a browser: it asks the gateway as any kind of caller. It stores nothing beyond the page. */
import '../kit/theme.js';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { auth } from './ask.js';
import { Explorer } from './explorer.js';

/** Starts afresh after a logout, so that the next user sees nothing of the previous one. */
function Page() {
  const [userCount, setUserCount] = useState(0);
  useEffect(() => {
    let sub = auth.state().user?.sub;
    const change = (next?: string): void => {
      if (sub !== undefined && sub !== next) setUserCount((count) => count + 1);
      sub = next;
    };
    const ends = [auth.on('signed-out', () => change()), auth.on('signed-in', ({ user }) => change(user.sub))];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return <Explorer key={userCount} />;
}

/** Removes queries and variables that older versions stored. */
function removeStoredData(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith('graphiql:')) localStorage.removeItem(key);
  } catch {
    // The browser denies storage to this page.
  }
}

removeStoredData();
const root = document.getElementById('root');
if (root !== null) render(<Page />, root);
