/** A field of a request that the gateway refuses. */
export interface FieldError {
  field: string;
  /** Begins with "must" */
  message: string;
  /** Of a rule for passwords: `too_short`, `too_long`, `current`, `context`, `common` or `breached` */
  reason?: string;
}

/**
 * `refused`: the gateway's own answer, with its `reason`. `unexpected`: an answer of something else, such as a proxy or
 * another server. `late`: no answer in time. `offline`: no answer, since there is no network or the browser forbids the call.
 */
export type AuthErrorKind = 'refused' | 'unexpected' | 'late' | 'offline';

/** Interface 13: a request to the gateway that failed or was refused. */
export class AuthError extends Error {
  override readonly name = 'AuthError';

  /**
   * @param status HTTP status, or 0 without an answer
   * @param detail if refused, `detail` of the answer, otherwise a sentence of this client
   * @param retryAfterSeconds the value of `Retry-After`
   * @param reason if refused, `reason` of the answer, such as `invalid_credentials`
   * @param errors `errors` of a 422
   * @param needsFactor with the reason `confirmation_required`: a factor is needed, not the password
   */
  constructor(
    readonly kind: AuthErrorKind,
    readonly status = 0,
    readonly detail = status ? `Unexpected answer with status ${status}` : 'No answer',
    readonly retryAfterSeconds?: number,
    readonly reason?: string,
    readonly errors?: readonly FieldError[],
    readonly needsFactor?: boolean,
  ) {
    super(detail);
  }
}
