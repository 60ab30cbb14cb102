/** Carries out behaviours of the model on real gateways, statement by statement, and compares answers and tables after each. */
import { createHash } from 'node:crypto';
import {
  type Answer,
  claimsOf,
  type Instance,
  logIn,
  refreshTokenOf,
  startGateway,
  startInstance,
} from '../../test/support/gateway/gateway.js';
import { logout, refresh } from '../../test/support/gateway/routes.js';
import { retryField } from '../../test/support/independent/retries.js';
import { through } from '../../test/support/postgres/bridge.js';
import { type Step, startStepper } from './stepper.js';

/** As `rotation.pml` numbers them. */
const STEPS = ['', 'sent', 'started', 'waits', 'woke', 'woke empty', 'empty', 'committed', 'read', 'answered'] as const;
const STATEMENTS = ['', 'rotate', 'retry', 'classify_unrotated', 'revoke_record'];
const LOGOUT = 2;
const ANSWERS = ['', 'granted', 'retried', 'refused', 'done'];
/** After which a behaviour has more numbers */
const MORE: Record<string, number> = { sent: 3, committed: 1 };
const STATES = ['none', 'live', 'rotated', 'retryless', 'logout', 'token_theft'];

interface Event {
  what: (typeof STEPS)[number];
  slot: number;
  value: number;
  more: number[];
}

/** @param line numbers that the model prints of one behaviour */
export function eventsOf(line: string): Event[] {
  const numbers = line.split(' ').slice(1).map(Number);
  const events: Event[] = [];
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0;
    const what = STEPS[Math.floor(code / 1000)] ?? '';
    const count = MORE[what] ?? 0;
    events.push({
      what,
      slot: Math.floor(code / 100) % 10,
      value: code % 100,
      more: numbers.slice(at + 1, at + 1 + count),
    });
    at += count;
  }
  return events;
}

/** Some of them, in which each two neighbouring steps occur that are neighbours in any. */
export function coveringOf(behaviours: readonly string[]): string[] {
  const seen = new Set<string>();
  return behaviours.filter((behaviour) => {
    const steps = eventsOf(behaviour).map(({ what, slot, value }) => ({ slot, step: `${what} ${value}` }));
    const pairs = steps.slice(1).map(({ slot, step }, i) => `${steps[i]?.step} ${steps[i]?.slot === slot} ${step}`);
    const isNew = pairs.some((pair) => !seen.has(pair));
    for (const pair of pairs) seen.add(pair);
    return isNew;
  });
}

export interface Replayer extends AsyncDisposable {
  /** @throws {Error} if the gateways do something else */
  replay(events: readonly Event[]): Promise<void>;
}

/** The model's keys, as numbers: of the attempt, and of the one before; 0 is none. */
function fieldOf(key = 0, previous = 0): { 'refresh-retry'?: string } {
  const bytes = (number: number): Uint8Array => createHash('sha256').update(`key ${number}`).digest();
  return key === 0 ? {} : retryField(bytes(key), previous === 0 ? undefined : bytes(previous));
}

function kindOf({ status, headers }: Answer, isLogout: boolean): string {
  if (status === 401) return 'refused';
  if (status !== 200) return `answered ${status}`;
  if (isLogout) return 'done';
  return headers['refresh-retry'] === undefined ? 'granted' : 'retried';
}

/** Two gateways, each behind a stepper of its own. A slot of the model is one of them. */
export async function startReplayer(): Promise<Replayer> {
  await using begun = new AsyncDisposableStack();
  const env = { REFRESH_RETRY: 'true' };
  const gateway = await startGateway({ env });
  begun.defer(gateway.close);
  const { clock, database, rows } = gateway;
  const isWaiting = async (backend: number): Promise<boolean> => {
    const found = await rows(`select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`, [backend]);
    return found.length > 0;
  };
  const socketPath = `${decodeURIComponent(new URL(database.url).hostname)}/.s.PGSQL.5432`;
  const slots: Array<{ next(): Promise<Step>; instance: Instance }> = [];
  for (let i = 0; i < 2; i += 1) {
    const stepper = begun.use(await startStepper(socketPath, isWaiting));
    const instance = await startInstance({ ...database, url: through(stepper, database.url) }, { clock, env });
    begun.defer(instance.close);
    slots.push({ next: stepper.next, instance });
  }
  const { email } = await gateway.user();
  const ending = begun.move();

  /** @param tokens in the order of the model's records */
  const picture = async (tokens: readonly string[]): Promise<string[]> => {
    const { sid } = claimsOf(tokens[0] ?? '');
    const records = await rows<{ jti: string; state: string; retry_ended: boolean | null }>(
      `select jti, retry_ended, case when revoked then revoked_reason else 'live' end as state
       from refresh_tokens where family_id = $1`,
      [sid],
    );
    const known = tokens.map((token) => claimsOf(token)['jti']);
    const order = (jti: string): number => (known.indexOf(jti) + records.length + 1) % (records.length + 1);
    return records
      .toSorted((one, other) => order(one.jti) - order(other.jti))
      .map(({ state, retry_ended }) => (retry_ended ? 'retryless' : state));
  };

  const replay: Replayer['replay'] = async (events) => {
    clock.advance(1);
    const tokens = [(await logIn(gateway, email)).refreshToken];
    const requests: Array<{ answer: Promise<Answer>; isLogout: boolean } | undefined> = [];
    const steps: Array<Step | undefined> = [];
    for (const { what, slot, value, more } of events) {
      const expectSame = (real: unknown, model: unknown): void => {
        if (String(real) !== String(model))
          throw new Error(`slot ${slot}, ${what}: ${real}, and in the model ${model}`);
      };
      const { instance, next } = slots[slot] as (typeof slots)[number];
      const takes = async (ending: 'done' | 'waits', statement = STATEMENTS[value]): Promise<Step> => {
        const step = await next();
        expectSame(step.name, statement);
        expectSame(await step.start(), ending);
        return step;
      };
      const stepNow = (): Step => {
        const step = steps[slot];
        if (step === undefined) throw new Error(`slot ${slot} has no statement`);
        return step;
      };
      switch (what) {
        case 'sent': {
          const isLogout = Math.floor(value / 10) === LOGOUT;
          const [record = 0, key, previous] = more;
          clock.advance(1);
          const cookie = tokens[record];
          const answer = isLogout ? logout(instance, cookie) : refresh(instance, cookie, fieldOf(key, previous));
          requests[slot] = { answer, isLogout };
          break;
        }
        case 'started':
          steps[slot] = await takes('done');
          break;
        case 'waits':
          steps[slot] = await takes('waits');
          break;
        case 'woke':
          await stepNow().woken();
          break;
        case 'woke empty':
          await stepNow().woken();
          await stepNow().commit();
          break;
        case 'empty':
          await (await takes('done')).commit();
          break;
        case 'read':
          await (await takes('done', 'survivor_of_family')).commit();
          break;
        case 'committed': {
          await stepNow().commit();
          const states = Array.from({ length: 5 }, (_, n) => STATES[Math.floor((more[0] ?? 0) / 6 ** n) % 6]);
          expectSame(
            await picture(tokens),
            states.filter((state) => state !== 'none'),
          );
          break;
        }
        case 'answered': {
          const request = requests[slot];
          const answer = await request?.answer;
          if (request === undefined || answer === undefined) throw new Error('an answer without a request');
          const kind = kindOf(answer, request.isLogout);
          expectSame(kind, ANSWERS[Math.floor(value / 10)]);
          if (kind !== 'granted' && kind !== 'retried') break;
          const token = refreshTokenOf(answer) ?? '';
          const given = value % 10;
          tokens[given] ??= token;
          expectSame(claimsOf(token)['jti'], claimsOf(tokens[given] ?? '')['jti']);
        }
      }
    }
  };
  return { replay, [Symbol.asyncDispose]: () => ending.disposeAsync() };
}
