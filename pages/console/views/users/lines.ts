/** The lines of a list of people to invite, or of a file of users to import. (Interface 9) */
import type { Role } from '../../operations.js';
import { isRole } from '../user/facts.js';

export interface Line {
  /** From 1, in the text */
  line: number;
  /** As the gateway imports it */
  json: string;
}

export interface Fault {
  line: number;
  message: string;
}

export interface Read {
  lines: Line[];
  /** Those that the gateway cannot find, because it gets a part of the lines at a time */
  faults: Fault[];
}

/** Lines of one request, and the characters that they may have: 64 KiB is the limit of its body. */
const PART_LINES = 100;
const PART_CHARACTERS = 40_000;

/**
 * E-mails, in any number on a line and with anything between them; or CSV with a column of e-mails. A line may have a role.
 * @param role of lines without one
 */
export function readPeople(text: string, role: Role): Read {
  const rows = text.split(/\r?\n/).map((row, index) => ({ line: index + 1, cells: row.split(/[,;\t]/).map(bare) }));
  const faults: Fault[] = [];
  const lines = rows.flatMap(({ line, cells }) => {
    const emails = cells.filter((cell) => cell.includes('@'));
    const isHead = line === 1 && rows.length > 1;
    if (emails.length === 0 && !isHead && cells.some((cell) => cell !== ''))
      faults.push({ line, message: 'has no e-mail' });
    return emails.map((email) => ({ line, json: JSON.stringify({ email, role: cells.find(isRole) ?? role }) }));
  });
  return withoutDoubles({ lines, faults });
}

/** `Ada <ada@example.com>` is `ada@example.com`. */
function bare(cell: string): string {
  const text = cell.replace(/^\uFEFF/, '').replaceAll('"', '');
  return (/<([^<>]*)>/.exec(text)?.[1] ?? text).trim();
}

/** One JSON object a line */
export function readUsers(text: string): Read {
  const rows = text.split(/\r?\n/).map((json, index) => ({ line: index + 1, json: json.replace(/^\uFEFF/, '') }));
  return withoutDoubles({ lines: rows.filter(({ json }) => json.trim() !== ''), faults: [] });
}

function withoutDoubles({ lines, faults }: Read): Read {
  const first = new Map<string, number>();
  const kept = lines.filter(({ line, json }) => {
    const email = emailIn(json);
    const earlier = email === undefined ? undefined : first.get(email);
    if (email !== undefined && earlier === undefined) first.set(email, line);
    if (earlier !== undefined) faults.push({ line, message: `email is that of line ${earlier}` });
    if (json.length > PART_CHARACTERS) faults.push({ line, message: 'is too long' });
    return earlier === undefined && json.length <= PART_CHARACTERS;
  });
  return { lines: kept, faults };
}

function emailIn(json: string): string | undefined {
  try {
    const { email } = JSON.parse(json) as { email?: unknown };
    return typeof email === 'string' ? email.trim().toLowerCase() : undefined;
  } catch {
    return undefined; // the gateway says what is wrong
  }
}

/** Lines as requests take them */
export function partsOf(lines: readonly Line[]): Line[][] {
  const parts: Line[][] = [];
  let room = 0;
  for (const line of lines) {
    const part = parts.at(-1);
    room -= line.json.length;
    if (part === undefined || part.length === PART_LINES || room < 0) {
      parts.push([line]);
      room = PART_CHARACTERS - line.json.length;
    } else part.push(line);
  }
  return parts;
}
