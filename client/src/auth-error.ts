/** Interface 13: why the gateway did not do what it was asked. */
export class AuthError extends Error {
  override readonly name = 'AuthError';

  /**
   * @param status of the answer, 0 where none came
   * @param detail the gateway's sentence (`detail` of its body), or one of ours
   * @param retryAfterSeconds of `Retry-After`
   */
  constructor(
    readonly status: number,
    readonly detail = 'No answer',
    readonly retryAfterSeconds?: number,
  ) {
    super(detail);
  }
}
