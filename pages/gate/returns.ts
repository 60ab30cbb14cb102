/** Counts the returns to a service in this tab, so that a browser that is sent to and fro comes to rest. (Interface 22) */
import { ORIGIN, TARGET } from './leaving.js';

const WINDOW_MS = 60_000;
const MOST = 4;

/** Its value is the returns. */
const NAME = `auth-gateway returns ${ORIGIN}`;

interface Return {
  /** Milliseconds since the epoch */
  time: number;
  target: string;
}

export function isLooping(): boolean {
  return recent().length >= MOST;
}

/**
 * The one whose way back did not work. The only one so far may have failed because another tab, opened in the same moment, got
 * a state cookie too: the next one has the cookie that stayed.
 * @returns with the target of this page if none is known
 */
export function latestReturn(): { target: string; isOnly: boolean } {
  return { target: stored().at(-1)?.target ?? TARGET, isOnly: recent().length === 1 };
}

export function countReturn(): void {
  try {
    sessionStorage.setItem(NAME, JSON.stringify([...recent(), { time: Date.now(), target: TARGET }]));
  } catch {
    // the browser forbids storage
  }
}

export function forgetReturns(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // then none was counted
  }
}

function recent(): Return[] {
  return stored().filter(({ time }) => Math.abs(Date.now() - time) < WINDOW_MS);
}

/** The latest is there however old it is. */
function stored(): Return[] {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? '[]');
  } catch {
    return [];
  }
}
