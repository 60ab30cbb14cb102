/** Counts the returns to a service in this tab, so that a browser that is sent to and fro comes to rest. (Interface 22) */
import { ORIGIN } from './leaving.js';

const WINDOW_MS = 60_000;
const MOST = 4;

/** Its value is the times of the returns: milliseconds since the epoch. */
const NAME = `auth-gateway returns ${ORIGIN}`;

export function isLooping(): boolean {
  return recent().length >= MOST;
}

export function countReturn(): void {
  try {
    sessionStorage.setItem(NAME, JSON.stringify([...recent(), Date.now()]));
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

function recent(): number[] {
  try {
    const times: number[] = JSON.parse(sessionStorage.getItem(NAME) ?? '[]');
    return times.filter((time) => Math.abs(Date.now() - time) < WINDOW_MS);
  } catch {
    return [];
  }
}
