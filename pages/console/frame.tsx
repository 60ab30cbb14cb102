/** What stands around every view: links, the search box, who is logged in, and the way out. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { AccountMenu } from '../kit/account-menu.js';
import { Announcements } from '../kit/announce.js';
import { Brand } from '../kit/brand.js';
import { ConfirmPlace } from '../kit/confirm-place.js';
import { FactorLost } from '../kit/factor-lost.js';
import { Link, place } from '../kit/location.js';
import { Troubles } from '../kit/states.js';
import { CommandsButton, Keyboard } from './keyboard.js';
import { MY_SESSIONS, OVERVIEW } from './paths.js';
import { SearchBox } from './search.js';
import { listedViews, viewOf } from './views.js';

export function Frame({ children }: { children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#view">
        Skip to the view
      </a>
      <header>
        <Brand home={OVERVIEW} />
        <SearchBox />
        <Navigation />
        <AccountMenu />
      </header>
      <main id="view" tabIndex={-1}>
        <FactorLost where={<OwnFactors />} />
        <Troubles>{children}</Troubles>
      </main>
      <Announcements />
      <ConfirmPlace />
      <Keyboard />
    </>
  );
}

function Navigation() {
  const current = viewOf(place.value.path)?.view.path;
  const list = useRef<HTMLUListElement>(null);
  // On a phone the links are one row, which scrolls.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another link is the current one
  useEffect(() => {
    const row = list.current;
    const link = row?.querySelector<HTMLElement>('[aria-current]');
    if (row != null && link != null) row.scrollLeft = link.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return (
    <nav aria-label="Views">
      <ul ref={list}>
        {listedViews().map(({ path, name }) => (
          <li key={path}>
            <Link to={path} aria-current={path === current ? 'page' : undefined}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
      <CommandsButton />
    </nav>
  );
}

function OwnFactors() {
  if (place.value.path === MY_SESSIONS) return <a href="#second-factors">Second factors</a>;
  return <Link to={MY_SESSIONS}>My sessions</Link>;
}
