/** What stands around the sections: whose page this is, who is logged in, and links to the sections. (Interface 21) */
import type { ComponentChildren } from 'preact';
import { AccountMenu } from '../kit/account-menu.js';
import { Announcements } from '../kit/announce.js';
import { Brand } from '../kit/brand.js';
import { ConfirmPlace } from '../kit/confirm-place.js';
import { FactorLost } from '../kit/factor-lost.js';
import { APP_URL } from '../kit/settings.js';
import { Troubles } from '../kit/states.js';
import { SECTIONS } from './sections.js';

export function Frame({ children }: { children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#view">
        Skip to the sections
      </a>
      <header>
        <Brand />
        <AccountMenu />
        {APP_URL !== undefined && (
          <p class="onward">
            <a href={APP_URL}>Back to {new URL(APP_URL).host}</a>
          </p>
        )}
        <nav aria-label="Sections">
          <ul>
            {SECTIONS.map(([id, name]) => (
              <li key={id}>
                <a href={`#${id}`}>{name}</a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="view" tabIndex={-1}>
        <FactorLost where={<a href="#factors">Second factors</a>} />
        <Troubles>{children}</Troubles>
      </main>
      <Announcements />
      <ConfirmPlace />
    </>
  );
}
