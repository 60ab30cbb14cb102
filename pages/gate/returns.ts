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
 * Of the only return so far: it may have failed because another tab, opened in the same moment, got a state cookie too. The
 * next one has the cookie that stayed.
 */
export function targetOfOnlyReturn(): string | undefined {
  const [only, ...more] = recent();
  return more.length === 0 ? only?.target : undefined;
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
  try {
    const returns: Return[] = JSON.parse(sessionStorage.getItem(NAME) ?? '[]');
    return returns.filter(({ time }) => Math.abs(Date.now() - time) < WINDOW_MS);
  } catch {
    return [];
  }
}
