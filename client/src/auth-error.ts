import type { FieldError } from './types.js';

/** Interface 13: a request to the gateway that failed or was refused. */
export class AuthError extends Error {
  override readonly name = 'AuthError';

  /**
   * @param status HTTP status, or 0 without an answer
   * @param detail `detail` of the gateway's answer, or a sentence of this client
   * @param retryAfterSeconds the value of `Retry-After`
   * @param reason `reason` of the answer to `changePassword`, such as `current_password_wrong`
   * @param errors `errors` of a 422
   */
  constructor(
    readonly status: number,
    readonly detail = 'No answer',
    readonly retryAfterSeconds?: number,
    readonly reason?: string,
    readonly errors?: readonly FieldError[],
  ) {
    super(detail);
  }
}
