/** The address of the page: the path of a view, and its filters in the query. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface Address {
  path: string;
  query: URLSearchParams;
  /** What had the focus when the address changed to this one */
  from: Element | null;
}

export const place = signal(addressNow());

function addressNow(): Address {
  return { path: location.pathname, query: new URLSearchParams(location.search), from: document.activeElement };
}

addEventListener('popstate', () => {
  place.value = addressNow();
});

/** Goes to a path of this page, with its query. */
export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  place.value = addressNow();
}

/** A path with the fields of a query that are set. */
export function pathTo(path: string, query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter(
    (field): field is [string, string] => field[1] !== undefined && field[1] !== '',
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Changes fields of the query of this view; those that are undefined or empty are removed. */
export function setQuery(changes: Record<string, string | undefined>, how?: { replace: boolean }): void {
  const { path, query } = place.peek();
  go(pathTo(path, { ...Object.fromEntries(query), ...changes }), how);
}

interface LinkProps {
  to: string;
  children: ComponentChildren;
  class?: string;
  'aria-current'?: 'page' | undefined;
  'aria-label'?: string;
  title?: string;
  /** -1 for a link that arrow keys lead to */
  tabindex?: 0 | -1;
  onPointerEnter?(): void;
  onPointerLeave?(): void;
  onFocus?(): void;
  onBlur?(): void;
}

/** A link to a view, which opens without loading the page again. */
export function Link({ to, ...rest }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return <a href={to} onClick={follow} {...rest} />;
}
