/** docs/architecture.md, "The house": imports point down only, and what a few folders keep to themselves. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LAYERS, localImports, ROOMS, roomOf, SAME_LAYER, type Source, sourcesIn } from './support/documents/rooms.js';

/** Packages that only these parts or files import. */
const IMPORTED_BY: Array<[pattern: RegExp, where: RegExp]> = [
  [/^jose$/, /^src\/credentials\//],
  [/^argon2$/, /^src\/credentials\/passwords\/(passwords|argon2)\.ts$/],
  [/^@node-rs\/bcrypt$/, /^src\/credentials\/passwords\/bcrypt\.ts$/],
  [/^(express|cors)$/, /^src\/http\//],
  [/^(graphql|type-graphql)$/, /^src\/graphql\//],
  [/^@apollo\//, /^src\/graphql\/server\.ts$/],
  [/^pino$/, /^src\/platform\/(create-)?logger\.ts$/],
  [/^kysely$/, /^src\/db\/(kysely|sql)\.ts$/],
  [/^@opentelemetry\//, /^src\/platform\/(open-)?tracing\.ts$/],
  [/^nodemailer$/, /^src\/mail\/smtp\.ts$/],
  [/^@simplewebauthn\//, /^src\/credentials\/factors\/passkeys\.ts$/],
];

/** Rooms with doors: from outside only these files are imported. */
const DOORS: Array<[room: string, ...doors: string[]]> = [
  ['src/db/embedded/', 'src/db/embedded/open.ts'],
  ['src/doctor/', 'src/doctor/examine.ts', 'src/doctor/finding.ts'],
];

/** Words that only these parts or files may say. */
const SAID: Array<[what: RegExp, where: RegExp]> = [
  [/process\.env/, /^src\/start\/process\.ts$/],
  [/Date\.now|new Date\(\)|randomUUID/, /^src\/platform\//],
  [
    /(insert into|update|delete from|merge into|expiring\(')\s*refresh_tokens/i,
    /^src\/(auth\/((factors\/)?sessions|revocations|retries)|readiness\/write-probe)\.ts$/, // the last rolls its row back
  ],
  [/\bRefreshToken\b/, /^src\/(db\/|admin\/(person|sessions)\.ts$)/], // which read it
  // docs/architecture.md, "The database": two ways, by room
  [/\bstatement\(/, /^src\/(?!admin\/(?!user-erasure\.ts$)|listing\/)/],
  [/\bem\.(find|count|refresh|remove|flush)|\.(insertInto|updateTable)\(/, /^src\/admin\//],
  // The domain and its stores, of which platform knows nothing
  [
    /\b(log-?in|logout|session|refresh|cookie|password|theft|lockout|audit|webhook|e?-?mail|cron|api key|token|user|account|role|scope|doctor|pg|redis|ioredis)s?\b/i,
    /^src\/(?!platform\/)/,
  ],
];

/** Parts next to `src`, and what each may import of ours outside itself. The evidence measures the gateway from outside. */
const NEXT_TO_SRC: Record<string, RegExp> = {
  'client/src': /^$/,
  'pages/kit':
    /^(client\/src\/(account|browser|factors|passkeys)\.ts|src\/(credentials\/passwords\/password-context|domain\/scopes)\.ts)$/,
  'pages/account': /^(pages\/kit\/.+|client\/src\/(account|browser)\.ts)$/,
  'pages/gate': /^(pages\/kit\/.+|client\/src\/(inside|browser)\.ts)$/,
  'pages/set-password': /^pages\/kit\//,
  'pages/explorer': /^(pages\/kit\/(brand\.tsx|(settings|theme)\.ts)|client\/src\/browser\.ts|schema\.graphql)$/,
  'pages/console': /^(pages\/kit\/.+|src\/(domain\/scopes|platform\/csv)\.ts|examples\/services\/signed\.sh)$/,
  'proof/evidence': /^(src\/db\/embedded|client\/src|test)\//,
  'proof/bench': /^(src|test|proof\/evidence)\//,
  'proof/scale': /^(test|proof\/(bench|evidence))\//,
  'proof/fuzz': /^(src|test)\//,
  'proof/model': /^(client\/src|test)\//,
  'proof/protocol': /^(test|proof\/model)\//,
  scripts: /^dist\//,
};

const sources = sourcesIn('src');

const layerOf = (room = ''): number => LAYERS.findIndex((layer) => layer.includes(room));

function isAllowed(from: string | undefined, to: string | undefined): boolean {
  if (from === to) return true;
  return layerOf(from) < layerOf(to) || SAME_LAYER.includes(`${from} -> ${to}`);
}

test('every file of src is in a room, and every room has files', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.map(({ path }) => path).filter((path) => roomOf(path) === undefined)).toEqual([]);
  expect(ROOMS.filter((room) => !sources.some(({ path }) => roomOf(path) === room))).toEqual([]);
});

test('imports point down only', () => {
  const wrong = sources.flatMap((source) =>
    localImports(source)
      .filter((target) => target.startsWith('src/') && !isAllowed(roomOf(source.path), roomOf(target)))
      .map((target) => `${source.path} -> ${target}`),
  );
  expect(wrong).toEqual([]);
});

test.each(DOORS)('%s is entered by its doors alone', (room, ...doors) => {
  const entered = sources
    .filter(({ path }) => !path.startsWith(room))
    .flatMap((source) => localImports(source).filter((target) => target.startsWith(room)));
  expect(new Set(entered)).toEqual(new Set(doors));
});

test('nothing in src leaves src, but for the list of migrations and the signer', () => {
  const outside = sources.flatMap((source) =>
    localImports(source)
      .filter((target) => !target.startsWith('src/'))
      .map((target) => `${source.path} -> ${target}`),
  );
  expect(outside.toSorted()).toEqual([
    'src/cli/sign-command.ts -> client/src/sign.ts',
    'src/db/migrate.ts -> migrations/index.ts',
    'src/db/orm.ts -> migrations/index.ts',
  ]);
});

test('the client stands alone, and what servers use is one file each that can be copied', () => {
  const ofClient = sourcesIn('client/src');
  expect(ofClient.length).toBeGreaterThan(3);
  const foreign = ofClient.flatMap(({ path, imports }) =>
    imports.filter((specifier) => !/^\.\/[\w-]+\.js$/.test(specifier)).map((specifier) => `${path} -> ${specifier}`),
  );
  expect(foreign).toEqual([
    'client/src/react.ts -> react',
    ...['crypto', 'http', 'http2'].map((module) => `client/src/server.ts -> node:${module}`),
    'client/src/sign.ts -> node:crypto',
  ]);
  for (const alone of ['client/src/server.ts', 'client/src/sign.ts']) {
    expect(ofClient.filter((source) => localImports(source).includes(alone))).toEqual([]);
    expect(localImports(ofClient.find(({ path }) => path === alone) as Source)).toEqual([]);
  }
});

/** In the bundle such an import of a CommonJS package has no names. */
test('no package is imported dynamically', () => {
  const found = sources.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/\bimport\('([^.'][^']*)'\)/g), ([, name]) => `${path} -> ${name}`),
  );
  expect(found).toEqual([]);
});

test.each(Object.entries(NEXT_TO_SRC))('%s imports of ours %p alone', (part, allowed) => {
  const found = sourcesIn(part);
  expect(found.length).toBeGreaterThan(0);
  const outside = found.flatMap((source) =>
    localImports(source)
      .filter((target) => !target.startsWith(`${part}/`) && !allowed.test(target))
      .map((target) => `${source.path} -> ${target}`),
  );
  expect(outside).toEqual([]);
});

test('the views of the console are imported by their table alone', () => {
  const importing = sourcesIn('pages/console').filter(
    (source) =>
      !source.path.startsWith('pages/console/views/') &&
      localImports(source).some((target) => target.startsWith('pages/console/views/')),
  );
  expect(importing.map(({ path }) => path)).toEqual(['pages/console/views.ts']);
});

test.each(IMPORTED_BY)('%p is imported in %p alone', (pattern, where) => {
  const importing = sources.filter(({ imports }) => imports.some((specifier) => pattern.test(specifier)));
  expect(importing.length).toBeGreaterThan(0);
  expect(importing.map(({ path }) => path).filter((path) => !where.test(path))).toEqual([]);
});

test.each(SAID)('%p is said in %p alone', (what, where) => {
  const saying = sources.filter(({ text }) => what.test(text));
  expect(saying.length).toBeGreaterThan(0);
  expect(saying.map(({ path }) => path).filter((path) => !where.test(path))).toEqual([]);
});

test('seven statements have a second form; no eighth joins without a measurement', () => {
  const saying = sources.filter(({ text }) => /\bbatched\(/.test(text)).map(({ path }) => path);
  expect(saying.toSorted()).toEqual([
    'src/auth/factors/rows.ts',
    'src/auth/factors/sessions.ts',
    'src/auth/live-sessions.ts',
    'src/auth/revocations.ts',
    'src/auth/sessions.ts',
    'src/callers/key-admission.ts',
    'src/rate-limits/rate-limiter.ts',
  ]);
});

/** The class of each connection's rows, by the name of the connection. */
const NODES = new Map(
  sources
    .flatMap(({ text }) => [...text.matchAll(/const (\w+) = (?:counted)?connectionType\('\w+', (\w+)/gi)])
    .map(([, connection = '', node = '']) => [connection, node]),
);

/** If it answers a row of the database instead, a `@Field` that no statement selects compiles, and fails when it is asked for. */
test('what GraphQL answers has the type of the class with its fields', () => {
  const typed = sources
    .filter(({ path }) => path.startsWith('src/graphql/'))
    .flatMap(({ path, text }) =>
      [
        ...[...text.matchAll(/@(?:Query|Mutation|FieldResolver)\(\(\) => \[?(\w+).*?\n {2}[^\n]*\): ([^\n]+) \{\n/gs)],
        ...[...text.matchAll(/@Field\(\(\) => \[?(\w+Type)\b.*?\)\s+(\w+!: [^;]+);/gs)],
      ].map(([, name = '', type = '']) => ({ path, name: NODES.get(name) ?? name, type })),
    )
    .filter(({ name }) => /^[A-Z]\w*(Type|Payload)$/.test(name));
  expect(typed.length).toBeGreaterThan(40);
  expect(typed.filter(({ name, type }) => !new RegExp(`\\b${name}\\b`).test(type))).toEqual([]);
});

test('no file imports itself through others', () => {
  const all = [...sources, ...Object.keys(NEXT_TO_SRC).flatMap(sourcesIn)];
  const graph = new Map(all.map((source) => [source.path, localImports(source)]));
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): string[] => {
    if (trail.includes(path)) return [[...trail.slice(trail.indexOf(path)), path].join(' -> ')];
    if (done.has(path)) return [];
    const cycles = (graph.get(path) ?? []).flatMap((target) => visit(target, [...trail, path]));
    done.add(path);
    return cycles;
  };
  expect(all.flatMap(({ path }) => visit(path, []))).toEqual([]);
});

/** What stands in backticks and looks like a file or a room. */
function pathsIn(document: string): string[] {
  const text = readFileSync(document, 'utf8');
  return Array.from(text.matchAll(/`([\w./-]+(?:\.(?:ts|md)|\/))`/g), ([, path = '']) => path);
}

test.each(['docs/architecture.md', 'docs/recipes.md'])('%s has no file that is not there', (document) => {
  const named = pathsIn(document);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join('src', path)) && !existsSync(path))).toEqual([]);
});

test('comments name files that are there', () => {
  const named = sources.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/`([\w./-]+\.ts)`/g), ([, file = '']) => ({ path, file })),
  );
  expect(named.length).toBeGreaterThan(3);
  const isThere = ({ path, file }: { path: string; file: string }) =>
    existsSync(join('src', file)) || existsSync(join(dirname(path), file));
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});
