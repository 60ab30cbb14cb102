/** Where only trusted documents run, nothing else does, however near it is, while files change and instances are killed. (Interface 24) */
import { randomInt } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../../../test/support/gateway/trusted-documents.js';
import { signerOf } from '../../../test/support/independent/signer.js';
import { until } from '../../../test/support/until.js';
import type { Experiment, Row } from '../experiment.js';
import { openAccounts } from '../lab/accounts.js';
import { againAfter503 } from '../lab/again.js';
import { type Answer, ask } from '../lab/browser.js';
import type { ApiKey } from '../lab/callers.js';
import { BROKEN, CREATE, fileOf, hostileOf, MARKERS, ownText, POISONED, RETIRED } from '../lab/documents.js';
import { type Gateways, type Instance, PUBLIC_URL, prepareGateways, QUICK_TIMERS } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { inLanes } from '../lab/lanes.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';

/** Each exchanges the file, and sends every hostile body at each instance as each caller that is restricted there. */
const ROUNDS = { small: 4, full: 40 };
/** A kill of an instance every so many rounds */
const KILL_EVERY = 4;
const AT_ONCE = 12;
/** While a poisoned file is there, which instances look at every 0.1 s */
const ASKED_MEANWHILE = 5;
const PAUSE_MS = 50;
const JSON_TYPE = { 'content-type': 'application/json' };

/** @returns the header fields of a request with this body */
type Sign = (body: string) => Record<string, string>;

interface Stand {
  lab: Lab;
  db: Postgres;
  file: string;
  /** The last one has the mode `user` */
  instances: readonly Instance[];
  callers: Record<'user' | 'api_key' | 'cron', Sign>;
}

const FILE = 'src/graphql/trusted-documents.ts';

export const trustedDocuments: Experiment = {
  name: 'trusted-documents',
  mutants: [
    {
      name: 'the text next to an id runs',
      file: FILE,
      from: '{ ...sent, query: text,',
      to: "{ ...sent, query: hasId && typeof query === 'string' ? query : text,",
      foundBy: /^untrusted documents that ran/,
    },
    {
      name: 'a text is compared without the spaces around it',
      file: FILE,
      from: 'digestOf(query)',
      to: 'digestOf(query.trim())',
      foundBy: /^untrusted documents that ran/,
    },
    {
      name: 'of two ids the first counts',
      file: FILE,
      from: 'new Set(digests).size === 1 ? digests[0] : undefined',
      to: 'digests[0]',
      foundBy: /^untrusted documents that ran/,
    },
    {
      name: 'what follows an id is not read',
      file: 'src/graphql/documents-file.ts',
      from: '([\\da-fA-F]{64})$/',
      to: '([\\da-fA-F]{64})/',
      foundBy: /^untrusted documents that ran/,
    },
    {
      name: 'the hash of a document in a file is not checked',
      file: 'src/graphql/documents-file.ts',
      from: 'if (digest !== digestOf(text))',
      to: 'if (digest === undefined)',
      foundBy: /^untrusted documents that ran/,
    },
    {
      name: 'the mode user is for none but keys',
      file: FILE,
      from: "only !== 'all' && only !== caller",
      to: "only !== 'all' && (only === 'off' || caller === 'user')",
      foundBy: /^untrusted documents that ran/,
    },
    {
      name: 'documents that a file no longer has stay',
      file: FILE,
      from: '() => readDocuments(files), {',
      to: 'async () => {\n    for (const [digest, found] of await readDocuments(files)) kept.set(digest, found);\n    return kept;\n  }, {',
      and: { file: FILE, from: 'const isUsed = files', to: 'const kept = new Map();\n  const isUsed = files' },
      foundBy: /^documents that ran after the file had lost them/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const file = join(lab.folder, 'documents.json');
    writeFileSync(file, fileOf(0));
    const gateways = await prepareGateways(lab, db.url, {
      ...QUICK_TIMERS,
      ...{ TRUSTED_DOCUMENTS: file, TRUSTED_DOCUMENTS_ONLY: 'all', CONFIRM_SECONDS: '0' },
    });
    const ofUsers = { TRUSTED_DOCUMENTS_ONLY: 'user' };
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start(ofUsers)]);
    const stand = { lab, db, file, instances, callers: await callersOf(gateways, db, instances[0].url) };
    return attack(stand, ROUNDS[size]);
  },
};

async function callersOf(gateways: Gateways, db: Postgres, url: string): Promise<Stand['callers']> {
  const { accessToken } = await (await openAccounts(gateways, db, url)).add({ role: 'admin' });
  const rights = ['--service', 'evidence', '--scope', 'keys:write'];
  const apiKey = await gateways.cli<ApiKey>('api-key', 'create', ...rights, '--rate-limit', '1000000');
  const cron = await gateways.cli<{ header_value: string }>('cron-key', 'create', ...rights);
  const authority = new URL(PUBLIC_URL).host;
  return {
    user: () => ({ ...JSON_TYPE, authorization: `Bearer ${accessToken}` }),
    api_key: (body) => {
      const nowSeconds = Math.floor(Date.now() / 1000);
      const key = { keyId: apiKey.key_id, secret: apiKey.secret, authority, nowSeconds };
      return Object.fromEntries(signerOf(key)({ body }).headers);
    },
    cron: () => ({ ...JSON_TYPE, 'x-internal-key': cron.header_value }),
  };
}

async function attack(stand: Stand, rounds: number): Promise<Row[]> {
  const { lab, db, instances, callers } = stand;
  const ran: Counted = { what: 'untrusted documents that ran', trials: 0, least: 0, violations: 0, examples: [] };
  const answered: Counted = {
    ...ran,
    what: 'untrusted documents answered otherwise than 400 or, by GET, 405',
    examples: [],
  };
  const retired: Counted = { ...ran, what: 'documents that ran after the file had lost them', examples: [] };
  const trusted: Counted = { ...ran, what: 'trusted documents refused', examples: [] };
  const sent = new Map<string, string>();
  const again = againAfter503();
  let kills = 0;

  for (let round = 0; round < rounds; round += 1) {
    lab.say(`hostile documents, ${round + 1} of ${rounds}`);
    await exchange(stand, round);
    const tasks: Array<() => Promise<void>> = [];
    for (const [at, instance] of instances.entries()) {
      const isOfUsers = at === instances.length - 1;
      for (const [caller, sign] of Object.entries(callers)) {
        const post = (body: string) => again.answerOf(() => send(instance, sign, body));
        const isRestricted = !isOfUsers || caller === 'user';
        const where = `as ${caller}, ${isOfUsers ? 'mode user' : 'mode all'}`;
        for (const [number] of isRestricted ? hostileOf('').entries() : []) {
          tasks.push(async () => {
            const name = `untrusted ${sent.size}`;
            const { what, body } = hostileOf(name)[number] as ReturnType<typeof hostileOf>[number];
            sent.set(name, `${what}, ${where}`);
            const { status, body: answer } = await post(body);
            const reason = reasonIn(answer);
            count(
              answered,
              (status !== 400 || reason !== 'document_not_trusted') && `${what}, ${where}: ${status} ${reason}`,
            );
          });
        }
        tasks.push(async () => {
          const path = `/graphql?query=${encodeURIComponent(ownText('untrusted by GET'))}`;
          const { status } = await ask(instance.url, path, { method: 'GET', headers: sign('') });
          count(answered, status !== 405 && `GET, ${where}: ${status}`);
        });
        const variables = { name: 'trusted' };
        const good = [
          { documentId: `sha256:${sha256(CREATE)}`, query: ownText('untrusted next to an id'), variables },
          { query: CREATE, variables },
          ...(isRestricted ? [] : [{ query: `${CREATE} `, variables }]),
        ];
        tasks.push(async () => {
          for (const body of good) {
            const { status, body: answer } = await post(JSON.stringify(body));
            count(
              trusted,
              (status !== 200 || answer['errors'] !== undefined) && `${where}: ${status} ${reasonIn(answer)}`,
            );
          }
          if (round % 2 === 0) return;
          const name = `retired ${sent.size} ${where}`;
          const gone = [{ documentId: sha256(RETIRED) }, ...(isRestricted ? [{ query: RETIRED }] : [])];
          for (const body of gone) {
            const { status } = await post(JSON.stringify({ ...body, variables: { name } }));
            count(retired, status !== 400 && `${where}: ${status}`);
          }
        });
      }
    }
    await inLanes(shuffled(tasks), AT_ONCE, (task) => task());
    if (round % KILL_EVERY === KILL_EVERY - 1) {
      const victim = instances[randomInt(instances.length)];
      await victim?.kill();
      await victim?.start();
      kills += 1;
    }
  }
  const names = await db.query<{ name: string }>(
    `select service_name as name from cron_keys where service_name like 'untrusted%' or service_name like 'retired%'`,
  );
  for (const { name } of names) {
    const row = name.startsWith('retired') ? retired : ran;
    row.violations += 1;
    row.examples.push(sent.get(name) ?? name);
  }
  ran.trials = sent.size;
  for (const row of [ran, answered, retired, trusted]) row.least = row.trials;
  const hostile = hostileOf('').length;
  ran.least = rounds * hostile * 7; // callers that are restricted at the three instances
  ran.figures = { files_exchanged: 3 * rounds, kills };
  return [ran, answered, retired, trusted];
}

type Counted = Row & { examples: string[] };

/** Counts a trial, and a violation if there is an example of one. */
function count(row: Counted, example: string | false): void {
  row.trials += 1;
  if (example === false) return;
  row.violations += 1;
  if (row.examples.length < 20) row.examples.push(example);
}

function send({ url }: Instance, sign: Sign, body: string): Promise<Answer> {
  return ask(url, '/graphql', { headers: sign(body), body });
}

function reasonIn({ errors }: Answer['body']): unknown {
  const [error] = (errors ?? []) as Array<{ extensions: { reason?: string; code?: string } }>;
  return error?.extensions.reason ?? error?.extensions.code;
}

/** A broken file, a poisoned one, then the file of this turn, until all instances have read it. */
async function exchange({ file, instances, callers }: Stand, turn: number): Promise<void> {
  const put = (content: string): void => {
    writeFileSync(`${file}.new`, content);
    renameSync(`${file}.new`, file);
  };
  const before = instances.map(({ logFile }) => refusals(logFile));
  put(BROKEN[turn % 2 === 0 ? 0 : 1]);
  await until('a broken file is refused', () =>
    instances.every(({ logFile }, at) => refusals(logFile) > (before[at] ?? 0)),
  );
  put(POISONED);
  const byId = JSON.stringify({ documentId: sha256(CREATE), variables: { name: 'trusted' } });
  for (let asked = 0; asked < ASKED_MEANWHILE; asked += 1) {
    await Promise.all(instances.map((instance) => send(instance, callers.cron, byId)));
    await sleep(PAUSE_MS);
  }
  put(fileOf(turn));
  const documentId = sha256(MARKERS[turn % 2 === 0 ? 0 : 1]);
  await until('every instance has the new file', async () => {
    const asked = instances.map((instance) => send(instance, callers.cron, JSON.stringify({ documentId })));
    return (await Promise.all(asked)).every(({ status }) => status === 200);
  });
}

/** Of files, in the log of an instance */
function refusals(logFile: string): number {
  return readFileSync(logFile, 'utf8').split('changed trusted documents refused').length - 1;
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: randomInt(2 ** 31) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
