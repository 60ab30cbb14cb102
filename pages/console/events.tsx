/** Audit events in words: their names, whom they are about, who caused them, and a table of them. */
import { Device } from '../kit/device.js';
import { Cut, Foreign, Id } from '../kit/foreign.js';
import { Link, pathTo } from '../kit/location.js';
import type { Column } from '../kit/table.js';
import { Time } from '../kit/time.js';
import type { AuditEventType, EventsQuery } from './operations.js';
import { AUDIT_LOG, KEYS, pathOfUser, WEBHOOKS } from './paths.js';

export type Event = NonNullable<EventsQuery['auditEvents']>['nodes'][number];

/** `bad`: an attack, or what looks like one. `warn`: a refusal. `quiet`: what needs no look. */
type Tone = 'bad' | 'warn' | 'quiet';

/** Every type of event in words. A missing one does not compile. */
const NAMES: Record<AuditEventType, [name: string, tone?: Tone]> = {
  login_success: ['Login'],
  login_failure: ['Login failed', 'warn'],
  account_locked: ['Login refused: locked', 'bad'],
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
  keyring_rotated: ['Keyring rotated'],
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

export function EventName({ event: { eventType, metadata } }: { event: Pick<Event, 'eventType' | 'metadata'> }) {
  if (eventType === 'token_theft' && 'ended_by' in metadata) return <span class="quiet">{ENDED_TOKEN}</span>;
  return <span class={NAMES[eventType]?.[1]}>{eventName(eventType)}</span>;
}

/** The user whom an event is about, or who has the e-mail that was sent. */
export function Subject({ event }: { event: Event }) {
  const { user, userId, metadata, entityType, entityId } = event;
  if (user !== null) {
    return (
      <Link to={pathOfUser(user.id)}>
        <Foreign text={user.email} />
      </Link>
    );
  }
  if (entityType === 'user') {
    const email = metadata['email'];
    const isText = typeof email === 'string';
    if (userId === null) return isText ? <NobodyThen email={email} holder={event.userOfEmail} /> : <NoActiveUser />;
    return (
      <>
        {isText && <Cut text={email} />} <span class="quiet">deleted user</span> {!isText && <Id id={userId} />}
      </>
    );
  }
  if (entityId === null) return <span class="quiet">The keyring</span>;
  const path = entityType === 'webhook' ? pathTo(WEBHOOKS, { id: entityId }) : pathTo(KEYS, { id: entityId });
  return (
    <>
      {nameOfKey(metadata)}{' '}
      <Link to={path}>
        <Id id={entityId} />
      </Link>
    </>
  );
}

interface NobodyThenProps {
  /** As it was sent */
  email: string;
  /** Who has it now, or had it last; they may have been deactivated at the time of the event, or have got it since */
  holder: Event['user'];
}

function NobodyThen({ email, holder }: NobodyThenProps) {
  if (holder === null) {
    return (
      <>
        <Cut text={email} /> <NoActiveUser />
      </>
    );
  }
  const link = (
    <Link to={pathOfUser(holder.id)}>
      <Foreign text={holder.email} />
    </Link>
  );
  if (holder.email === email) {
    return (
      <>
        {link} <NoActiveUser /> <span class="quiet">then</span>
      </>
    );
  }
  return (
    <>
      <Cut text={email} /> <NoActiveUser /> <span class="quiet">then; now</span> {link}
    </>
  );
}

/** All that the event says: the user was deactivated, or there was none. */
function NoActiveUser() {
  return <span class="quiet">no active user with this e-mail</span>;
}

function nameOfKey({ service_name: service, host }: Event['metadata']) {
  const name = service ?? host;
  return typeof name === 'string' ? <Cut text={name} characters={40} /> : null;
}

/** Who made a change; the person themselves, if it is no change of an operator. */
export function ActorName({ event }: { event: Event }) {
  const { actor } = event;
  if (actor === null) return <span class="quiet">–</span>;
  if (actor.callerType === 'cli') return <>Command line</>;
  if (actor.user !== null) {
    return (
      <Link to={pathOfUser(actor.user.id)}>
        <Foreign text={actor.user.email} />
      </Link>
    );
  }
  const kind = actor.callerType === 'user' ? 'deleted user' : 'key';
  return (
    <>
      <span class="quiet">{kind}</span> {actor.id !== null && <Id id={actor.id} />}
    </>
  );
}

/** Metadata that other columns show */
const SHOWN = ['actor', 'email', 'service_name', 'host'];

/** The remaining facts of an event, such as `role: admin`. */
export function Facts({ event }: { event: Event }) {
  const hidden = event.sessionId === null ? SHOWN : [...SHOWN, 'family_id'];
  const facts = Object.entries(event.metadata).filter(([name]) => !hidden.includes(name));
  return (
    <ul class="facts">
      {facts.map(([name, value]) => (
        <li key={name}>
          <span class="quiet">{name.replaceAll('_', ' ')}:</span>{' '}
          <Cut text={typeof value === 'string' ? value : JSON.stringify(value)} />
        </li>
      ))}
      {event.sessionId !== null && (
        <li>
          <span class="quiet">session:</span>{' '}
          <Link to={pathTo(AUDIT_LOG, { sessionId: event.sessionId })}>
            <Id id={event.sessionId} />
          </Link>
        </li>
      )}
    </ul>
  );
}

const WHEN: Column<Event> = { name: 'Time', width: 'narrow', cell: ({ createdAt }) => <Time at={createdAt} isExact /> };
const WHAT: Column<Event> = { name: 'Event', width: 'narrow', cell: (event) => <EventName event={event} /> };
const WHOM: Column<Event> = { name: 'About', cell: (event) => <Subject event={event} /> };
const WHO: Column<Event> = { name: 'By', cell: (event) => <ActorName event={event} /> };
const FROM: Column<Event> = {
  name: 'From',
  cell: ({ ipAddress, userAgent }) => (
    <>
      {ipAddress === 'cli' ? (
        'Command line'
      ) : (
        <Link to={pathTo(AUDIT_LOG, { ipAddress })}>
          <Foreign text={ipAddress} />
        </Link>
      )}
      {userAgent !== null && (
        <div class="quiet">
          <Device userAgent={userAgent} />
        </div>
      )}
    </>
  ),
};
const DETAILS: Column<Event> = { name: 'Details', cell: (event) => <Facts event={event} /> };

export const EVENT_COLUMNS = [WHEN, WHAT, WHOM, WHO, FROM, DETAILS];

/** On the page of the user whom all events are about */
export const EVENT_COLUMNS_OF_USER = [WHEN, WHAT, WHO, FROM, DETAILS];
