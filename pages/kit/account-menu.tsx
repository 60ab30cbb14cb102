/** Who is logged in, the theme and the way out: in a wide window always there, on a phone behind a button. */
import { useState } from 'preact/hooks';
import { LogOut } from './log-out.js';
import { Select } from './select.js';
import { chooseTheme, chosenTheme, THEMES, type Theme } from './theme.js';

export function AccountMenu() {
  return (
    <>
      <button type="button" class="account-open" aria-label="Account" popovertarget="account-menu">
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="8" cy="5" r="3" />
          <path d="M2 15c0-3.5 2.5-5 6-5s6 1.5 6 5" />
        </svg>
      </button>
      <div class="account-menu" id="account-menu" popover="auto">
        <LogOut>
          <ThemeChoice />
        </LogOut>
      </div>
    </>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (chosen: Theme): void => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <div class="theme">
      <Select label="Theme" value={theme} options={THEMES} onChoose={choose} />
    </div>
  );
}
