/** Light, dark, or as the system has it: what the reader has chosen, in this browser. Pages import it first. */
export const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

export type Theme = (typeof THEMES)[number][0];

const ITEM = 'auth-gateway theme';

export function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(ITEM);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system'; // the browser denies storage to this page
  }
}

export function chooseTheme(theme: Theme): void {
  show(theme);
  try {
    if (theme === 'system') localStorage.removeItem(ITEM);
    else localStorage.setItem(ITEM, theme);
  } catch {
    // It holds for this page alone.
  }
}

function show(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

show(chosenTheme());
addEventListener('storage', () => show(chosenTheme())); // chosen in another tab
