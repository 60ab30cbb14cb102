/** Each event of the audit log as a sentence, and its details in words. */
import type { ComponentChildren } from 'preact';
import { Cut, Foreign, Id } from '../kit/foreign.js';
import { Link, pathTo } from '../kit/location.js';
import { durationText, Time } from '../kit/time.js';
import { type Event, eventName, isEventType, nameOf, noteOf, Person, Subject, toneOf } from './events.js';
import type { AuditEventType } from './operations.js';
import { KEYS, WEBHOOKS } from './paths.js';

/**
 * `{name}` is the actor, the user, the key or webhook (`entity`), why it was refused, or a field of the metadata.
 * `[…]` is left out if one of its fields is missing, empty or 0; `*…*` has the tone of the event.
 */
type Sentence = string | ((event: Event) => string);

/** For a change of an operator, and for one that has no actor */
const byActor =
  (changed: string, happened: string): Sentence =>
  ({ actor }) =>
    actor === null ? happened : changed;

/** For a change of users to what is their own, and to that of others */
const own =
  (ofThemselves: string, ofOthers: string): Sentence =>
  ({ actor, userId }) =>
    actor?.id === userId ? ofThemselves : ofOthers;

/** A missing type of event does not compile. */
const SENTENCES: Record<AuditEventType, Sentence> = {
  login_success: '{user} logged in[ with {factor}]',
  login_failure: '*Login refused* for {user}: {why}',
  account_locked: '*Login refused* for {user}: locked[ {by}][ until {locked_until}]',
  token_theft: ({ metadata }) =>
    'ended_by' in metadata
      ? '*Ended session used again*, of {user}: it had ended by {ended_by}'
      : '*Token theft* from {user}: a used token came again, so its session was ended',
  logout: '{user} logged out',
  session_revoked: own('{actor} ended one of their own sessions', '{actor} ended a session of {user}'),
  session_confirmed: '{user} confirmed who they are[ with {factor}]',
  device_forgotten: own(
    '{actor} made the gateway forget one of their own devices',
    '{actor} made the gateway forget a device of {user}',
  ),
  factor_added: '{user} added {kind} as a second factor',
  factor_removed: '{user} removed {kind} as a second factor',
  factors_reset: '{actor} reset the second factors of {user}[: {factors} removed][, {sessions_ended} ended]',
  recovery_code_used: '{user} logged in with *a recovery code*[: {left} left]',
  recovery_codes_renewed: '{user} replaced their recovery codes',
  password_change_failed: '*Password change refused* for {user}: wrong current password',
  password_reset_requested: 'Somebody asked to reset the password of {user}[: {note}]',
  password_link_issued: byActor('{actor} issued {purpose} for {user}[, {mailed}]', '{user} was mailed {purpose}'),
  user_password_changed: '{user} changed their password[: {sessions_ended} ended]',
  user_password_set: byActor(
    '{actor} set the password of {user}[: {sessions_ended} ended]',
    '{user} set a password by {purpose}[: {sessions_ended} ended]',
  ),
  user_created: '{actor} created {user} as {role}',
  user_role_changed: '{actor} changed the role of {user}: {from} → {to}',
  user_email_changed: '{actor} changed the e-mail of {user}: {from} → {to}',
  email_change_requested: '{user} asked to change their e-mail to {to}',
  email_changed: '{user} changed their e-mail: {from} → {to}',
  email_change_undone: '{user} *took a change of their e-mail back*: {from} → {to}[, {sessions_ended} ended]',
  notice_sent: 'Notice to {user}: {kind}',
  user_activated: '{actor} activated {user}',
  user_deactivated: '{actor} deactivated {user}[: {sessions_ended} ended]',
  user_unlocked: '{actor} unlocked {user}',
  user_deleted: '{actor} deleted {user}[: {sessions_ended} ended]',
  user_erased: '{actor} erased {user}[: {events} changed]',
  api_key_created: '{actor} created the API key {entity}[ with {scopes}]',
  api_key_rotated: '{actor} rotated the API key {entity}[; the old secret works for {overlap_seconds}]',
  api_key_revoked: '{actor} revoked the API key {entity}',
  cron_key_created: '{actor} created the cron key {entity}[ with {scopes}]',
  cron_key_rotated: '{actor} rotated the cron key {entity}[; the old secret works for {overlap_seconds}]',
  cron_key_revoked: '{actor} revoked the cron key {entity}',
  login_counts_cleared: ({ metadata }) =>
    `{actor} cleared the login counts of ${metadata['ip_address'] === null ? 'all addresses' : '{ip_address}'}`,
  keyring_rotated: '{actor} rotated the signing keys',
  webhook_created: '{actor} created the webhook {entity}',
  webhook_deleted: '{actor} deleted the webhook {entity}',
  webhook_paused: byActor(
    '{actor} paused the webhook {entity}',
    'The webhook {entity} was paused: its receiver answered 410 Gone',
  ),
  webhook_resumed: '{actor} resumed the webhook {entity}',
  webhook_replayed: '{actor} made the webhook {entity} send all events since {since}',
  webhook_secret_rotated:
    '{actor} rotated the secret of the webhook {entity}[; the old one signs too for {overlap_seconds}]',
};

const FACTORS = { totp: 'an authenticator app', passkey: 'a passkey', recovery_code: 'a recovery code' };

/** Fields of the metadata, with words for their values, or how they are shown. */
const FIELDS: Record<string, [name: string, words?: Record<string, string> | ((value: unknown) => ComponentChildren)]> =
  {
    actor: ['Actor'],
    added: ['Added signing keys'],
    by: [
      'By',
      {
        account: 'for every device',
        device: 'for this device alone',
        request: 'request of the user',
        link: 'a link',
        receiver: 'the receiver',
      },
    ],
    cleared: ['Cleared counts'],
    device_id: ['Device id'],
    dropped: ['Removed signing keys'],
    email: ['E-mail'],
    ended_by: [
      'Ended by',
      {
        logout: 'a logout',
        session_revoked: 'its user or an administrator',
        user_deactivated: 'deactivation of the user',
        user_password_set: 'a new password',
        factors_reset: 'a reset of second factors',
        email_change_undone: 'an e-mail change that was taken back',
        user_deleted: 'deletion of the user',
      },
    ],
    event_types: [
      'Events',
      (value) => (Array.isArray(value) ? value.map((type) => eventName(type)).join(', ') : 'all events'),
    ],
    events: ['Changed events', (value) => counted(value, 'event')],
    expires_at: ['Expires', timeOf],
    factor: ['Factor', FACTORS],
    factor_id: ['Factor id'],
    factors: ['Removed factors', (value) => counted(value, 'factor')],
    family_id: ['Session id'],
    first: ['First password'],
    from: ['Before'],
    host: ['Host'],
    include_emails: ['With e-mails'],
    jti: ['Token id'],
    key_id: ['Key id'],
    kind: [
      'Kind',
      {
        ...FACTORS,
        new_login: 'login from a new device',
        account_locked: 'account locked',
        token_theft: 'token theft',
        password_changed: 'password changed',
        email_changed: 'e-mail changed',
        role_changed: 'role changed',
        factor_added: 'second factor added',
        factor_removed: 'second factor removed',
        factors_reset: 'second factors reset',
        recovery_code_used: 'recovery code used',
      },
    ],
    left: ['Recovery codes left'],
    ip_address: ['Address', (value) => textOf(value ?? 'all')],
    locked_until: ['Locked until', timeOf],
    mailed: ['Mailed', { true: 'by mail' }],
    overlap_seconds: [
      'Old secret works for',
      (value) => (typeof value === 'number' ? durationText(value) : textOf(value)),
    ],
    pseudonym: ['Pseudonym'],
    purpose: ['Link', { invitation: 'an invitation', reset: 'a link for a new password' }],
    rate_limit: ['Rate limit', (value) => `${textOf(value)} requests per minute`],
    reason: [
      'Reason',
      { invalid_credentials: 'wrong e-mail or password', current_password_wrong: 'wrong current password' },
    ],
    reused_jti: ['Id of the token that came again'],
    role: ['Role'],
    scopes: ['Scopes'],
    service_name: ['Service'],
    sessions_ended: ['Ended sessions', (value) => counted(value, 'session')],
    since: ['Since', timeOf],
    to: ['After'],
    webhook_id: ['Webhook id'],
  };

function timeOf(value: unknown): ComponentChildren {
  const text = textOf(value);
  return Number.isNaN(Date.parse(text)) ? text : <Time at={text} form="clock" />;
}

function counted(value: unknown, noun: string): string {
  return `${textOf(value)} ${noun}${value === 1 ? '' : 's'}`;
}

function textOf(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function wordsOf(name: string, value: unknown): ComponentChildren {
  const shown = Object.hasOwn(FIELDS, name) ? FIELDS[name]?.[1] : undefined;
  if (typeof shown === 'function') return shown(value);
  const text = textOf(value);
  const words = shown !== undefined && Object.hasOwn(shown, String(value)) ? shown[String(value)] : undefined;
  return words ?? <Cut text={text} />;
}

interface Told {
  event: Event;
  /** The name of a key or a webhook, if an event has it */
  nameOfEntity(id: string): string | undefined;
}

/** `{why}` and the others that are no field */
function partOf({ event, nameOfEntity }: Told, name: string): ComponentChildren {
  if (name === 'actor') return <Actor event={event} nameOfEntity={nameOfEntity} />;
  if (name === 'user') return <Subject event={event} />;
  if (name === 'entity') return <Entity event={event} nameOfEntity={nameOfEntity} />;
  if (name === 'note') return noteOf(event);
  if (name === 'why') return whyRefused(event);
  const value = event.metadata[name];
  const isNothing =
    value === undefined || value === null || value === 0 || (Array.isArray(value) && value.length === 0);
  return isNothing ? undefined : wordsOf(name, value);
}

/** The gateway writes one reason; whom the event is about, and the factor, say more. */
function whyRefused(event: Event): ComponentChildren {
  const { userId, metadata } = event;
  if (userId === null) return noteOf(event) ?? 'wrong e-mail or password';
  const factor = { totp: 'code of the authenticator app', passkey: 'passkey', recovery_code: 'recovery code' }[
    String(metadata['factor'])
  ];
  return `wrong ${factor ?? 'password'}`;
}

/** The sentence of an event; of a newer gateway, the name of its type and its metadata. */
export function EventSentence(told: Told) {
  const { event } = told;
  if (!isEventType(event.eventType)) {
    return (
      <>
        {nameOf(event).replaceAll('_', ' ')}
        {event.entityType === 'user' && (
          <>
            {' '}
            <Subject event={event} />
          </>
        )}
        {Object.entries(event.metadata).map(([name, value]) => (
          <>
            {', '}
            {fieldName(name).toLowerCase()}: {wordsOf(name, value)}
          </>
        ))}
      </>
    );
  }
  const sentence = SENTENCES[event.eventType];
  return <>{drawn(typeof sentence === 'string' ? sentence : sentence(event), told)}</>;
}

function drawn(text: string, told: Told): ComponentChildren[] {
  return text.split(/(\[.*?\]|\*.*?\*|\{\w+\})/).map((piece): ComponentChildren => {
    const inner = piece.slice(1, -1);
    if (piece.startsWith('{')) return partOf(told, inner) ?? 'unknown';
    if (piece.startsWith('*')) return <span class={toneOf(told.event)}>{inner}</span>;
    if (!piece.startsWith('[')) return piece;
    const isWhole = Array.from(inner.matchAll(/\{(\w+)\}/g)).every(([, name = '']) => partOf(told, name) !== undefined);
    return isWhole && drawn(inner, told);
  });
}

/** Who made a change. */
function Actor({ event: { actor }, nameOfEntity }: Told) {
  if (actor === null) return <>Somebody</>;
  if (actor.callerType === 'cli') return <>The command line</>;
  if (actor.user !== null) return <Person {...actor.user} />;
  const kind = { user: 'A deleted user', api_key: 'The API key', cron: 'The cron key' }[actor.callerType];
  return <Named kind={kind} id={actor.id ?? ''} name={nameOfEntity(actor.id ?? '')} />;
}

function Named({ kind, id, name }: { kind: string; id: string; name: string | undefined }) {
  return (
    <>
      {kind} {name === undefined ? <Id id={id} /> : <Foreign text={name} />}
    </>
  );
}

/** The key or the webhook that an event is about. */
function Entity({ event: { entityType, entityId }, nameOfEntity }: Told) {
  if (entityId === null) return null;
  const name = nameOfEntity(entityId);
  return (
    <Link to={pathTo(entityType === 'webhook' ? WEBHOOKS : KEYS, { id: entityId })}>
      {name === undefined ? <Id id={entityId} /> : <Foreign text={name} />}
    </Link>
  );
}

export function nameInMetadata({ metadata: { service_name: service, host } }: Event): string | undefined {
  const name = service ?? host;
  return typeof name === 'string' ? name : undefined;
}

function fieldName(name: string): string {
  const known = Object.hasOwn(FIELDS, name) ? FIELDS[name]?.[0] : undefined;
  return known ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
}

/** What is told elsewhere in the details */
const TOLD = ['actor', 'family_id'];

/** The fields of the metadata in words, and the code of those that are one. */
export function fieldsOf({ metadata, sessionId }: Event): Array<[name: string, value: ComponentChildren]> {
  const hidden = sessionId === null ? ['actor'] : TOLD;
  return Object.entries(metadata)
    .filter(([name]) => !hidden.includes(name))
    .map(([name, value]) => {
      const words = wordsOf(name, value);
      const isCode = typeof value === 'string' && typeof words === 'string' && words !== value;
      return [
        fieldName(name),
        <>
          {words} {isCode && <code class="quiet">{value}</code>}
        </>,
      ];
    });
}

export { Actor as ActorName };
