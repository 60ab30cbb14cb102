/**
 * A fuzz of the whole gateway over HTTP and bare connections. FUZZ_REQUESTS says how many requests and FUZZ_SEED which:
 * it is printed. FUZZ_KIND sends one kind alone, FUZZ_ONLY=INDEX one request of a seed, and prints what came back.
 * What a request holds of keys, ids and times is that of the run; all else follows from the seed.
 */
import { randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_TYPES } from '../../src/audit/events.js';
import { collectGarbage } from '../../test/support/garbage.js';
import { logIn } from '../../test/support/gateway/gateway.js';
import { userRow } from '../../test/support/gateway/rows.js';
import { ticked } from '../../test/support/ticks.js';
import { loginRequest } from './bodies.js';
import { cookieRequest } from './cookies.js';
import { type Dice, diceOf } from './dice.js';
import { documentRequest } from './documents.js';
import { type Client, clientOf, type Exchange } from './exchange.js';
import { createFindings, ORACLES, type Oracle } from './findings.js';
import { ANY_SECRET, judge, LATE_MS } from './oracles.js';
import { questionRequest } from './questions.js';
import type { HttpRequest, Make, RawRequest, World } from './request.js';
import { signatureRequest } from './signatures.js';
import { rawRequest } from './sockets.js';
import { tokenRequest } from './tokens.js';
import { createWorld } from './world.js';

/** The same seed in each run of the tests, another one in each run of its own. */
const { FUZZ_REQUESTS, FUZZ_SEED, FUZZ_KIND, FUZZ_ONLY } = process.env;
const seed = Number(FUZZ_SEED ?? (FUZZ_REQUESTS === undefined ? 1 : randomInt(2 ** 31)));
const requests = Number(FUZZ_REQUESTS ?? 3000);
const SETTINGS = `FUZZ_SEED=${seed}${FUZZ_KIND === undefined ? '' : ` FUZZ_KIND=${FUZZ_KIND}`}`;
const AT_ONCE = 16;
/** What a request may take on the average before the run is given up, and what comes before and after them */
const [SLOWEST_MS, SETUP_MS] = [20, 300_000];
/** Late answers that are asked for again */
const MAX_SUSPECTS = 100;
/** Node's own limit for a request line and its fields */
const HEAD_BYTES = 16 * 1024;

/** A kind as often as it stands here. */
const KINDS: Array<[kind: string, make: Make]> = [
  ...Array<[string, Make]>(5).fill(['body', loginRequest]),
  ...Array<[string, Make]>(2).fill(['cookie', cookieRequest]),
  ...Array<[string, Make]>(4).fill(['token', tokenRequest]),
  ...Array<[string, Make]>(3).fill(['signature', signatureRequest]),
  ...Array<[string, Make]>(7).fill(['document', documentRequest]),
  ...Array<[string, Make]>(4).fill(['question', questionRequest]),
  ['socket', rawRequest],
];

const say = (line: string): void => void process.stderr.write(`fuzz: ${line}\n`);
const findings = createFindings();
let world: World;
let client: Client;
let before: { bystander: unknown; known: Record<string, unknown>; heapBytes: number };

function made(index: number): { kind: string; dice: Dice; sent: HttpRequest | RawRequest } {
  const dice = diceOf(seed, index);
  const [kind, make] = dice.pick(KINDS.filter(([kind]) => FUZZ_KIND === undefined || kind === FUZZ_KIND));
  return { kind, dice, sent: make(dice, world) };
}

function exchange(sent: HttpRequest | RawRequest): Promise<Exchange> {
  return 'method' in sent ? client.http(sent) : client.raw(sent);
}

const isOutage = (done: Exchange): boolean => done.answers.some(({ status }) => status === 503);

/** Sends one request and judges the answer. @returns its time: milliseconds, infinite for a 503, which `again` judges */
async function one(index: number): Promise<number> {
  const { kind, dice, sent } = made(index);
  const report = (oracle: Oracle, group: string, answer = ''): void =>
    findings.add(
      oracle,
      `${kind}: ${group}`,
      () => `  ${SETTINGS} FUZZ_ONLY=${index}\n  ${shown(sent)}\n  -> ${answer}`,
    );
  const done = await exchange(sent).catch((error: Error) => {
    // A client that still writes when the refusal is sent may see the reset before the answer (RFC 9112 section 9.6).
    const isTooLarge = 'method' in sent && JSON.stringify([sent.path, sent.headers]).length > HEAD_BYTES;
    if (!isTooLarge) report('answered', String('code' in error ? error.code : error.message));
    return undefined;
  });
  if (done === undefined) return 0;
  const [first] = done.answers;
  const answer = `${first?.status} ${first?.body.slice(0, 400)}`;
  judge(sent, done, dice.secret, (oracle, group) => {
    if (oracle !== '5xx' || !isOutage(done)) report(oracle, group, answer);
  });
  for (const { status, headers, body } of done.answers) {
    count(`${kind} ${status}`);
    const token = headers.map(([, value]) => /^refresh_token=([^;]+)/.exec(value)?.[1]).find(Boolean);
    if (token !== undefined && world.refreshTokens.length < 500) world.refreshTokens.push(token);
    if (kind === 'document') keepIds(sent, body);
  }
  if (done.answers.length === 0) count(`${kind} none`);
  return isOutage(done) ? Number.POSITIVE_INFINITY : done.ms;
}

/** Keys and users that a mutation has made are there to be changed and ended; those that are listed may be the callers'. */
function keepIds(sent: HttpRequest | RawRequest, answer: string): void {
  if (!('body' in sent) || !sent.body.includes('"mutation')) return;
  const { keyIds, userIds } = world.targets;
  keep(keyIds, answer.matchAll(/"((?:ak|ck)_\w{20})"/g));
  keep(userIds, answer.matchAll(/"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g));
}

/** The last fifty, without those who call. */
function keep(ids: string[], found: Iterable<RegExpExecArray>): void {
  const callers = [world.known.user.id, world.admin.user.id];
  for (const [, id = ''] of found) if (!ids.includes(id) && !callers.includes(id)) ids.push(id);
  if (ids.length > 50) ids.splice(0, ids.length - 50);
}

const counts = new Map<string, number>();
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);

function shown(sent: HttpRequest | RawRequest): string {
  const text = (bytes: Buffer): string => JSON.stringify(bytes.toString('latin1').slice(0, 1_200));
  if ('pieces' in sent) return `${sent.then} after ${sent.pieces.map(text).join(' + ')}`;
  return `${sent.method} ${sent.path} ${JSON.stringify(sent.headers).slice(0, 1_200)} ${text(sent.body)}`;
}

/** Asks whether the process lives, again and again, until stopped. @returns the slowest: milliseconds */
function probe(): { stop(): Promise<number> } {
  let isOver = false;
  const running = (async () => {
    let slowest = 0;
    while (!isOver) {
      const started = performance.now();
      await world.gateway.send('GET', '/health/live');
      slowest = Math.max(slowest, performance.now() - started);
      await sleep(50);
    }
    return slowest;
  })();
  return {
    stop: () => {
      isOver = true;
      return running;
    },
  };
}

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

beforeAll(
  async () => {
    say(`${SETTINGS} FUZZ_REQUESTS=${requests}`);
    world = await createWorld(seed % 2 === 0, (line) => {
      const { origin: _, ...said } = JSON.parse(line); // a refused origin is logged so that operators can allow it
      const { level, msg, error, status } = said;
      if (ANY_SECRET.test(JSON.stringify(said)))
        findings.add('logged', `a submitted value in: ${msg}`, () => `  ${SETTINGS}\n  ${line}`);
      if (level !== 'error' || status !== undefined) return; // the answer itself shows that
      findings.add(
        'logged',
        `${msg}: ${error?.name} ${error?.at?.slice(0, 2).join(' < ')}`,
        () => `  ${SETTINGS}\n  ${line}`,
      );
    });
    client = clientOf(world.host, AT_ONCE);
    const { rows, user } = { rows: world.gateway.rows, user: world.known.user };
    const [bystander] = await rows(`select * from users where email = 'bystander@example.com'`);
    before = { bystander, known: { ...(await userRow(world.gateway, user.id)) }, heapBytes: heapBytes() };
    if (FUZZ_ONLY === undefined) await run();
    else await only(Number(FUZZ_ONLY));
  },
  SETUP_MS + requests * SLOWEST_MS,
);

afterAll(async () => {
  client.close();
  await world.gateway.close();
});

async function run(): Promise<void> {
  const started = performance.now();
  const suspects: number[] = [];
  const probing = probe();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < requests) {
      const index = next;
      next += 1;
      const ms = await one(index);
      if (ms === Number.POSITIVE_INFINITY) suspects.unshift(index);
      else if (ms > LATE_MS) suspects.push(index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const slowest = await probing.stop();
  const seconds = (performance.now() - started) / 1000;
  say(`${requests} requests in ${seconds.toFixed(1)} s, ${(requests / seconds).toFixed(0)} a second`);
  say(`slowest answer of /health/live meanwhile: ${slowest.toFixed(0)} ms; late: ${suspects.length}`);
  say(
    [...counts]
      .sort()
      .map(([what, times]) => `${what}: ${times}`)
      .join(', '),
  );
  await again(suspects);
}

/**
 * On a busy machine, or behind another request, any request may be late or 503. Only one that is so alone is a finding: late is one
 * that waits or computes for a second while this process runs.
 */
async function again(suspects: number[]): Promise<void> {
  for (const index of suspects.slice(0, MAX_SUSPECTS)) {
    const { kind, sent } = made(index);
    const probing = probe();
    const before = process.cpuUsage();
    const [done, waitedMs] = await ticked(() => exchange(sent).catch(() => undefined));
    const { user, system } = process.cpuUsage(before);
    const ms = Math.max(waitedMs, (user + system) / 1_000);
    const slowest = await probing.stop();
    const example = (): string =>
      `  ${SETTINGS} FUZZ_ONLY=${index}: ${ms.toFixed(0)} ms, others waited ${slowest.toFixed(0)} ms\n  ${shown(sent).slice(0, 600)}`;
    if (done !== undefined && isOutage(done)) findings.add('5xx', `${kind}: 503`, example);
    if (done === undefined || ms > LATE_MS) findings.add('late', `${kind}: ${beginning(sent)}`, example);
  }
}

/** Enough of a request to recognise its shape */
function beginning(sent: HttpRequest | RawRequest): string {
  const bytes = 'pieces' in sent ? sent.pieces.join('') : sent.body.toString('latin1');
  return bytes
    .replace(/(\\n|\s)+/g, ' ')
    .replace(/[0-9]+/g, 'N')
    .slice(0, 60);
}

async function only(index: number): Promise<void> {
  const { sent } = made(index);
  const done = await exchange(sent);
  say(`${shown(sent)}\n${JSON.stringify(done, undefined, 1)}`);
  await one(index);
}

test.each(Object.entries(ORACLES))('%s: %s', (oracle) => {
  const report = findings.report(oracle as Oracle);
  if (report !== '') throw new Error(`with ${SETTINGS} FUZZ_REQUESTS=${requests}\n\n${report}`);
});

test('a user whom no request names is as before, and the known one but for what a login changes', async () => {
  const [bystander] = await world.gateway.rows(`select * from users where email = 'bystander@example.com'`);
  expect(bystander).toEqual(before.bystander);
  const changes = { failed_login_attempts: expect.any(Number), last_login_at: expect.anything() };
  expect(await userRow(world.gateway, world.known.user.id)).toEqual({ ...before.known, ...changes });
});

test('Spec 3.1: a family has one live record at most', async () => {
  const live = 'select family_id from refresh_tokens where not revoked group by family_id having count(*) > 1';
  expect(await world.gateway.rows(live)).toEqual([]);
});

/** What `eraseUser` puts in the place of an address (Interface 15). */
const ERASED = /^erased-\w{20}$/;

test('Spec 2.6 and 6: every address is one, every text is short enough, every event has its fields', async () => {
  const { rows } = world.gateway;
  const addresses = await rows<{ ip_address: string }>(
    'select ip_address from audit_events union select ip_address from refresh_tokens',
  );
  const strange = addresses.filter(({ ip_address }) => isIP(ip_address) === 0 || ip_address.includes('%'));
  expect(strange.filter(({ ip_address }) => ip_address !== 'cli' && !ERASED.test(ip_address))).toEqual([]);
  const events = await rows(
    `select event_type, metadata from audit_events where event_type <> all($1) or length(user_agent) > 512
       or (event_type = 'logout' and (user_agent is not null or metadata ->> 'jti' is null))
       or (event_type = 'login_failure' and metadata - 'reason' - 'email' <> '{}')`,
    [EVENT_TYPES],
  );
  expect(events).toEqual([]);
});

test('what follows is as before: ready, a login, and no more memory than a run may keep', async () => {
  world.gateway.clock.set(new Date()); // it stood still, and ready compares it
  expect((await world.gateway.send('GET', '/health/ready')).status).toBe(200);
  await logIn(world.gateway, world.known.user.email);
  expect((heapBytes() - before.heapBytes) / 2 ** 20).toBeLessThan(150);
});
