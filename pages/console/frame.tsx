/** What stands around every view: links, the search box, who is logged in, and the way out. */
import type { ComponentChildren } from 'preact';
import { Announcements } from '../kit/announce.js';
import { ConfirmPlace } from '../kit/confirm-place.js';
import { FactorLost } from '../kit/factor-lost.js';
import { Link, place } from '../kit/location.js';
import { LogOut } from '../kit/log-out.js';
import { Keyboard } from './keyboard.js';
import { MY_SESSIONS } from './paths.js';
import { SearchBox } from './search.js';
import { listedViews, viewOf } from './views.js';

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
        <LogOut />
      </header>
      <main id="view" tabIndex={-1}>
        <FactorLost where={<OwnFactors />} />
        {children}
      </main>
      <Announcements />
      <ConfirmPlace />
      <Keyboard />
    </>
  );
}

function Navigation() {
  const current = viewOf(place.value.path)?.view.path;
  return (
    <nav aria-label="Views">
      <ul>
        {listedViews().map(({ path, name }) => (
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

function OwnFactors() {
  if (place.value.path === MY_SESSIONS) return <a href="#second-factors">Second factors</a>;
  return <Link to={MY_SESSIONS}>My sessions</Link>;
}
