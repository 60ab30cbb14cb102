/** Where the browser is to return to: the query of the address, which the gateway has checked. (Interface 22) */
const query = new URLSearchParams(location.search);

export const ORIGIN = query.get('origin') ?? '';
export const TARGET = query.get('target') ?? '/';
/** Undefined: the service is asked again, and sends the browser here with one. */
export const STATE = query.get('state') ?? undefined;
/** The way back did not work. */
export const HAS_PROBLEM = query.has('problem');
/** The address leads to no service. */
export const IS_ASTRAY = document.getElementById('root')?.dataset['astray'] === 'true';
export const SERVICE = URL.canParse(ORIGIN) ? new URL(ORIGIN).host : '';

/** @returns the address to go to; undefined if there is no live session */
export async function findWayBack(): Promise<string | undefined> {
  if (STATE === undefined) return ORIGIN + TARGET;
  const answer = await fetch('/auth/gate', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ origin: ORIGIN, target: TARGET, state: STATE }),
  });
  if (answer.status === 401) return undefined;
  if (!answer.ok) throw new Error(`the gateway answered ${answer.status}`);
  const { location } = await answer.json();
  return location;
}
