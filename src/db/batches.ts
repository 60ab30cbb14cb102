/**
 * Many calls, one statement. A statement costs PostgreSQL and the driver about as much for 64 rows as for two, so calls that
 * wait at the same time are sent together. A statement declares a second form with `batched`, and callers run it as any other.
 * Seven statements have one: a rotation, a revocation, the admission of a signed request, the reading of a live session, the
 * two of a login by a passkey, and the count of a rate limit. No eighth joins without a measurement that shows its gain.
 *
 * A call joins the queue of its statement. A lane that is free takes what is there; while its answer is awaited, the next
 * calls gather. A call that is alone runs the statement's own form, so an idle gateway is as fast as without batches.
 */
import type pg from 'pg';
import type { Budget } from '../platform/budget.js';
import { utcText } from '../platform/clock.js';
import { isPlanStale } from './outage.js';
import { onConnection } from './run.js';
import type { Batch, Db } from './statement.js';

/** Calls in one statement, at most. */
const MAX_BATCH = 64;
/** A lane that has no answer by then no longer holds back the next calls: milliseconds. */
const PATIENCE_MS = 100;

/** The values of all calls, by parameter. JSON is text: see `valuesOf`. */
function arraysOf({ order, json, parameters }: Batch, calls: readonly Call[]): unknown[] {
  return order.map((name) => {
    const text = UNQUOTED[parameters[name] ?? ''];
    if (text !== undefined)
      return `{${calls.map(({ values }) => (values[name] === null ? 'NULL' : text(values[name])))}}`;
    return calls.map(({ values }) => (json.has(name) ? JSON.stringify(values[name]) : values[name]));
  });
}

/** Elements that need no quotes in an array's text: the driver would search each for characters that they never have. */
const UNQUOTED: Record<string, (value: unknown) => string> = {
  'uuid[]': String,
  'timestamptz[]': (value) => utcText((value as Date).getTime()),
};

type Row = Record<string, unknown>;

interface Call {
  values: Record<string, unknown>;
  budget: Budget;
  /** Runs the statement's own form */
  alone(): Promise<Row[]>;
  resolve(rows: Row[] | PromiseLike<Row[]>): void;
  reject(error: unknown): void;
}

/**
 * SQLSTATE classes and codes after which PostgreSQL has certainly done nothing, for a reason that may lie with one of the
 * calls: bad data, a constraint, a rollback, a lock. After any other error nobody knows what was committed.
 */
const NOTHING_DONE = /^(22|23|40(?!003)|55P03)/;

function isUndoneForAll(error: unknown): boolean {
  if (isPlanStale(error)) return true;
  return error instanceof Error && 'code' in error && NOTHING_DONE.test(String(error.code));
}

/** Runs statements; those that have a batch, in a queue. @param single runs one statement within the budget */
export type RunBatched = (budget: Budget, single: Db) => Db;

export function createBatches(pool: pg.Pool): RunBatched {
  const queues = new Map<Batch, (call: Call) => void>();
  const queueOf = (batch: Batch): ((call: Call) => void) => {
    const queue = queues.get(batch) ?? createQueue(pool, batch);
    queues.set(batch, queue);
    return queue;
  };
  return (budget, single) => ({
    run: (statement, values) => {
      const alone = () => single.run(statement, values);
      const { batch } = statement;
      if (batch === undefined) return alone();
      const join = queueOf(batch);
      const together = () => new Promise<Row[]>((resolve, reject) => join({ values, budget, alone, resolve, reject }));
      return budget.spend(together as typeof alone);
    },
  });
}

function createQueue(pool: pg.Pool, batch: Batch): (call: Call) => void {
  let waiting: Call[] = [];
  let freeLanes = batch.lanes;

  /** The next batch, when it can be sent at once. Rejects calls whose budget is used up. */
  const take = (): Call[] => {
    const taken = new Map<unknown, Call>();
    const left: Call[] = [];
    for (const call of waiting) {
      const identity = batch.identity(call.values);
      if (taken.size === MAX_BATCH || taken.has(identity)) left.push(call);
      else if (mayGoOn(call)) taken.set(identity, call);
    }
    waiting = left;
    return [...taken.values()];
  };

  const sendTogether = async (): Promise<void> => {
    let calls: Call[] = [];
    try {
      const answers = await onConnection(pool, (client) => {
        calls = take();
        return async () => {
          if (calls.length === 0) return [];
          return (await client.query({ name: batch.name, text: batch.text, values: arraysOf(batch, calls) })).rows;
        };
      });
      const rows = new Map(answers.map(({ n, ...row }) => [n, row]));
      for (const [i, call] of calls.entries()) {
        const row = rows.get(i + 1);
        call.resolve(row === undefined ? call.alone() : [row]);
      }
    } catch (error) {
      if (calls.length === 0) calls = take(); // there was no connection
      const isUndone = isUndoneForAll(error);
      for (const call of calls) isUndone ? call.resolve(call.alone()) : call.reject(error);
    }
  };

  const sendAlone = async (call: Call): Promise<void> => {
    const rows = call.alone();
    call.resolve(rows);
    await rows.catch(() => undefined);
  };

  const beginNext = (): void => {
    if (freeLanes === 0) return;
    const [first, second] = waiting;
    if (first === undefined) return;
    if (second === undefined) waiting = [];
    freeLanes -= 1;
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      clearTimeout(patience);
      freeLanes += 1;
      beginNext();
    };
    const patience = setTimeout(release, PATIENCE_MS);
    void (second === undefined ? sendAlone(first) : sendTogether()).then(release);
  };

  return (call) => {
    waiting.push(call);
    beginNext();
  };
}

function mayGoOn({ budget, reject }: Call): boolean {
  try {
    budget.check();
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}
