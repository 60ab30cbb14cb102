/** Changes whose answer may be lost: nobody knows then whether they were made, until that is read. (Interface 21) */
import { useState } from 'preact/hooks';
import { AuthError } from '../../client/src/browser.js';
import { problemOf } from './graphql.js';
import { readAgain } from './own/own.js';
import { LostAnswer, Problem } from './problem.js';

/** The problem of a change: if its answer is lost, it says so. */
export function changeProblemOf(error: unknown): unknown {
  const problem = problemOf(error);
  if (!(problem instanceof LostAnswer)) return problem;
  const text = `${problem.message} Nobody knows whether this was done: look before you try again.`;
  return new Problem(text, false, problem.reason);
}

/** A refusal after a lost answer: it may be so because the earlier attempt has made the change. */
export class MayBeMade extends Problem {}

/**
 * Makes a change. If its answer is lost, or that of an earlier attempt was, reads whether that has made it.
 * @param find undefined if it was not made, as far as can be read
 * @throws {Problem} or what `make` throws
 */
type Change = <T>(make: () => Promise<T>, find: () => Promise<T | undefined>) => Promise<T>;

/** Remembers a lost answer: the next attempt would be refused, for example because the password is another one by now. */
export function useChange(): Change {
  const [change] = useState(createChange);
  return change;
}

function createChange(): Change {
  let findLost: (() => Promise<unknown>) | undefined;
  return async <T>(make: () => Promise<T>, find: () => Promise<T | undefined>) => {
    let made: T | undefined;
    try {
      made = await make();
    } catch (error) {
      const problem = problemOf(error);
      const isLost = problem instanceof LostAnswer;
      if (isLost) {
        findLost = find;
        readAgain();
      }
      made = (await findLost?.().catch(() => undefined)) as T | undefined;
      if (made === undefined) throw isLost ? changeProblemOf(error) : refusalOf(error, findLost !== undefined);
    }
    findLost = undefined;
    return made;
  };
}

function refusalOf(error: unknown, wasLost: boolean): unknown {
  const problem = problemOf(error);
  const isOfField = error instanceof AuthError && error.errors !== undefined; // it was not tried
  if (!wasLost || isOfField || !(problem instanceof Problem)) return error;
  const text = `${problem.message} An earlier attempt, whose answer was lost, may have worked.`;
  return new MayBeMade(text, problem.isPassing, problem.reason);
}
