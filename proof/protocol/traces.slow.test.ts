/**
 * From the program to the model: what it did in the schedules of `proof/model`, and in races, is something that the model does.
 * PROTOCOL_SIZE=large has more of them, from PROTOCOL_SEED. Needs `spin` and `gcc` (REQUIRE_PROGRAMS=1). (Spec 3.1, Interface 12)
 */
import { randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { withTotp } from '../../test/support/gateway/factors.js';
import { claimsOf, logIn, refreshTokenOf, startGateway, type TestGateway } from '../../test/support/gateway/gateway.js';
import { logout, refresh } from '../../test/support/gateway/routes.js';
import { newKey, retryField } from '../../test/support/independent/retries.js';
import { holdNewRecords } from '../../test/support/postgres/hold.js';
import { type Kind, schedules } from '../model/acts.js';
import { type Run, runSchedule } from '../model/run.js';
import { noCounts } from '../model/server.js';
import { type Checker, compile, hasSpin } from './spin.js';
import { RECORDS, startRecorder, Trace, withLie } from './traces.js';

const isLarge = process.env['PROTOCOL_SIZE'] === 'large';
const seed = Number(process.env['PROTOCOL_SEED'] ?? (isLarge ? randomInt(2 ** 31) : 1));
const [SCHEDULES, RACES] = isLarge ? [1_000, 300] : [15, 5];
const LIMIT_MS = 7_200_000;
/** Requests at a time */
const SLOTS = 4;

const KIND: Kind = {
  isHard: true,
  isFair: false,
  mayLose: true,
  hasThief: true,
  maxDelayMs: 3_600_000,
  kinds: ['request lost', 'answer lost', 'cut', 'unavailable', 'portal', 'limited'],
  isDoubled: true,
};

const say = (line: string): void => void process.stderr.write(`protocol: ${line}\n`);
const testHere = (name: string, work: () => Promise<void>): void => (hasSpin ? test : test.skip)(name, work, LIMIT_MS);

const cleanUp = new AsyncDisposableStack();
let gateway: TestGateway;
let checker: Checker;
let folder: string;
beforeAll(async () => {
  if (!hasSpin) return;
  say(`PROTOCOL_SEED=${seed}`);
  gateway = await startGateway({ env: { REFRESH_RETRY: 'true' }, instances: 3 });
  cleanUp.defer(gateway.close);
  folder = await mkdtemp(join(tmpdir(), 'protocol-'));
  cleanUp.defer(() => rm(folder, { recursive: true }));
  const flags = ['-DSAFETY', '-DNOREDUCE', '-O1'];
  checker = cleanUp.use(await compile(['TRACE', `SLOTS=${SLOTS}`, `RECORDS=${RECORDS}`], flags));
});
afterAll(() => cleanUp.disposeAsync());

/** Whether the model can do what was seen */
async function isAccepted(numbers: readonly number[]): Promise<boolean> {
  const file = join(folder, 'trace');
  await writeFile(file, `${numbers.join(' ')} 0\n`);
  return /^accepted$/m.test(await checker.run(['-E', '-w18'], { TRACE: file }));
}

async function expectAccepted(traces: readonly Trace[]): Promise<void> {
  const counts = { sessions: 0, cut: 0, requests: 0, lies: 0 };
  for (const [i, { numbers, requests, isCut }] of traces.entries()) {
    if (numbers.length === 0) continue;
    if (!(await isAccepted(numbers))) throw new Error(`not a behaviour of the model: ${numbers.join(' ')}`);
    counts.sessions += 1;
    counts.requests += requests;
    if (isCut) counts.cut += 1;
    if (await isAccepted(withLie(numbers, i))) throw new Error(`a lie was accepted: ${withLie(numbers, i).join(' ')}`);
    counts.lies += 1;
  }
  expect(counts.sessions).toBeGreaterThan(0);
  say(`${expect.getState().currentTestName}: ${JSON.stringify(counts)}`);
}

testHere('what the gateway did in random schedules with the real client, the model does too', async () => {
  await using recorder = await startRecorder(gateway);
  const users = [await gateway.user(), await gateway.user()];
  const owner = (await withTotp(gateway)).user;
  const run: Run = { gateway: { ...gateway, instances: recorder.instances }, users, owner, counts: noCounts() };
  for (const schedule of fc.sample(schedules(KIND), { seed, numRuns: SCHEDULES })) await runSchedule(run, schedule);
  say(JSON.stringify(run.counts));
  await expectAccepted(recorder.traces());
});

type Race = (trace: Seen) => Promise<unknown>;

/** Sends requests of one session, at the same time, and writes down when each was sent and answered. */
class Seen {
  #slots = 0;
  constructor(
    readonly trace: Trace,
    readonly first: string,
  ) {}

  async refresh(token: string, field: { 'refresh-retry'?: string } = {}): Promise<string> {
    const slot = this.#slots++ % SLOTS;
    const call = { path: '/auth/refresh', cookie: token, field: field['refresh-retry'] };
    this.trace.sent(slot, call);
    const answer = await refresh(gateway.instances[slot % 3] as TestGateway, token, field);
    const { status, headers, json } = answer;
    const cookie = refreshTokenOf(answer);
    this.trace.answered(slot, call, {
      status,
      isRetried: headers['refresh-retry'] !== undefined,
      cookie,
      detail: json.detail,
    });
    return cookie ?? '';
  }

  async logout(token: string): Promise<void> {
    const slot = this.#slots++ % SLOTS;
    const call = { path: '/auth/logout', cookie: token, field: undefined };
    this.trace.sent(slot, call);
    const { status } = await logout(gateway.instances[slot % 3] as TestGateway, token);
    this.trace.answered(slot, call, { status, isRetried: false, cookie: undefined, detail: undefined });
  }
}

async function newSeen(email: string): Promise<Seen> {
  const { refreshToken } = await logIn(gateway, email);
  const { sid, jti } = claimsOf(refreshToken);
  return new Seen(new Trace(sid, jti), refreshToken);
}

/** As `refresh-races` of the evidence has them, and some with proofs of retry. */
const RACES_OF: Record<string, Race> = {
  'four presentations of one token': (seen) => Promise.all([1, 2, 3, 4].map(() => seen.refresh(seen.first))),
  'four presentations with one key': (seen) => {
    const field = retryField(newKey());
    return Promise.all([1, 2, 3, 4].map(() => seen.refresh(seen.first, field)));
  },
  'two thefts during a rotation': async (seen) => {
    const newest = await seen.refresh(seen.first);
    await Promise.all([seen.refresh(newest), seen.refresh(seen.first), seen.refresh(seen.first)]);
  },
  'a theft during a rotation that is held before its commit': async (seen) => {
    const newest = await seen.refresh(seen.first);
    await using held = await holdNewRecords(gateway);
    const rotation = seen.refresh(newest);
    await held.waiting(1);
    const theft = seen.refresh(seen.first);
    await held.waiting(2);
    await held.release();
    await Promise.all([rotation, theft]);
  },
  'a retry, a logout with the used token, and the next refresh': async (seen) => {
    const key = newKey();
    const newest = await seen.refresh(seen.first, retryField(key));
    await Promise.all([
      seen.refresh(seen.first, retryField(key)),
      seen.logout(seen.first),
      seen.refresh(newest, retryField(newKey(), key)),
    ]);
  },
};

testHere('what the gateway did in races, the model does too', async () => {
  const { email } = await gateway.user();
  const traces: Trace[] = [];
  for (const race of Object.values(RACES_OF))
    for (let i = 0; i < RACES; i += 1) {
      gateway.clock.advance(1);
      const seen = await newSeen(email);
      await race(seen);
      await seen.trace.table(gateway.rows);
      traces.push(seen.trace);
    }
  await expectAccepted(traces);
});
