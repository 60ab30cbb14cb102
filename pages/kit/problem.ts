/** Why an answer is not there, in a sentence for the reader. */
export class Problem extends Error {
  override readonly name = 'Problem';

  /**
   * @param isPassing whether asking again later may help
   * @param reason of the gateway's refusal, such as `user_unknown`
   * @param argument the input that is wrong
   */
  constructor(
    message: string,
    readonly isPassing: boolean,
    readonly reason?: string,
    readonly argument?: string,
  ) {
    super(message);
  }
}

/** No answer, or none that says whether the gateway has done what it was asked. */
export class LostAnswer extends Problem {
  constructor(message: string, reason?: string) {
    super(message, true, reason);
  }
}

/** The reason if the form itself refused what is only half typed: it was not sent. */
export const INCOMPLETE = 'incomplete';

/** A problem as it is. Any other error is a bug, of which a reader needs to know no more. */
export function shownProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem('Something went wrong in this page.', false);
}
