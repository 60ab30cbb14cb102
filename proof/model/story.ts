/** What happened in a schedule, a line an event, with short names in place of tokens and keys. */
import { claimsOf } from '../../test/support/gateway/gateway.js';

export interface Story {
  add(line: string): void;
  /** Names a refresh token after its session and its place in it: `A1` was followed by `A2` */
  cookie(token: string | undefined): string;
  /** Names the keys of a `Refresh-Retry` field: `this=k2, previous=k1` */
  field(value: string | null): string;
  text(): string;
}

export function createStory(now: () => number): Story {
  const lines: string[] = [];
  const sessions = new Map<unknown, Map<unknown, string>>();
  const keys = new Map<string, string>();

  const cookie = (token: string | undefined): string => {
    if (token === undefined) return 'no cookie';
    const { sid, jti } = claimsOf(token);
    const records = sessions.get(sid) ?? new Map<unknown, string>();
    if (!sessions.has(sid)) sessions.set(sid, records);
    const letter = String.fromCharCode(65 + [...sessions.keys()].indexOf(sid));
    const name = records.get(jti) ?? `${letter}${records.size}`;
    records.set(jti, name);
    return name;
  };
  const keyOf = (base64: string): string => {
    const name = keys.get(base64) ?? `k${keys.size}`;
    keys.set(base64, name);
    return name;
  };

  return {
    add: (line) => void lines.push(`${(now() / 1000).toFixed(3).padStart(12)} s  ${line}`),
    cookie,
    field: (value) => (value === null ? 'no key' : value.replaceAll(/:([^:]*):/g, (_, base64) => keyOf(base64))),
    text: () => lines.join('\n'),
  };
}
