/** Proofs that the gateway wants again before a change: this page asks for one, then goes on by itself. (Interface 20) */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { AuthError } from '../../client/src/browser.js';
import { Problem } from './problem.js';

/** The gateway makes the change only after a new proof. */
export class ProofWanted extends Problem {
  /** @param needsFactor the password is not enough */
  constructor(
    message: string,
    readonly needsFactor: boolean,
  ) {
    super(message, false, 'confirmation_required');
  }
}

/** The reason if nobody has given the proof */
export const NOT_CONFIRMED = 'not_confirmed';

export function notConfirmed(): Problem {
  return new Problem('Nothing was changed.', false, NOT_CONFIRMED);
}

interface Question {
  needsFactor: boolean;
  /** What the proof is for, if there is more to say than that */
  purpose?: ComponentChildren;
  /** @throws {Problem} with the reason `not_confirmed` if it was cancelled */
  answer: Promise<void>;
  /** @param problem undefined once it is proved */
  close(problem?: Problem): void;
}

/** What the dialog of `confirm-dialog.tsx` asks */
export const question = signal<Question | undefined>();

/**
 * Does it; if the gateway wants a proof first, asks for one and does it again.
 * @throws {Problem} with the reason `not_confirmed` if that was cancelled
 */
export async function confirmed<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isWanted = error instanceof ProofWanted;
    if (!isWanted && !(error instanceof AuthError && error.reason === 'confirmation_required')) throw error;
    await askForProof(error.needsFactor ?? false);
    return act();
  }
}

/** One question at a time: those who ask at once share its answer. */
export function askForProof(needsFactor: boolean, purpose?: ComponentChildren): Promise<void> {
  const open = question.peek();
  if (open !== undefined) return open.answer;
  const { promise, resolve, reject } = withResolvers();
  const close = (problem?: Problem): void => {
    if (question.peek()?.answer !== promise) return;
    question.value = undefined;
    if (problem === undefined) resolve();
    else reject(problem);
  };
  question.value = { needsFactor, purpose, answer: promise, close };
  return promise;
}

/** `Promise.withResolvers`, which browsers of 2023 lack. */
function withResolvers() {
  let [resolve, reject] = [(): void => undefined, (_error: Problem): void => undefined];
  const promise = new Promise<void>((done, failed) => {
    [resolve, reject] = [done, failed];
  });
  return { promise, resolve, reject };
}
