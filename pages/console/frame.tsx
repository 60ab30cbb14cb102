/** What stands around every view: links, the search box, who is logged in, and the way out. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Announcements } from '../kit/announce.js';
import { Foreign } from '../kit/foreign.js';
import { Link, place } from '../kit/location.js';
import { Problem } from '../kit/problem.js';
import { useAnswer } from './answer.js';
import { auth, currentUser, isByRecoveryCode } from './auth.js';
import { ConfirmPlace } from './confirm-place.js';
import { FactorLost } from './factor-lost.js';
import { problemOf } from './graphql.js';
import { OwnName } from './operations.js';
import { SearchBox } from './search.js';
import { isVisible, VIEWS, viewOf } from './views.js';

export function Frame({ children }: { children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#view">
        Skip to the view
      </a>
      <header>
        <p class="brand">
          <a href="/console/">auth-gateway</a>
        </p>
        <SearchBox />
        <Navigation />
        <Account />
      </header>
      <main id="view" tabIndex={-1}>
        {isByRecoveryCode.value && <FactorLost />}
        {children}
      </main>
      <Announcements />
      <ConfirmPlace />
    </>
  );
}

function Navigation() {
  const current = viewOf(place.value.path)?.view.path;
  return (
    <nav aria-label="Views">
      <ul>
        {VIEWS.filter((view) => !view.isDetail && isVisible(view)).map(({ path, name }) => (
          <li key={path}>
            <Link to={path} aria-current={path === current ? 'page' : undefined}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Account() {
  const { data } = useAnswer(OwnName, {});
  const [problem, setProblem] = useState<string>();
  const logOut = (): void => {
    setProblem(undefined);
    auth.logout().catch((error: unknown) => {
      if (auth.state().status !== 'signed-in') return; // the page says so by itself
      const shown = problemOf(error);
      setProblem(shown instanceof Problem ? shown.message : 'Something went wrong in this page.');
    });
  };
  const user = currentUser.value;
  return (
    <div class="account">
      <p title={data?.me?.email}>
        <Foreign text={data?.me?.email ?? '…'} />
        <span class="quiet">({user?.role})</span>
      </p>
      <button type="button" onClick={logOut}>
        Log out
      </button>
      <p class="error" role="alert">
        {problem}
      </p>
    </div>
  );
}
