/** What must not happen if an answer of the database is lost. */
import { isDeepStrictEqual } from 'node:util';
import type { Row } from '../../experiment.js';
import type { Answer } from '../../lab/browser.js';
import type { Loss } from '../../lab/losing-proxy.js';
import { type Act, changesBetween, countRows, type Stand } from './act.js';

export interface Judge {
  /** Loses one answer, and looks at its effect. @throws {Error} if the request did not send the statement */
  tryOnce(stand: Stand, act: Act, how: Omit<Loss, 'statement'>): Promise<void>;
  rows: Row[];
}

/** @param least trials */
export function createJudge(least: number): Judge {
  const row = (what: string): Row => ({
    what: `lost database answers ${what}`,
    trials: 0,
    least,
    violations: 0,
    examples: [],
  });
  const answered = row('not answered 503 with the cookie untouched');
  const repeated = row('whose statement was sent again, or executed other than once');
  const thefts = row('taken for a theft');
  const next = row("after which the client's next step was answered other than documented");
  return {
    rows: [answered, repeated, thefts, next],
    tryOnce: async (stand, act, how) => {
      const count = (row: Row, isRight: boolean, seen: string): void => {
        row.trials += 1;
        if (isRight) return;
        row.violations += 1;
        row.examples?.push(`${stand.name}, ${act.name}, ${how.when}: ${seen}`);
      };
      const isDone = how.when === 'executed';
      const expected = isDone ? act.once : {};

      const trial = await act.prepare(stand);
      const before = await countRows(stand.db);
      const { result: answer, attempts } = await stand.losing({ ...how, statement: act.statement }, trial.ask);
      const changes = changesBetween(before, await countRows(stand.db));
      count(answered, isUnavailable(answer), shown(answer));
      const isOnce = attempts === 1 && isDeepStrictEqual(changes, expected);
      count(repeated, isOnce, `sent ${attempts} times, ${JSON.stringify(changes)}`);
      count(thefts, changes['token_theft'] === expected['token_theft'], `${changes['token_theft'] ?? 0} events`);
      const steps = await trial.next(isDone);
      const wrong = steps.filter(([, isRight]) => !isRight).map(([step]) => shown(step));
      count(next, wrong.length === 0, wrong.join(', then '));
    },
  };
}

/** The 503 of Interface 5, or the error of Interface 7 */
function isUnavailable({ status, cookie, device, body }: Answer): boolean {
  // biome-ignore lint/suspicious/noExplicitAny: an error of GraphQL, if there is one
  const [error] = (body['errors'] ?? []) as any[];
  const hasReason = (error?.extensions ?? body).reason === 'unavailable';
  return status === 503 && hasReason && cookie === undefined && device === undefined;
}

function shown({ status, cookie, body }: Answer): string {
  const action = cookie === undefined ? 'untouched' : cookie === '' ? 'cleared' : 'set';
  return `${status} ${body['reason'] ?? ''}, cookie ${action}`;
}
