/** The rooms of `src`: `test/architecture.rule.test.ts` holds the imports to them, docs/architecture.md prints them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The order of rooms, top to bottom. A room imports from the layers below its own, and from its own only what SAME_LAYER allows. */
const FLOORS: Array<Record<string, string>> = [
  { main: 'the door; on a Node that is too old it prints which one it needs' },
  { start: 'the process, the running gateway, its shutdown; `start/compose.ts` builds every service once' },
  { cli: 'commands: words in, results out' },
  { doctor: 'checks of what surrounds the gateway, listed in `doctor/examine.ts`' },
  {
    http: 'Express: sockets in `http/server/`, one file for each route in `http/routes/`, middleware, the table of refusals, the cookie',
    graphql: 'Apollo: the schema and its resolvers',
  },
  { mail: 'mails that the audit log asks for; loaded if `MAIL` is on' },
  {
    auth: 'login, refresh and logout, with steps numbered as in the specification; passwords and their links',
    callers: 'one file for each kind of caller, and the table of kinds',
    admin: 'what the command line and GraphQL share: changes, run by `administer`, and listings',
    archive: '`database export` and `database import`',
    readiness: 'the checks of readiness, the poller that repeats them, the write probe, and log lines about outages',
    'db/open': 'finds the database: embedded, or at `DATABASE_URL`',
  },
  { outbox: 'cursors on the audit log, turns and retries; webhooks. Loaded if webhooks or mail are allowed' },
  { services: "the list of services. A function names those that it uses: `Deps<'clock' | 'db'>`" },
  {
    audit: 'audit events and their writer; the log, its counts and export',
    'rate-limits': 'rate limits, in PostgreSQL or in Redis',
  },
  { listing: 'pages of rows, cursors, and the refusal of an administrative request' },
  {
    credentials: 'bytes in, facts out: keyring, tokens, passwords, signatures',
    db: 'connections, statements, entities, migrations, the sweeper, the embedded PostgreSQL',
  },
  {
    config: 'the environment, read and checked once',
    metrics: 'every metric, by its final name',
  },
  { domain: 'words of the domain: e-mail, roles, scopes, the origin of a request' },
  { platform: 'clock, ids, logger and the like, which know nothing of the domain' },
];

export const LAYERS = FLOORS.map((floor) => Object.keys(floor));

/** Rooms of one layer that may know another: `auth` and `callers` never meet, nor do `http` and `graphql`. */
export const SAME_LAYER = ['admin -> auth'];

/** Rooms that nearly every other one imports: the picture leaves out arrows to them. */
const GROUND = ['config', 'metrics', 'domain', 'platform'];

/** What is around the house, for the picture. */
const OUTSIDE = [
  'clients([browsers, services, jobs, proxies, Prometheus]) --> http',
  'terminal([a terminal]) --> cli',
  'db --> postgresql[(PostgreSQL)]',
  'rate_limits --> redis[(Redis)]',
  'outbox --> receivers([receivers of webhooks])',
  'mail --> smtp([mail server])',
];

export interface Source {
  path: string;
  text: string;
  /** As written: a package, a file of ours, or a module of Node. */
  imports: string[];
}

export function sourcesIn(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|tsx|js)$/.test(name) && !/^dist\/|node_modules\//.test(name))
    .map((name) => {
      const path = join(folder, name);
      const text = readFileSync(path, 'utf8');
      const found = text.matchAll(/(?:\bfrom|^import|\bimport\()\s*['"]([^'"]+)['"]/gm);
      return { path, text, imports: Array.from(found, ([, specifier = '']) => specifier) };
    });
}

/** The files of ours that a source imports. */
export function localImports({ path, imports }: Source): string[] {
  const local = imports.filter((specifier) => specifier.startsWith('.'));
  return local.map((specifier) => {
    const target = normalize(join(dirname(path), specifier));
    const source = target.replace(/\.js$/, '');
    return [`${source}.ts`, `${source}.tsx`].find((file) => existsSync(file)) ?? target;
  });
}

export const ROOMS = LAYERS.flat().sort((a, b) => b.length - a.length);

/** `src/db/open/data-dir.ts` is in the room `db/open`, `src/db/run.ts` in `db`; undefined for a file that is in none. */
export function roomOf(path: string): string | undefined {
  return ROOMS.find((room) => path.startsWith(`src/${room}/`) || path === `src/${room}.ts`);
}

/** The rooms and what each is for, layer by layer. */
export function rooms(): string {
  const allowed = SAME_LAYER.map((arrow) => `\`${arrow.replace(' -> ', '` may import from `')}\``).join('; ');
  const layers = FLOORS.map((floor, i) => {
    const lines = Object.entries(floor).map(([room, is]) => `   - \`${room}${room in FILES ? '' : '/'}\`: ${is}`);
    return [
      `${i + 1}. ${lines.length === 1 ? lines[0]?.trim().slice(2) : 'next to each other:'}`,
      ...(lines.length === 1 ? [] : lines),
    ].join('\n');
  });
  return `${layers.join('\n')}\n\nRooms of one layer do not import each other, except: ${allowed}.`;
}

/** Rooms that are one file. */
const FILES = { main: true, services: true, metrics: true };

/** A picture of the imports between rooms. An arrow is left out if others lead to the same room. */
export function picture(): string {
  const arrows = new Map<string, Set<string>>();
  for (const source of sourcesIn('src')) {
    const from = roomOf(source.path) ?? '';
    const to = localImports(source).flatMap((path) => roomOf(path) ?? []);
    arrows.set(from, new Set([...(arrows.get(from) ?? []), ...to.filter((room) => room !== from)]));
  }
  const leadsTo = (from: string, to: string): boolean =>
    [...(arrows.get(from) ?? [])].some((next) => next === to || leadsTo(next, to));
  const idOf = (room: string) => room.replace(/\W/g, '_');
  const drawn = LAYERS.flat().filter((room) => !GROUND.includes(room));
  const lines = drawn.flatMap((from) => {
    const next = [...(arrows.get(from) ?? [])].filter((room) => drawn.includes(room));
    return next
      .filter((to) => !next.some((other) => other !== to && leadsTo(other, to)))
      .toSorted()
      .map((to) => `${idOf(from)} --> ${idOf(to)}`);
  });
  const names = drawn.map((room) => `${idOf(room)}["${room}"]`);
  return ['```mermaid', 'flowchart TB', ...[...names, ...OUTSIDE, ...lines].map((line) => `  ${line}`), '```'].join(
    '\n',
  );
}
