/** Which documents run, by mode, caller and what is sent. (Interface 24) */
import fc from 'fast-check';
import { createLogger } from '../../src/platform/create-logger.js';
import {
  type Answer,
  type Instance,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { type As, newApiKey, newCronKey, newcomer, nobody } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { asManifest, asRecord, documentsFile, post, sha256 } from '../support/gateway/trusted-documents.js';
import { figureOf, readMetrics } from '../support/independent/prometheus.js';
import { until } from '../support/until.js';

const TEXT = 'query WhoAmI { caller { callerType } }';
const MUTATION =
  'mutation Key($name: String!) { createCronKey(input: { serviceName: $name, scopes: [] }) { cronKey { id } } }';
const OTHER = 'query Other { __typename }';
const HASH = sha256(TEXT);
const UNKNOWN = sha256(OTHER);
/** What a page of the gateway asks: dist/console/trusted-documents.json has it */
const OWN = '{ me { id email role } }';
const apq = (sha256Hash: unknown, version: unknown = 1) => ({
  extensions: { persistedQuery: { version, sha256Hash } },
});

const files = documentsFile(asRecord(TEXT, MUTATION));
const captured = captureLog();
const MODES = {
  unset: {},
  off: { TRUSTED_DOCUMENTS: files.path },
  user: { TRUSTED_DOCUMENTS: files.path, TRUSTED_DOCUMENTS_ONLY: 'user' },
  all: { TRUSTED_DOCUMENTS: files.path, TRUSTED_DOCUMENTS_ONLY: 'all' },
} satisfies Record<string, Record<string, string>>;
type Mode = keyof typeof MODES;
const CALLERS = ['user', 'api_key', 'cron'] as const;

let gateway: TestGateway;
let on: Record<Mode, Instance>;
let as: Record<(typeof CALLERS)[number], As>;
beforeAll(async () => {
  gateway = await startGateway();
  const { database, clock } = gateway;
  const start = async ([mode, env]: [string, Record<string, string>]) =>
    [mode, await startInstance(database, { env, clock, log: captured.log })] as const;
  on = Object.fromEntries(await Promise.all(Object.entries(MODES).map(start))) as typeof on;
  const { as: user } = await newcomer(gateway, 'admin');
  const [apiKey, cron] = [await newApiKey(gateway, ['keys:write']), await newCronKey(gateway, ['keys:write'])];
  as = { user, api_key: apiKey.as, cron: cron.as };
});
afterAll(async () => {
  for (const instance of Object.values(on)) await instance.close();
  await gateway.close();
  files[Symbol.dispose]();
});

type Verdict = 'runs' | 'document_not_trusted' | 'PERSISTED_QUERY_NOT_SUPPORTED' | 'other';

function verdictOf({ status, json, text }: Answer): Verdict {
  const [error] = json?.errors ?? [];
  if (status === 200 && error === undefined) return 'runs';
  if (error?.extensions.reason === 'document_not_trusted') {
    expect([status, error.extensions.code]).toEqual([400, 'BAD_REQUEST']);
    expect(text).not.toMatch(/Other|__typename|caller \{/); // the text is not repeated
    return 'document_not_trusted';
  }
  if (error?.extensions.code === 'PERSISTED_QUERY_NOT_SUPPORTED' && status === 200) return error.extensions.code;
  return 'other';
}

type Rule = (isRestricted: boolean, mode: Mode) => Verdict;
const runs: Rule = () => 'runs';
const refused: Rule = () => 'document_not_trusted';
const ifFree: Rule = (isRestricted) => (isRestricted ? 'document_not_trusted' : 'runs');
const unlessUnset: Rule = (_, mode) => (mode === 'unset' ? 'document_not_trusted' : 'runs');
/** As before there were trusted documents, so that clients fall back to the text */
const notSupported: Rule = (_, mode) => (mode === 'unset' ? 'PERSISTED_QUERY_NOT_SUPPORTED' : 'document_not_trusted');

const REQUESTS: Record<string, [body: unknown, rule: Rule]> = {
  'a trusted text': [{ query: TEXT }, runs],
  'another text': [{ query: OTHER }, ifFree],
  'another text that cannot be parsed': [
    { query: 'no document' },
    (isRestricted) => (isRestricted ? 'document_not_trusted' : 'other'),
  ],
  'the trusted text and a space': [{ query: `${TEXT} ` }, ifFree],
  'the trusted text with another operation behind it': [
    { query: `${TEXT}\n${OTHER}`, operationName: 'WhoAmI' },
    ifFree,
  ],
  'an id': [{ documentId: `sha256:${HASH}` }, unlessUnset],
  'an id without a prefix': [{ documentId: HASH }, unlessUnset],
  'an id in upper case': [{ documentId: HASH.toUpperCase() }, unlessUnset],
  'an id next to its text': [{ documentId: HASH, query: TEXT }, unlessUnset],
  'an id next to another text': [{ documentId: HASH, query: 'no document' }, unlessUnset],
  'an id next to what is no text': [{ documentId: HASH, query: { kind: 'Document' } }, unlessUnset],
  'a persisted query': [apq(HASH), (_, mode) => (mode === 'unset' ? 'PERSISTED_QUERY_NOT_SUPPORTED' : 'runs')],
  'a persisted query next to another text': [
    { query: OTHER, ...apq(HASH) },
    (_, mode) => (mode === 'unset' ? 'PERSISTED_QUERY_NOT_SUPPORTED' : 'runs'),
  ],
  'both of one document': [{ documentId: HASH, ...apq(HASH) }, unlessUnset],
  'both of two documents': [{ documentId: HASH, ...apq(sha256(MUTATION)) }, refused],
  'an id next to an unknown persisted query': [{ documentId: HASH, ...apq(UNKNOWN) }, refused],
  'an unknown id': [{ documentId: UNKNOWN }, refused],
  'an unknown id next to its text': [{ documentId: UNKNOWN, query: OTHER }, refused],
  'an unknown id next to a trusted text': [{ documentId: UNKNOWN, query: TEXT }, refused],
  'an unknown persisted query': [apq(UNKNOWN), notSupported],
  'an unknown persisted query next to its text': [{ query: OTHER, ...apq(UNKNOWN) }, notSupported],
  'a persisted query of version 2': [apq(HASH, 2), notSupported],
  'a persisted query that is a list': [apq([HASH]), notSupported],
  'no id but null': [{ query: TEXT, documentId: null, extensions: { persistedQuery: null } }, runs],
  'null next to another text': [{ query: OTHER, documentId: null }, ifFree],
  'an id of a page of the gateway': [{ documentId: sha256(OWN) }, runs],
  ...Object.fromEntries(
    [
      1,
      true,
      '',
      [HASH],
      { sha256: HASH },
      `${HASH}0`,
      HASH.slice(1),
      ` ${HASH}`,
      `${HASH}\n`,
      `sha256:sha256:${HASH}`,
    ].map((documentId) => [`the malformed id ${JSON.stringify(documentId)}`, [{ documentId, query: TEXT }, refused]]),
  ),
  'two ids by two keys of JSON': [`{"documentId":"${HASH}","documentId":"${UNKNOWN}"}`, refused],
  'a text by the prototype': [
    `{"__proto__":{"query":"${TEXT}"}}`,
    (isRestricted) => (isRestricted ? 'document_not_trusted' : 'other'),
  ],
  'a batch': [[{ query: TEXT }], (isRestricted) => (isRestricted ? 'document_not_trusted' : 'other')],
  'a batch of ids': [[{ documentId: HASH }], (isRestricted) => (isRestricted ? 'document_not_trusted' : 'other')],
  nothing: [{}, (isRestricted) => (isRestricted ? 'document_not_trusted' : 'other')],
  null: ['null', (isRestricted) => (isRestricted ? 'document_not_trusted' : 'other')],
};

const CASES = (Object.keys(MODES) as Mode[]).flatMap((mode) => CALLERS.map((caller) => [mode, caller] as const));

test.each(CASES)(
  'Interface 24: with the files and mode %p a caller %p may run what is listed here',
  async (mode, caller) => {
    const isRestricted = mode === 'all' || (mode === 'user' && caller === 'user');
    const expected: Record<string, Verdict> = {};
    const found: Record<string, Verdict> = {};
    for (const [what, [body, rule]] of Object.entries(REQUESTS)) {
      expected[what] = rule(isRestricted, mode);
      // A page of the gateway asks about its user; others are answered with an error, and so it ran too.
      const verdict = verdictOf(await post(on[mode], as[caller], body));
      const isOfPage = what === 'an id of a page of the gateway' && caller !== 'user' && verdict === 'other';
      found[what] = isOfPage ? 'runs' : verdict;
    }
    expect(found).toEqual(expected);
  },
);

test('Interface 24: a request without credentials is 401, whatever document it asks for', async () => {
  for (const mode of Object.keys(MODES) as Mode[]) {
    for (const [body] of Object.values(REQUESTS)) {
      const { status, json } = await post(on[mode], nobody, body);
      expect([status, json.errors[0].extensions.reason]).toEqual([401, 'missing_credentials']);
    }
  }
});

test('Interface 24: the text of the file runs, with the variables and the name of the request', async () => {
  const sent = { documentId: sha256(MUTATION), operationName: 'Key', variables: { name: 'by id' }, query: OTHER };
  const { status, json } = await post(on.all, as.user, sent);
  expect([status, json.data.createCronKey.cronKey.id]).toEqual([200, expect.any(String)]);
  const [key] = await gateway.rows('select from cron_keys where service_name = $1', ['by id']);
  expect(key).toBeDefined();
  const wrongName = await post(on.all, as.user, { ...sent, operationName: 'Other' });
  expect(wrongName.json.errors[0].extensions.code).toBe('OPERATION_RESOLUTION_FAILURE');
  const wrongVariable = await post(on.all, as.user, { ...sent, variables: {} });
  expect(wrongVariable.json.errors[0].extensions.reason).toBe('invalid_variable');
});

test('Interface 24: a signed request by id is verified over the body that was sent', async () => {
  const { as: signed } = await newApiKey(gateway);
  expect((await post(on.all, signed, { documentId: HASH })).json).toEqual({
    data: { caller: { callerType: 'api_key' } },
  });
});

test('Interface 24: no twin of a trusted document runs, however near it is', async () => {
  const changes: fc.Arbitrary<(text: string) => string> = fc.oneof(
    fc.tuple(fc.nat(), fc.constantFrom(' ', '\n', '#', ',', '\ufeff', '\u00a0', '\ud800', 'x', '')).map(
      ([at, put]) =>
        (text: string) =>
          text.slice(0, at % (text.length + 1)) + put + text.slice((at % text.length) + 1),
    ),
    fc.constantFrom<(text: string) => string>(
      (text) => text.toUpperCase(),
      (text) => `${text}\u0301`,
      (text) => text.replace('WhoAmI', 'WhoAmI2'),
      (text) => `${text}${text}`,
      (text) => text.replaceAll(' ', '  '),
      (text) => text.replace('callerType', '__typename'),
    ),
  );
  const twins = fc
    .tuple(fc.constantFrom(TEXT, MUTATION), changes)
    .map(([text, change]) => [text, change(text)] as const);
  await fc.assert(
    fc.asyncProperty(
      twins.filter(([text, twin]) => text !== twin),
      async ([text, twin]) => {
        const verdicts = [
          { query: twin },
          { documentId: sha256(twin) },
          apq(sha256(twin)),
          { documentId: twin, query: text },
        ];
        for (const body of verdicts) expect(verdictOf(await post(on.all, as.user, body))).toBe('document_not_trusted');
      },
    ),
    { numRuns: 60 },
  );
});

test('Interface 24: the stored text runs, not another of the same bytes', async () => {
  // A lone surrogate and U+FFFD have the same bytes, and so the same hash.
  const stored = 'query Same { caller { callerType } } # \ufffd';
  using file = documentsFile(asRecord(stored));
  const env = { TRUSTED_DOCUMENTS: file.path, TRUSTED_DOCUMENTS_ONLY: 'all' };
  const instance = await startInstance(gateway.database, { env, clock: gateway.clock });
  const sent = JSON.stringify({ query: stored }).replace('\ufffd', '\\ud800');
  expect(verdictOf(await post(instance, as.user, sent))).toBe('runs');
  await instance.close();
});

test('Interface 24: refused documents are counted by caller, each kind from 0, and an id that nobody has in every mode', async () => {
  const NAME = 'auth_gateway_untrusted_documents_total';
  using file = documentsFile(asManifest(TEXT));
  const env = { TRUSTED_DOCUMENTS: file.path, TRUSTED_DOCUMENTS_ONLY: 'user' };
  const instance = await startInstance(gateway.database, { env, clock: gateway.clock });
  const counts = async (of: Instance) => {
    const families = readMetrics((await of.send('GET', '/metrics')).text);
    return CALLERS.map((caller) => figureOf(families, NAME, { caller }));
  };
  expect(await counts(instance)).toEqual([0, 0, 0]);
  for (const caller of CALLERS) await post(instance, as[caller], { query: OTHER });
  await post(instance, as.cron, { documentId: UNKNOWN });
  await post(instance, nobody, { documentId: UNKNOWN });
  expect(await counts(instance)).toEqual([1, 0, 1]);
  await instance.close();
  const off = await startInstance(gateway.database, { clock: gateway.clock });
  expect(await counts(off)).toEqual([undefined, undefined, undefined]);
  await off.close();
});

describe('Interface 24: files that change', () => {
  const A = 'query A { caller { callerType } }';
  const B = 'query B { caller { callerType } }';
  const STATES: Record<string, { content: string; runs: string | undefined }> = {
    'a record of A': { content: asRecord(A), runs: A },
    'a manifest of B': { content: asManifest(B), runs: B },
    'half a file': { content: asRecord(A, B).slice(0, 100), runs: undefined },
    'a wrong hash': { content: JSON.stringify({ [sha256(A)]: B }), runs: undefined },
  };
  const ORDERS = fc.shuffledSubarray(Object.keys(STATES), { minLength: Object.keys(STATES).length });

  test('what was valid last is in use, in every order of valid and refused versions', async () => {
    using file = documentsFile(asRecord(TEXT));
    const { log, lines } = captureLog();
    const env = { TRUSTED_DOCUMENTS: file.path, TRUSTED_DOCUMENTS_ONLY: 'all' };
    const instance = await startInstance(gateway.database, { env, clock: gateway.clock, log });
    let inUse = TEXT;
    const said = () => lines().filter(({ msg }) => /trusted documents/.test(String(msg)));
    await fc.assert(
      fc.asyncProperty(ORDERS, async (order) => {
        for (const state of order) {
          const { content, runs: valid } = STATES[state] as (typeof STATES)[string];
          file.write(content);
          const before = said().length;
          await instance.app.readFiles();
          const told =
            valid === undefined
              ? { level: 'error', msg: 'changed trusted documents refused; those in use stay' }
              : { level: 'info', msg: 'trusted documents read again', documents: 1 };
          // Twice if the instance has just looked by itself.
          for (const line of said().slice(before)) expect(line).toMatchObject(told);
          expect(said().length).toBeGreaterThan(before);
          inUse = valid ?? inUse;
          for (const text of [TEXT, A, B]) {
            const verdict = verdictOf(await post(instance, as.cron, { documentId: sha256(text) }));
            expect([state, verdict]).toEqual([state, text === inUse ? 'runs' : 'document_not_trusted']);
          }
        }
      }),
      { numRuns: 24 },
    );
    await instance.close();
  });

  test('a changed file is noticed without a signal, and one that is refused is logged once', async () => {
    using file = documentsFile(asRecord(A));
    const { log, lines } = captureLog();
    const { setInterval } = globalThis;
    const looks: Array<() => unknown> = [];
    globalThis.setInterval = ((work: () => unknown, ms: number) => {
      if (ms === 2_000) looks.push(work);
      return setInterval(() => undefined, 2 ** 30);
    }) as typeof globalThis.setInterval;
    const env = { TRUSTED_DOCUMENTS: file.path };
    const instance = await startInstance(gateway.database, { env, clock: gateway.clock, log }).finally(() => {
      globalThis.setInterval = setInterval;
    });
    const look = async () => {
      for (let times = 0; times < 3; times += 1) await Promise.all(looks.map((work) => work()));
      return lines().flatMap(({ msg }) => (/trusted documents/.test(String(msg)) ? [msg] : []));
    };
    expect(await look()).toEqual([]);
    file.write('{');
    const refusedOnce = ['changed trusted documents refused; those in use stay'];
    expect(await look()).toEqual(refusedOnce);
    expect(verdictOf(await post(instance, as.cron, { documentId: sha256(A) }))).toBe('runs');
    file.write(asRecord(B));
    expect(await look()).toEqual([...refusedOnce, 'trusted documents read again']);
    expect(verdictOf(await post(instance, as.cron, { documentId: sha256(B) }))).toBe('runs');
    await instance.close();
  });

  test('documents that do not fit the schema are named once in the log, and the gateway starts', async () => {
    const fitting = 'query Fits { caller { callerType } }';
    const misfits = [
      'query Gone { noSuchField }',
      'mutation Broken {',
      `query Deep { ${'me { '.repeat(12)} id ${'} '.repeat(12)} }`,
    ];
    using file = documentsFile(asRecord(fitting, ...misfits));
    const { log, lines } = captureLog();
    const env = { TRUSTED_DOCUMENTS: file.path };
    const instance = await startInstance(gateway.database, { env, clock: gateway.clock, log });
    await post(instance, as.cron, { documentId: sha256(fitting) }).then((answer) =>
      expect(verdictOf(answer)).toBe('runs'),
    );
    const warned = () => lines().filter(({ msg }) => msg === 'trusted documents do not fit the schema');
    await until('it is logged', () => warned().length > 0);
    expect(warned()).toMatchObject([
      { level: 'warn', misfits: ['Gone', 'Broken', 'Deep'].map((name) => `${name} of ${file.path}`) },
    ]);
    const { status, json } = await post(instance, as.cron, { documentId: sha256('query Gone { noSuchField }') });
    expect([status, json.errors[0].extensions.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
    await instance.close();
  });
});

describe('Interface 24: a file that is refused', () => {
  const SECRET = `query Long { ${'caller { callerType } '.repeat(20)}}`;
  const big = `query Big { ${'caller { callerType } '.repeat(4_000)}}`;
  const FORM = /is neither a JSON object of documents by their SHA-256 nor a manifest of Apollo/;
  const FAULTS: Record<string, [content: string, message: RegExp]> = {
    'is not JSON': ['{', FORM],
    'is a list': ['[]', FORM],
    'is null': ['null', FORM],
    'has a number': [JSON.stringify({ [HASH]: 1 }), FORM],
    'is a manifest of another version': [asManifest(TEXT).replace('"version":1', '"version":2'), FORM],
    'has an MD5': [
      JSON.stringify({ d41d8cd98f00b204e9800998ecf8427e: TEXT }),
      /no SHA-256: "d41d8[^"]*"; write the file with SHA-256/,
    ],
    'has a SHA-1': [
      JSON.stringify({ ['a'.repeat(40)]: TEXT }),
      /hashAlgorithm: 'sha256' .* for GraphQL Code Generator.*"SHA256" for Relay/,
    ],
    'has an id of another document': [
      JSON.stringify({ [UNKNOWN]: SECRET }),
      new RegExp(`not the SHA-256 of its document: "${UNKNOWN}"`),
    ],
    'is a manifest with such an id': [asManifest(SECRET).replace(sha256(SECRET), UNKNOWN), new RegExp(`"${UNKNOWN}"`)],
    'has texts for keys': [JSON.stringify({ [SECRET]: HASH }), /no SHA-256: "query Long/],
    'has a document that is too long': [asRecord(big), /more than 64 KiB/],
    'is too large': [`{"${HASH}":"${'x'.repeat(16 * 1024 * 1024)}"}`, /is larger than 16 MiB/],
  };
  const start = (path: string) =>
    startInstance(gateway.database, { env: { TRUSTED_DOCUMENTS: path }, log: createLogger('silent') });

  test.each(Object.entries(FAULTS))('%s: the start says so', async (_what, [content, message]) => {
    using file = documentsFile(content);
    const error: Error = await start(`${files.path},${file.path}`).then(
      () => Promise.reject(new Error('it has started')),
      (fault) => fault,
    );
    expect(error.name).toBe('TrustedDocumentsError');
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(new RegExp(`^TRUSTED_DOCUMENTS: ${file.path} .*; `));
    expect(error.message).not.toContain(SECRET);
  });

  test.each(['/no/such/file.json', '/'])('%s cannot be read: the start says so', async (path) => {
    await expect(start(path)).rejects.toThrow(/^TRUSTED_DOCUMENTS: .* cannot be read \((ENOENT|EISDIR)\); /);
  });

  test.each(['a prefix', 'upper case', 'a byte order mark', 'nothing in it'])('one with %s is not', async (what) => {
    const record = asRecord(TEXT);
    const content: Record<string, string> = {
      'a prefix': record.replace(HASH, `sha256:${HASH}`),
      'upper case': record.replace(HASH, HASH.toUpperCase()),
      'a byte order mark': `\ufeff${record}`,
      'nothing in it': '{}',
    };
    using file = documentsFile(content[what] ?? '');
    await (await start(file.path)).close();
  });
});
