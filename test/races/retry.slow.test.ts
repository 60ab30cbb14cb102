/** Races of retries, again and again: one successor for ever, and nothing is revived. (Interface 12) */
import {
  type Answer,
  type Instance,
  logIn,
  refreshTokenOf,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { auditDuring, recordsOf } from '../support/gateway/rows.js';
import {
  jtiOf,
  liveOf,
  newKey,
  type RetrySession,
  retryField,
  retrySession,
  THEFT,
} from '../support/independent/retries.js';

let gateway: TestGateway;
let one: Instance;
let two: Instance;

beforeAll(async () => {
  gateway = await startGateway({ instances: 2, env: { REFRESH_RETRY: 'true' } });
  [one, two] = gateway.two();
});
afterAll(() => gateway.close());

const either = (i: number): Instance => (i % 2 === 0 ? one : two);
const jtiGiven = (answer: Answer): string => jtiOf(refreshTokenOf(answer) ?? '');

async function freshSession() {
  const user = await gateway.user();
  return { user, token: (await logIn(gateway, user.email)).refreshToken };
}

test('Interface 12: 40 presentations of one token with one key, 10 rounds: all 200 with one successor, no theft', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { user, token } = await freshSession();
    const field = retryField(newKey());
    const [answers, events] = await auditDuring(gateway, () =>
      Promise.all(Array.from({ length: 40 }, (_, i) => refresh(either(i), token, field))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(new Set(answers.map(jtiGiven)).size).toBe(1);
    expect(events).toEqual([]);
    expect(await recordsOf(gateway, user.id)).toHaveLength(2);
    expect(await liveOf(gateway, { user })).toEqual([jtiGiven(answers[0] as Answer)]);
    const [used] = await gateway.rows('select retries from refresh_tokens where jti = $1', [jtiOf(token)]);
    expect(used).toEqual({ retries: 39 });
  }
});

/** Requests concurrent with a retry, and how many records may live afterwards. An ended session never lives. */
const MEANWHILE: Array<[what: string, happens: (on: RetrySession) => Promise<Answer>, live: number[]]> = [
  ['the rotation of the successor', ({ successor }) => refresh(two, successor, retryField(newKey())), [0, 1]],
  ['a logout with the successor', ({ successor }) => logout(two, successor), [0]],
  ['a logout with the used token', ({ used }) => logout(two, used), [0, 1]],
  ['a theft', ({ used }) => refresh(two, used), [0]],
  ['another retry', ({ used, key }) => refresh(two, used, retryField(newKey(), key)), [1]],
];

test.each(MEANWHILE)(
  'Interface 12: a retry concurrent with %s, 20 rounds: at most one live record, and no new one',
  async (_what, happens, live) => {
    for (let round = 0; round < 20; round += 1) {
      const session = await retrySession(gateway);
      const [retried, other] = await Promise.all([
        refresh(one, session.used, retryField(session.key)),
        happens(session),
      ]);
      if (retried.status === 200) expect(jtiGiven(retried)).toBe(jtiOf(session.successor));
      else expect(retried.json.detail).toBe(THEFT);
      const left = await liveOf(gateway, session);
      expect(live).toContain(left.length);
      const records = await recordsOf(gateway, session.user.id);
      const isRotated =
        other.status === 200 && refreshTokenOf(other) !== undefined && jtiGiven(other) !== jtiOf(session.successor);
      expect(records).toHaveLength(isRotated ? 3 : 2);
      if (retried.status !== 200) expect(left).toEqual([]); // theft is theft, whatever came first
    }
  },
);

test('Interface 12: concurrent retries of each link of a chain: only the last one is answered, without deadlock', async () => {
  for (let round = 0; round < 20; round += 1) {
    const session = await retrySession(gateway);
    const next = newKey();
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, (_, i) => refresh(either(i), session.successor, retryField(next, session.key))),
      ...Array.from({ length: 4 }, (_, i) => refresh(either(i), session.used, retryField(session.key))),
    ]);
    for (const { status, json } of answers)
      expect([200, 401]).toContain(status === 401 && json.detail !== THEFT ? json : status);
    expect((await liveOf(gateway, session)).length).toBeLessThanOrEqual(1);
    expect(await recordsOf(gateway, session.user.id)).toHaveLength(
      answers.slice(0, 4).some(({ status }) => status === 200) ? 3 : 2,
    );
  }
});
