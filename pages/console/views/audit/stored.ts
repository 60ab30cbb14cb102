/** What the audit log remembers in this browser, for each user: times and filters, never a token. */
import { currentUser } from '../../../kit/auth.js';

const keyOf = (name: string): string => `auth-gateway console ${name} ${currentUser.peek()?.sub}`;

/** @returns undefined if nothing is stored, or the browser forbids it */
export function readStored(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name)) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** If the browser forbids it, it is forgotten with the page. */
export function store(name: string, value: unknown): void {
  try {
    localStorage.setItem(keyOf(name), JSON.stringify(value));
  } catch {}
}

const VISIT = 'visited the audit log';
const seen = new Map<string, string | undefined>();

/** When the audit log was opened before this page; undefined if never. From now on it has been visited. */
export function lastVisit(): string | undefined {
  const key = keyOf(VISIT);
  if (!seen.has(key)) {
    const at = readStored(VISIT);
    seen.set(key, typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? at : undefined);
  }
  store(VISIT, new Date().toISOString());
  return seen.get(key);
}
