/** Why an administrative change or listing is refused. Thrown inside its transaction, so that nothing of it stays. */
export type AdminRefusalReason =
  | 'scope_missing'
  | 'every_scope_needed'
  | 'caller_inactive'
  | 'user_unknown'
  | 'session_unknown'
  | 'key_unknown'
  | 'email_taken'
  | 'last_administrator'
  | 'two_secrets_live'
  | 'invalid_email'
  | 'invalid_password'
  | 'invalid_service_name'
  | 'invalid_scope'
  | 'invalid_rate_limit'
  | 'invalid_overlap'
  | 'invalid_page'
  | 'invalid_span'
  | 'invalid_time_zone'
  | 'too_much_to_read';

interface Details {
  /** The input at fault, by its name in Interface 11 */
  argument?: string;
  /** The scope that is missing */
  requiredScope?: string;
}

export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal';
  /** @param message one sentence for whoever asked; it repeats no secret */
  constructor(
    readonly reason: AdminRefusalReason,
    message: string,
    readonly details: Details = {},
  ) {
    super(message);
  }
}
