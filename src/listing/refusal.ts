import type { PasswordFaultReason } from '../credentials/passwords/password-rules.js';
import type { NeededProof } from '../domain/standing.js';

/** Why an administrative change or listing is refused. Thrown inside the transaction, which rolls it back. */
export type AdminRefusalReason =
  | PasswordFaultReason
  | 'scope_missing'
  | 'second_factor_required'
  | 'confirmation_required'
  | 'every_scope_needed'
  | 'caller_inactive'
  | 'user_unknown'
  | 'user_inactive'
  | 'session_unknown'
  | 'device_unknown'
  | 'key_unknown'
  | 'webhook_unknown'
  | 'event_unknown'
  | 'event_not_wanted'
  | 'webhooks_off'
  | 'webhook_target_refused'
  | 'too_many_webhooks'
  | 'email_taken'
  | 'last_administrator'
  | 'two_secrets_live'
  | 'invalid_email'
  | 'invalid_password'
  | 'invalid_service_name'
  | 'invalid_scope'
  | 'invalid_rate_limit'
  | 'invalid_overlap'
  | 'invalid_expiry'
  | 'invalid_event_types'
  | 'invalid_time'
  | 'mail_off'
  | 'rate_limited'
  | 'invalid_page'
  | 'invalid_ids'
  | 'invalid_lines'
  | 'invalid_span'
  | 'invalid_time_zone'
  | 'too_much_to_read';

interface Details extends Partial<NeededProof> {
  /** Name of the invalid input in Interface 11 */
  argument?: string;
  requiredScope?: string;
}

export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal';
  /** @param message one sentence for the caller; it never repeats a secret */
  constructor(
    readonly reason: AdminRefusalReason,
    message: string,
    readonly details: Details = {},
  ) {
    super(message);
  }
}
