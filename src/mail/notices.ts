/** Notices: the events that users are told of, to which addresses, and how often. (Interface 17 and 21) */
import type { EventType } from '../audit/events.js';
import type { LoggedEvent } from '../audit/order.js';
import { eventRows, insertEvents } from '../audit/write.js';
import { only, type RowOf, statement } from '../db/statement.js';
import type { FactorKind } from '../domain/factors.js';
import type { NoticeKind } from '../domain/notices.js';
import { isRole, type Role } from '../domain/roles.js';
import type { Delivery } from '../outbox/consumer.js';
import { addSeconds } from '../platform/clock.js';
import { uuidOfPart } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { fieldOf, inWords } from './event-words.js';
import { combined, dropped } from './mail.js';
import { isNewLogin } from './new-logins.js';
import type { OwnValues, TextName } from './texts.js';

const KIND_OF = {
  login_success: 'new_login',
  account_locked: 'account_locked',
  token_theft: 'token_theft',
  user_password_changed: 'password_changed',
  user_password_set: 'password_changed',
  user_email_changed: 'email_changed',
  email_changed: 'email_changed',
  email_change_undone: 'email_changed',
  user_role_changed: 'role_changed',
  factor_added: 'factor_added',
  factor_removed: 'factor_removed',
  factors_reset: 'factors_reset',
  recovery_code_used: 'recovery_code_used',
} as const satisfies { [Type in EventType]?: NoticeKind };

/** Types of events that may ask for one of these notices. */
export function typesOf(notices: readonly NoticeKind[]): EventType[] {
  return (Object.keys(KIND_OF) as Array<keyof typeof KIND_OF>).filter((type) => notices.includes(KIND_OF[type]));
}

const TEXT_OF = {
  new_login: 'new-login',
  account_locked: 'account-locked',
  token_theft: 'token-theft',
  password_changed: 'password-changed',
  email_changed: 'email-changed',
  role_changed: 'role-changed',
  factor_added: 'factor-added',
  factor_removed: 'factor-removed',
  factors_reset: 'factors-reset',
  recovery_code_used: 'recovery-code-used',
} as const satisfies Record<NoticeKind, TextName>;

type TextOf<Kind extends NoticeKind> = (typeof TEXT_OF)[Kind];

/** The kind of notice that an event asks for. Of logins it is not known yet whether they are new. */
export function noticeOf({ event_type, metadata }: LoggedEvent): NoticeKind | undefined {
  if (event_type === 'account_locked' && fieldOf(metadata, 'by') === 'device') return undefined; // of the user's own
  if (event_type === 'token_theft' && fieldOf(metadata, 'ended_by') !== undefined) return undefined; // no theft
  if (event_type === 'user_password_set' && fieldOf(metadata, 'first') === true) return undefined; // of an invitation
  return Object.hasOwn(KIND_OF, event_type) ? KIND_OF[event_type as keyof typeof KIND_OF] : undefined;
}

/** One mail of an event that has several: each has its own Message-ID. */
export interface Recipient {
  email: string;
  part: 1 | 2;
}

/** A change of an e-mail is reported to both, but who changed their own: the former one has the link back, as part 1. */
function recipientsOf({ event_type, metadata }: LoggedEvent, email: string): Recipient[] {
  const [from, to] = [fieldOf(metadata, 'from'), fieldOf(metadata, 'to')].map(String);
  const isChange = ['user_email_changed', 'email_changed', 'email_change_undone'].includes(event_type);
  if (!isChange || from === undefined || to === undefined) return [{ email, part: 1 }];
  const both: Recipient[] = [
    { email: from, part: 1 },
    { email: to, part: 2 },
  ];
  return both.slice(event_type === 'email_changed' ? 1 : 0);
}

const HOUR_SECONDS = 3_600;

const noticedSql = statement(
  'noticed_user',
  { id: 'uuid', kind: 'text', own: 'text[]', since: 'timestamptz' },
  { email: 'text', role: only<Role>('text'), is_limited: 'boolean', sent: 'text[]' },
)`
  select email, role,
    exists (
      select from audit_events
      where user_id = :id and event_type = 'notice_sent' and metadata ->> 'kind' = :kind and created_at > :since
        and audit_events.id <> all(:own::uuid[])
    ) as is_limited,
    array(select audit_events.id::text from audit_events where audit_events.id = any(:own::uuid[])) as sent
  from users where id = :id and is_active`;

const sentSql = statement('notice_sent', { events: 'jsonb' }, {})`${insertEvents()} on conflict do nothing`;

type User = RowOf<typeof noticedSql>;

const FACTORS: Record<FactorKind, string> = { totp: 'an authenticator app', passkey: 'a passkey' };

function factorIn({ metadata }: LoggedEvent): { factor: string } {
  return { factor: FACTORS[fieldOf(metadata, 'kind') === 'passkey' ? 'passkey' : 'totp'] };
}

const VALUES: { [Kind in NoticeKind]: (event: LoggedEvent, user: User) => OwnValues<TextOf<Kind>> } = {
  new_login: () => ({}),
  account_locked: ({ metadata }) => ({ expires: inWords(new Date(String(fieldOf(metadata, 'locked_until')))) }),
  token_theft: () => ({}),
  password_changed: () => ({}),
  email_changed: ({ metadata }) => ({ current: String(fieldOf(metadata, 'to')) }),
  role_changed: ({ metadata }, { role }) => {
    const to = fieldOf(metadata, 'to');
    return { role: isRole(to) ? to : role };
  },
  factor_added: factorIn,
  factor_removed: factorIn,
  factors_reset: () => ({}),
  recovery_code_used: ({ metadata }) => ({ codes: String(Number(fieldOf(metadata, 'left'))) }),
};

type Send = <Name extends TextName>(name: Name, to: Recipient, own: OwnValues<Name>) => Promise<Delivery>;

/**
 * Mails what an event asks for, unless it is no change of an e-mail and the user has had a notice of this kind in the last
 * hour. Each delivered mail is an event, by whose id the next attempt knows it.
 */
export async function deliverNotice<Kind extends NoticeKind>(
  { clock, db }: Deps<'clock' | 'db'>,
  kind: Kind,
  event: LoggedEvent,
  userId: string,
  send: Send,
): Promise<Delivery> {
  const isKnown =
    kind === 'new_login' && !(await isNewLogin(db.admin, userId, event.user_agent ?? '', event.created_at));
  if (isKnown) return dropped('known');
  const since = addSeconds(clock.now(), -HOUR_SECONDS);
  const own = [uuidOfPart(event.id, 1), uuidOfPart(event.id, 2)];
  const [user] = await db.admin.run(noticedSql, { id: userId, kind, own, since });
  if (user === undefined) return dropped('no_user');
  // Each change of an e-mail is news at other addresses. Those of users are few, as their links are limited.
  if (user.is_limited && kind !== 'email_changed') return dropped('limited');
  const waiting = recipientsOf(event, user.email).filter(({ part }) => !user.sent.includes(uuidOfPart(event.id, part)));
  const deliveries = waiting.map(async (to) => {
    const delivery = await send(TEXT_OF[kind], to, VALUES[kind](event, user));
    if (delivery.kind === 'delivered') await db.admin.run(sentSql, { events: sent(event, kind, to.part, clock.now()) });
    return delivery;
  });
  return combined(await Promise.all(deliveries));
}

/** Nobody's request: the gateway itself has no address. */
function sent({ id, user_id: userId }: LoggedEvent, kind: NoticeKind, part: Recipient['part'], at: Date) {
  const event = { eventType: 'notice_sent', userId, ipAddress: 'gateway', userAgent: '', metadata: { kind } } as const;
  return eventRows([event], at).map((row) => ({ ...row, id: uuidOfPart(id, part) }));
}
