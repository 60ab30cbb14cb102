/** Commands for fast-check: each runs on the gateway and on the model, then answer and tables are compared. */
import fc from 'fast-check';
import type { HandClock } from '../gateway/clock.js';
import {
  type Answer,
  claimsOf,
  type Instance,
  PASSWORD,
  refreshTokenOf,
  type TestGateway,
} from '../gateway/gateway.js';
import * as routes from '../gateway/routes.js';
import { cookieAction } from './cookies.js';
import { type Expected, LOCK_SECONDS, login, logout, type Model, REFRESH_SECONDS, refresh } from './session-model.js';

/** The gateway under test. */
export interface World {
  rows: TestGateway['rows'];
  clock: HandClock;
  instances: Instance[];
  /** Ends instance `i` at once, cutting what is in flight, and starts another in its place. */
  crash(i: number): Promise<void>;
}

type Command = fc.AsyncCommand<Model, World>;

interface Step {
  name: string;
  /** False if the model is not ready for the step */
  isReady?(model: Model): boolean;
  /** Changes the model, sends the request, and says what is to be answered. */
  run(model: Model, world: World, on: Instance): { expected: Expected; answer: Promise<Answer> };
}

/** `age` counts back from the newest token ever issued, whatever has become of it. */
function tokenOf(model: Model, age: number) {
  const known = model.tokens.filter(({ jwt }) => jwt !== undefined);
  return known[known.length - 1 - (age % known.length)];
}

const hasToken = (model: Model): boolean => tokenOf(model, 0) !== undefined;

function loginStep(who: number, isRight: boolean): Step {
  return {
    name: `login(user ${who}, ${isRight ? 'right' : 'wrong'})`,
    run: (model, { clock }, on) => {
      const user = model.users[who % model.users.length];
      if (user === undefined) throw new Error('no users');
      const expected = login(model, user, isRight, clock.now().getTime());
      return { expected, answer: routes.login(on, user.email, isRight ? PASSWORD : routes.WRONG) };
    },
  };
}

const unknownStep: Step = {
  name: 'login(unknown)',
  run: (model, _world, on) => {
    model.events.push('login_failure null');
    const expected: Expected = { status: 401, detail: 'Invalid credentials', cookie: 'unchanged' };
    return { expected, answer: routes.login(on, 'nobody@example.com', PASSWORD) };
  },
};

function tokenStep(route: 'refresh' | 'logout', age: number): Step {
  return {
    name: `${route}(token -${age})`,
    isReady: hasToken,
    run: (model, { clock }, on) => {
      const token = tokenOf(model, age);
      if (token === undefined) throw new Error('no token');
      const expected = { refresh, logout }[route](model, token, clock.now().getTime());
      return { expected, answer: { refresh: routes.refresh, logout: routes.logout }[route](on, token.jwt) };
    },
  };
}

/** One request to instance `i`, compared in full. */
function request(step: Step, i: number): Command {
  return {
    check: (model) => step.isReady?.(model) ?? true,
    run: async (model, world) => {
      const { expected, answer: pending } = step.run(model, world, instanceOf(world, i));
      const answer = await pending;
      const cookie = cookieAction(answer);
      expect({ status: answer.status, detail: answer.json.detail, cookie }).toEqual({
        status: expected.status,
        detail: expected.detail,
        cookie: expected.cookie,
      });
      if (expected.issued !== undefined) learn(model, expected.issued, refreshTokenOf(answer) ?? '');
      expect(await tables(model, world)).toEqual(picture(model));
    },
    toString: () => `${step.name} on ${i}`,
  };
}

/**
 * One request during which its instance crashes, so many turns of the event loop after it was sent: afterwards all of
 * it has happened, or nothing.
 */
function cutRequest(step: Step, i: number, turns: number): Command {
  return {
    check: (model) => step.isReady?.(model) ?? true,
    run: async (model, world) => {
      const before = structuredClone(model);
      const { expected, answer: pending } = step.run(model, world, instanceOf(world, i));
      const lost = pending.catch(() => undefined);
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await world.crash(i);
      await lost;
      if ((await countEvents(model, world)) + (await countRecords(model, world)) === sizeOf(before)) {
        // A logout or a theft without any row of its own is visible by its event; a rotation by its record.
        Object.assign(model, before);
      } else if (expected.issued !== undefined) await learnLost(model, world, expected.issued);
      expect(await tables(model, world)).toEqual(picture(model));
    },
    toString: () => `${step.name} on ${i}, which crashes after ${turns} turns`,
  };
}

function crash(i: number): Command {
  return {
    check: () => true,
    run: (_model, world) => world.crash(i),
    toString: () => `crash of ${i}`,
  };
}

function pass(seconds: number): Command {
  return {
    check: () => true,
    run: async (_model, { clock }) => clock.advance(seconds),
    toString: () => `${seconds} s pass`,
  };
}

function instanceOf({ instances }: World, i: number): Instance {
  const instance = instances[i];
  if (instance === undefined) throw new Error('no such instance');
  return instance;
}

function learn(model: Model, { user, family, expiresAt }: NonNullable<Expected['issued']>, jwt: string): void {
  const { jti, sub, sid } = claimsOf(jwt);
  expect(sub).toBe(user);
  if (family === undefined) expect(model.tokens.map((token) => token.family)).not.toContain(sid);
  else expect(sid).toBe(family);
  model.tokens.push({ jwt, jti: String(jti), user, family: String(sid), revoked: false, expiresAt });
}

/** The new record of an answer that was lost: nobody holds its token, but it counts for its family. */
async function learnLost(model: Model, { rows }: World, issued: NonNullable<Expected['issued']>): Promise<void> {
  const known = model.tokens.map(({ jti }) => jti);
  const [row] = await rows<{ jti: string; family_id: string }>(
    'select jti, family_id from refresh_tokens where user_id = $1 and jti <> all($2)',
    [issued.user, known],
  );
  if (row === undefined) throw new Error('issued, but not stored');
  const { user, expiresAt } = issued;
  model.tokens.push({ jwt: undefined, jti: row.jti, user, family: row.family_id, revoked: false, expiresAt });
}

const idsOf = (model: Model): string[] => model.users.map(({ id }) => id);
const sizeOf = (model: Model): number => model.events.length + model.tokens.length;

async function countRecords(model: Model, { rows }: World): Promise<number> {
  const [row] = await rows<{ count: number }>(
    'select count(*)::int as count from refresh_tokens where user_id = any($1)',
    [idsOf(model)],
  );
  return row?.count ?? 0;
}

const EVENTS = `from audit_events
  where event_type not like 'user_%' and (user_id = any($1) or (user_id is null and created_at >= $2))`;

async function countEvents(model: Model, { rows, clock }: World): Promise<number> {
  const [row] = await rows<{ count: number }>(`select count(*)::int as count ${EVENTS}`, [
    idsOf(model),
    startOf(clock),
  ]);
  return row?.count ?? 0;
}

/** When the run began: events without a user differ by their time alone. */
const starts = new WeakMap<HandClock, Date>();
const startOf = (clock: HandClock): Date | undefined => starts.get(clock);
export const beginRun = (clock: HandClock): void => void starts.set(clock, clock.now());

/** What the tables say of these users. */
async function tables(model: Model, { rows, clock }: World): Promise<unknown> {
  const ids = [idsOf(model)];
  const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;
  const users = `select id, failed_login_attempts as failures, ${ms('locked_until')} as "lockedUntil",
    ${ms('last_login_at')} as "lastLogin" from users where id = any($1) order by id`;
  const tokens = `select jti, user_id as user, family_id as family, revoked, ${ms('expires_at')} as "expiresAt"
    from refresh_tokens where user_id = any($1) order by jti`;
  const events = await rows<{ event: string }>(
    `select event_type || ' ' || coalesce(user_id::text, 'null') as event ${EVENTS}`,
    [...ids, startOf(clock)],
  );
  return {
    users: await rows(users, ids),
    tokens: await rows(tokens, ids),
    events: events.map(({ event }) => event).sort(),
  };
}

/** What the tables should say. */
function picture({ users, tokens, events }: Model): unknown {
  return {
    users: users.map(({ email: _email, ...user }) => user).sort((a, b) => (a.id < b.id ? -1 : 1)),
    tokens: tokens.map(({ jwt: _jwt, ...token }) => token).sort((a, b) => (a.jti < b.jti ? -1 : 1)),
    events: [...events].sort(),
  };
}

const instance = fc.nat({ max: 1 });
const age = fc.nat({ max: 7 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.nat({ max: 1 }).map((who) => loginStep(who, true)) },
  { weight: 3, arbitrary: fc.nat({ max: 1 }).map((who) => loginStep(who, false)) },
  { weight: 1, arbitrary: fc.constant(unknownStep) },
  { weight: 6, arbitrary: age.map((n) => tokenStep('refresh', n)) },
  { weight: 2, arbitrary: age.map((n) => tokenStep('logout', n)) },
);

const seconds = fc.constantFrom(1, LOCK_SECONDS - 1, LOCK_SECONDS, REFRESH_SECONDS - 1, REFRESH_SECONDS);

/** Requests to either instance, the passing of time, and crashes; mostly requests. */
export const commands: Array<fc.Arbitrary<Command>> = [
  ...Array(24).fill(fc.tuple(step, instance).map(([what, i]) => request(what, i))),
  ...Array(4).fill(seconds.map(pass)),
  instance.map(crash),
  fc.tuple(step, instance, fc.nat({ max: 30 })).map(([what, i, turns]) => cutRequest(what, i, turns)),
];
