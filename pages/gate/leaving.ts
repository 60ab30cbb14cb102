/** Where the browser is to return to: the query of the address, which the gateway has checked. (Interface 22) */
const query = new URLSearchParams(location.search);

/** @returns undefined also for a field that is there twice: the gateway may have read the other one */
function only(name: string): string | undefined {
  const [value, ...more] = query.getAll(name);
  return more.length === 0 ? value : undefined;
}

export const ORIGIN = only('origin') ?? '';
export const TARGET = only('target') ?? '';
/** The address leads to no service. */
export const IS_ASTRAY =
  document.getElementById('root')?.dataset['astray'] === 'true' || ORIGIN === '' || TARGET === '';
export const SERVICE = IS_ASTRAY ? '' : new URL(ORIGIN).host;

const state = only('state') ?? '';
/** Undefined: the service is asked again, and sends the browser here with one. */
export const STATE = /^[\w-]{43}$/.test(state) ? state : undefined;
/** The way back did not work. */
export const HAS_PROBLEM = query.has('problem');

/** No entry of the history stays, so that the button `Back` does not lead here. Browsers carry the fragment through redirects. */
export function leaveTo(address: string): void {
  location.replace(address + location.hash);
}

/** What the session has to prove first (RFC 9470 section 4) */
export const NEEDS_FACTOR = only('acr') === 'aal2';
export const MAX_AGE_SECONDS = Number(only('max_age') ?? Number.POSITIVE_INFINITY);
