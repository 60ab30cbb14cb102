/** Which events a webhook gets: all, or those that are chosen. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Checkboxes, RadioButtons } from '../../../kit/choice.js';
import type { Problem } from '../../../kit/problem.js';
import { EVENT_TYPES, eventName, isEventType } from '../../events.js';
import type { AuditEventType } from '../../operations.js';

const SUBJECTS = ['Logins and sessions', 'Passwords', 'Second factors', 'Users', 'Keys', 'Webhooks'] as const;

/** A type of event without a subject does not compile. */
const SUBJECT_OF: Record<AuditEventType, (typeof SUBJECTS)[number]> = {
  login_success: 'Logins and sessions',
  login_failure: 'Logins and sessions',
  account_locked: 'Logins and sessions',
  token_theft: 'Logins and sessions',
  logout: 'Logins and sessions',
  session_revoked: 'Logins and sessions',
  device_forgotten: 'Logins and sessions',
  session_confirmed: 'Logins and sessions',
  password_change_failed: 'Passwords',
  password_reset_requested: 'Passwords',
  password_link_issued: 'Passwords',
  user_password_changed: 'Passwords',
  user_password_set: 'Passwords',
  factor_added: 'Second factors',
  factor_removed: 'Second factors',
  factors_reset: 'Second factors',
  recovery_code_used: 'Second factors',
  recovery_codes_renewed: 'Second factors',
  user_created: 'Users',
  user_role_changed: 'Users',
  user_email_changed: 'Users',
  email_change_requested: 'Users',
  email_changed: 'Users',
  email_change_undone: 'Users',
  notice_sent: 'Users',
  user_activated: 'Users',
  user_deactivated: 'Users',
  user_unlocked: 'Users',
  user_deleted: 'Users',
  user_erased: 'Users',
  api_key_created: 'Keys',
  api_key_rotated: 'Keys',
  api_key_revoked: 'Keys',
  cron_key_created: 'Keys',
  cron_key_rotated: 'Keys',
  cron_key_revoked: 'Keys',
  login_counts_cleared: 'Logins and sessions',
  keyring_rotated: 'Keys',
  webhook_created: 'Webhooks',
  webhook_deleted: 'Webhooks',
  webhook_paused: 'Webhooks',
  webhook_resumed: 'Webhooks',
  webhook_replayed: 'Webhooks',
  webhook_secret_rotated: 'Webhooks',
};

/** The fields of a form that `eventTypesOf` reads */
export function EventChoice({ problem }: { problem: Problem | undefined }) {
  const [which, setWhich] = useState('all');
  const said = useRef<HTMLParagraphElement>(null);
  const wrong = problem?.argument === 'eventTypes' ? problem : undefined;
  useEffect(() => {
    if (wrong !== undefined) said.current?.focus();
  }, [wrong]);
  return (
    <>
      <RadioButtons
        legend="Events"
        name="which"
        chosen={which}
        onChoose={setWhich}
        options={[
          { value: 'all', label: 'All, also those of later versions' },
          { value: 'chosen', label: 'Only these' },
        ]}
      />
      {which === 'chosen' && (
        <div class="subjects">
          {SUBJECTS.map((subject) => (
            <Checkboxes
              key={subject}
              legend={subject}
              name="eventTypes"
              look="compact"
              options={EVENT_TYPES.filter((type) => SUBJECT_OF[type] === subject).map((type) => ({
                value: type,
                label: eventName(type),
              }))}
            />
          ))}
        </div>
      )}
      <p class="error" ref={said} tabIndex={-1} role="alert">
        {wrong?.message}
      </p>
    </>
  );
}

/** @returns null for all */
export function eventTypesOf(form: FormData): AuditEventType[] | null {
  if (form.get('which') === 'all') return null;
  return form.getAll('eventTypes').map(String).filter(isEventType);
}
