/** Why an administrative change or listing is refused. Thrown inside its transaction, so that nothing of it stays. */
export type AdminRefusalReason =
  | 'forbidden'
  | 'user_unknown'
  | 'session_unknown'
  | 'key_unknown'
  | 'email_taken'
  | 'invalid_email'
  | 'invalid_password'
  | 'invalid_service_name'
  | 'invalid_scope'
  | 'invalid_rate_limit'
  | 'invalid_overlap'
  | 'invalid_page'
  | 'too_much_to_read'
  | 'last_administrator';

export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal';
  /** @param message one sentence for whoever asked; it repeats no secret */
  constructor(
    readonly reason: AdminRefusalReason,
    message: string,
  ) {
    super(message);
  }
}
