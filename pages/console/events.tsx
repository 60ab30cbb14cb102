/** Names of audit events, and whom they are about. */
import type { ComponentChildren } from 'preact';
import { Cut, Foreign, Id } from '../kit/foreign.js';
import { Link, pathTo } from '../kit/location.js';
import type { AuditEventType, EventsQuery } from './operations.js';
import { AUDIT_LOG, pathOfUser } from './paths.js';

export type Event = NonNullable<EventsQuery['auditEvents']>['nodes'][number];

/** `bad`: an attack, or what looks like one. `warn`: a refusal. `quiet`: what needs no look. */
type Tone = 'bad' | 'warn' | 'quiet';

/** Every type of event in words. A missing one does not compile. */
const NAMES: Record<AuditEventType, [name: string, tone?: Tone]> = {
  login_success: ['Login'],
  login_failure: ['Login failed', 'warn'],
  account_locked: ['Login refused: locked', 'warn'],
  token_theft: ['Token theft', 'bad'],
  logout: ['Logout'],
  session_revoked: ['Session ended'],
  session_confirmed: ['Identity confirmed'],
  device_forgotten: ['Device forgotten'],
  factor_added: ['Second factor added'],
  factor_removed: ['Second factor removed'],
  factors_reset: ['Second factors reset'],
  recovery_code_used: ['Recovery code used', 'warn'],
  recovery_codes_renewed: ['Recovery codes renewed'],
  password_change_failed: ['Password change failed', 'warn'],
  password_reset_requested: ['Password reset asked for'],
  password_link_issued: ['Password link issued'],
  user_password_changed: ['Password changed'],
  user_password_set: ['Password set'],
  user_created: ['User created'],
  user_role_changed: ['Role changed'],
  user_email_changed: ['E-mail changed'],
  email_change_requested: ['E-mail change asked for'],
  email_changed: ['E-mail changed by the user'],
  email_change_undone: ['E-mail change taken back', 'warn'],
  notice_sent: ['Notice sent', 'quiet'],
  user_activated: ['User activated'],
  user_deactivated: ['User deactivated'],
  user_unlocked: ['User unlocked'],
  user_deleted: ['User deleted'],
  user_erased: ['User erased'],
  api_key_created: ['API key created'],
  api_key_rotated: ['API key rotated'],
  api_key_revoked: ['API key revoked'],
  cron_key_created: ['Cron key created'],
  cron_key_rotated: ['Cron key rotated'],
  cron_key_revoked: ['Cron key revoked'],
  login_counts_cleared: ['Login counts cleared'],
  keyring_rotated: ['Signing keys rotated'],
  webhook_created: ['Webhook created'],
  webhook_deleted: ['Webhook deleted'],
  webhook_paused: ['Webhook paused'],
  webhook_resumed: ['Webhook resumed'],
  webhook_replayed: ['Webhook replayed'],
  webhook_secret_rotated: ['Webhook secret rotated'],
};

export const EVENT_TYPES = Object.keys(NAMES) as AuditEventType[];

export function isEventType(text: string): text is AuditEventType {
  return Object.hasOwn(NAMES, text);
}

/** `Login failed` */
export function eventName(type: AuditEventType): string {
  return NAMES[type]?.[0] ?? type; // a newer gateway may have more
}

/** An event of the type `token_theft` with `ended_by`: nobody had used the token before, so it is no theft (Interface 5). */
export const ENDED_TOKEN = 'Ended session used again';

function isEndedToken({ eventType, metadata }: Pick<Event, 'eventType' | 'metadata'>): boolean {
  return eventType === 'token_theft' && 'ended_by' in metadata;
}

export function nameOf(event: Event): string {
  return isEndedToken(event) ? ENDED_TOKEN : eventName(event.eventType);
}

export function toneOf(event: Event): Tone | undefined {
  return isEndedToken(event) ? 'quiet' : NAMES[event.eventType]?.[1];
}

export function EventName({ event }: { event: Event }) {
  return <span class={toneOf(event)}>{nameOf(event)}</span>;
}

/** The user whom an event is about, or who has the e-mail that was sent, or that e-mail. */
export function Subject({ event: { user, userId, metadata, userOfEmail: holder } }: { event: Event }) {
  const { email } = metadata;
  if (user !== null) return <Person {...user} />;
  if (userId === null && holder !== null && holder.email === email) return <Person {...holder} />;
  if (typeof email === 'string') return <Cut text={email} />;
  return userId === null ? <>{NOBODY}</> : <UserLink user={null} userId={userId} />;
}

/** @param user null once deleted */
export function UserLink({ user, userId }: { user: { id: string; email: string } | null; userId: string }) {
  if (user !== null) return <Person {...user} />;
  return (
    <>
      deleted user <Id id={userId} />
    </>
  );
}

export function Person({ id, email }: { id: string; email: string }) {
  return (
    <Link to={pathOfUser(id)}>
      <Foreign text={email} />
    </Link>
  );
}

/** The events of an address, or who else it was. */
export function Origin({ ipAddress }: { ipAddress: string }) {
  if (ipAddress === 'cli') return <>the command line</>;
  if (ipAddress === 'gateway') return <>the gateway itself</>;
  return (
    <Link to={pathTo(AUDIT_LOG, { ipAddress })}>
      <Foreign text={ipAddress} />
    </Link>
  );
}

/** All that the event says: the user was deactivated, or there was none. */
const NOBODY = 'no active user with this e-mail';

/** What is to be said of a subject that was no user: they may have been deactivated, or have got the e-mail since. */
export function noteOf({ user, userId, metadata: { email }, userOfEmail: holder }: Event): ComponentChildren {
  if (user !== null || typeof email !== 'string') return undefined;
  if (userId !== null) return 'deleted user';
  if (holder === null) return NOBODY;
  if (holder.email === email) return `${NOBODY} then`;
  return (
    <>
      {NOBODY} then; now <Person {...holder} />
    </>
  );
}
