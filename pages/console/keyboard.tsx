/** Keys of the whole console: `/`, `g` and a letter, `?`, and the list of commands. */
import { useEffect } from 'preact/hooks';
import { announce } from '../kit/announce.js';
import { lazy } from '../kit/lazy.js';
import { go } from '../kit/location.js';
import { opened, singleKeys, typeAhead } from './keyboard/keys.js';
import { listedViews } from './views.js';

const close = (): void => {
  opened.value = undefined;
};

/** Otherwise keys would wait for ever for a list that does not come. */
const notLoaded = (error: unknown): never => {
  close();
  announce('The commands could not be loaded: the gateway does not answer, or it was updated. Reload the page.');
  throw error;
};
const CommandList = lazy(() => import('./keyboard/command-list.js').then((loaded) => loaded.CommandList, notLoaded));
const KeyHelp = lazy(() => import('./keyboard/key-help.js').then((loaded) => loaded.KeyHelp, notLoaded));

/** So that the keys are found, where there is a keyboard */
export function CommandsButton() {
  return (
    <button
      type="button"
      class="commands-open"
      aria-keyshortcuts="Control+K"
      onClick={() => (opened.value = 'commands')}
    >
      Commands{' '}
      <span aria-hidden="true">
        <kbd>Ctrl</kbd>
        <kbd>K</kbd>
      </span>
    </button>
  );
}

export function Keyboard() {
  useEffect(() => {
    let isAfterG = false; // until another key or a click
    const forget = (): void => {
      isAfterG = false;
    };
    const onKey = (event: KeyboardEvent): void => {
      const isGoing = isAfterG;
      forget();
      if (document.querySelector('dialog[open]') !== null || event.isComposing || event.repeat) return;
      if (opened.value === 'commands' && event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
        typeAhead(event.key);
        return event.preventDefault();
      }
      const act = actionOf(event, isGoing);
      if (act === undefined) return;
      event.preventDefault();
      if (act === 'go') isAfterG = true;
      else act();
    };
    addEventListener('keydown', onKey);
    addEventListener('pointerdown', forget);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener('pointerdown', forget);
      close();
    };
  }, []);
  if (opened.value === 'commands') return <CommandList onClose={close} />;
  return opened.value === 'help' ? <KeyHelp onClose={close} /> : null;
}

function actionOf(event: KeyboardEvent, isGoing: boolean): (() => void) | 'go' | undefined {
  const { key, altKey, ctrlKey, metaKey, target } = event;
  const open = (what: 'commands' | 'help') => () => {
    opened.value = what;
  };
  if (altKey) return undefined;
  if (ctrlKey || metaKey) return key === 'k' ? open('commands') : undefined;
  if (!singleKeys.value || (target as Element).matches(TYPED)) return undefined;
  const view = isGoing ? listedViews().find(({ letter }) => letter === key) : undefined;
  if (view !== undefined) return () => go(view.path);
  const search = document.getElementById('search');
  if (key === '/' && search !== null) return () => search.focus();
  if (key === '?') return open('help');
  return key === 'g' ? 'go' : undefined;
}

const TYPED = 'input:not([type="checkbox"], [type="radio"]), select, textarea, [contenteditable]';
