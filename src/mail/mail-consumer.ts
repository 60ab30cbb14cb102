/** Mails the links and notices that events of the audit log ask for. (Interface 17) */
import { ACCOUNT_PATH } from '../config/config.js';
import { type Db, only, type RowOf, statement } from '../db/statement.js';
import type { FactorKind } from '../domain/factors.js';
import { addressOfLink, type LinkPurpose } from '../domain/link-purpose.js';
import { isRole, type Role } from '../domain/roles.js';
import type { Consumer, Delivery } from '../outbox/consumer.js';
import type { LoggedEvent } from '../outbox/cursors.js';
import type { Deps } from '../services.js';
import { eraseEmailToken, linkOfChange, linkOfUndo } from './email-links.js';
import { createPrinter, type Mailer, senderOf, TLS_ADVICE } from './mail.js';
import { MAIL_CURSOR, OLDEST_SECONDS, startMailCursor } from './mail-cursor.js';
import {
  eraseMailed,
  eraseOld,
  forgetFailed,
  linkOfRequest,
  type MailedLink,
  type Unmailable,
  waitingLink,
} from './mailed-links.js';
import { readTemplates } from './templates.js';
import { fill, type TextName, type ValuesOfText } from './texts.js';

/** Labels of `auth_gateway_mails_total` */
export const MAIL_OUTCOMES = [
  'delivered',
  'rejected',
  'deferred',
  'sender_refused',
  'authentication',
  'timeout',
  'tls',
  'connection_failed',
  'secret_unreadable',
  'no_user',
  'superseded',
  'taken',
  'limited',
  'expired',
] as const;

type Dependencies = Deps<'clock' | 'config' | 'db' | 'keyring' | 'log' | 'metrics'>;

const mailedUserSql = statement('mailed_user', { id: 'uuid' }, { email: 'text', role: only<Role>('text') })`
  select email, role from users where id = :id and is_active`;

async function findUser(db: Db, id: string): Promise<RowOf<typeof mailedUserSql> | undefined> {
  const [user] = await db.run(mailedUserSql, { id });
  return user;
}

/** What an event means to mail. */
const WANTED = {
  password_reset_requested: 'request',
  password_link_issued: 'link',
  user_password_changed: 'password-changed',
  user_password_set: 'password-changed',
  user_role_changed: 'role-changed',
  factor_added: 'factor-added',
  factor_removed: 'factor-removed',
  factors_reset: 'factors-reset',
  recovery_code_used: 'recovery-code-used',
  email_change_requested: 'email-change',
  email_changed: 'email-undo',
} as const;

type Wanted = (typeof WANTED)[keyof typeof WANTED];

function wantedOf({ event_type, metadata }: LoggedEvent): Wanted | undefined {
  const wanted = Object.hasOwn(WANTED, event_type) ? WANTED[event_type as keyof typeof WANTED] : undefined;
  if (wanted === 'link' && fieldOf(metadata, 'mailed') !== true) return undefined;
  return wanted;
}

const fieldOf = (metadata: unknown, name: string): unknown => (metadata as Record<string, unknown>)[name];

type NoticeName = Exclude<TextName, LinkPurpose | 'email-change' | 'email-undo'>;

/** What a text has in addition to the values of all texts. */
type OwnValues<Name extends TextName> = Omit<ValuesOfText<Name>, 'email' | 'site' | 'app' | 'time' | 'address'>;

const FACTORS: Record<FactorKind, string> = { totp: 'an authenticator app', passkey: 'a passkey' };

function factorIn(metadata: unknown): { factor: string } {
  return { factor: FACTORS[fieldOf(metadata, 'kind') === 'passkey' ? 'passkey' : 'totp'] };
}

const NOTICES: { [Name in NoticeName]: (metadata: unknown, user: { role: Role }) => OwnValues<Name> } = {
  'password-changed': () => ({}),
  'role-changed': (metadata, { role }) => {
    const to = fieldOf(metadata, 'to');
    return { role: isRole(to) ? to : role };
  },
  'factor-added': factorIn,
  'factor-removed': factorIn,
  'factors-reset': () => ({}),
  'recovery-code-used': (metadata) => ({ codes: String(Number(fieldOf(metadata, 'left'))) }),
};

/**
 * @param print writes a line to the terminal, for MAIL=log
 * @throws {MailTemplatesError}, or the database's error
 */
export async function createMailConsumer(
  deps: Dependencies,
  print: (line: string) => void = () => undefined,
): Promise<Consumer> {
  const { clock, config, db, log, metrics } = deps;
  const templates = await readTemplates(config.mail.templates, config.appUrl);
  const publicHost = new URL(config.publicUrl).hostname;
  const mailer = await createMailer(deps, publicHost, print);
  const from = senderOf(config.mail.from ?? `auth-gateway@${publicHost}`);
  await startMailCursor(deps);
  for (const outcome of MAIL_OUTCOMES) metrics.mails.inc({ outcome }, 0);

  const ageSeconds = ({ created_at }: LoggedEvent): number => (clock.now().getTime() - created_at.getTime()) / 1000;

  const send = <Name extends TextName>(
    name: Name,
    event: LoggedEvent,
    email: string,
    own: OwnValues<Name>,
    signal: AbortSignal,
  ): Promise<Delivery> => {
    const site = config.publicAuthority;
    const ofAll = { email, site, app: config.appUrl ?? '', time: inWords(event.created_at), address: askedBy(event) };
    const filled = fill(templates[name], { ...ofAll, ...own });
    return mailer.send({ id: `${event.id}@${publicHost}`, date: clock.now(), from, to: email, ...filled }, signal);
  };

  const sendNotice = async <Name extends NoticeName>(
    name: Name,
    event: LoggedEvent,
    userId: string,
    signal: AbortSignal,
  ): Promise<Delivery> => {
    const user = await findUser(db.admin, userId);
    if (user === undefined) return dropped('no_user');
    return send(name, event, user.email, NOTICES[name](event.metadata, user), signal);
  };

  const sendLink = async (
    event: LoggedEvent,
    userId: string,
    link: MailedLink | Unmailable,
    signal: AbortSignal,
  ): Promise<Delivery> => {
    if (link === 'superseded' || link === 'limited') return dropped(link);
    if (link === 'secret_unreadable') return { kind: 'failed', outcome: link }; // its key may come with the next keyring
    const { email, role, token, purpose, expiresAt } = link;
    const address = addressOfLink(config.setPasswordUrl, token, purpose);
    const delivery = await send(purpose, event, email, { role, link: address, expires: inWords(expiresAt) }, signal);
    if (delivery.kind !== 'failed') await eraseMailed(db.admin, userId, token);
    return delivery;
  };

  const sendEmailLink = async (
    name: 'email-change' | 'email-undo',
    event: LoggedEvent,
    userId: string,
    signal: AbortSignal,
  ): Promise<Delivery> => {
    const link = await (name === 'email-change' ? linkOfChange : linkOfUndo)(deps, userId, event);
    if (link === 'superseded' || link === 'limited' || link === 'taken') return dropped(link);
    if (link === 'secret_unreadable') return { kind: 'failed', outcome: link };
    const { email, current, token, expiresAt } = link;
    const fragment = name === 'email-change' ? 'email' : 'undo';
    const own = {
      link: `${config.publicUrl}${ACCOUNT_PATH}#${fragment}=${token}`,
      expires: inWords(expiresAt),
      current,
    };
    const delivery = await send(name, event, email, own, signal);
    if (delivery.kind !== 'failed') await eraseEmailToken(db.admin, token);
    return delivery;
  };

  return {
    ...(mailer.patience && { patience: mailer.patience }),
    open: async (id) => {
      if (id !== MAIL_CURSOR) return undefined;
      return {
        wants: (event) => wantedOf(event) !== undefined,
        deliver: async (event, signal) => {
          const wanted = wantedOf(event);
          const { user_id: userId } = event;
          if (wanted === undefined || userId === null) return dropped('no_user');
          const oldest = wanted === 'request' ? Math.min(config.resetSeconds, OLDEST_SECONDS) : OLDEST_SECONDS;
          if (ageSeconds(event) > oldest) {
            if (wanted === 'link') await eraseOld(db.admin, userId, event);
            return dropped('expired');
          }
          if (wanted === 'request') {
            const link = await linkOfRequest(deps, userId, event);
            const delivery = await sendLink(event, userId, link, signal);
            // After a timeout the server may have the mail.
            if (delivery.kind === 'failed' && delivery.outcome !== 'timeout')
              await forgetFailed(db.admin, userId, event);
            return delivery;
          }
          if (wanted === 'link') return sendLink(event, userId, await waitingLink(deps, userId), signal);
          if (wanted === 'email-change' || wanted === 'email-undo') return sendEmailLink(wanted, event, userId, signal);
          return sendNotice(wanted, event, userId, signal);
        },
      };
    },
    attempted: (_cursorId, { id: event_id, event_type }, { kind, outcome, status }) => {
      metrics.mails.inc({ outcome });
      const facts = { event_id, event_type, outcome, status };
      if (outcome === 'tls') log.warn(facts, `a mail failed; it will be tried again: ${TLS_ADVICE}`);
      else if (kind === 'failed') log.warn(facts, 'a mail failed; it will be tried again');
      else if (outcome === 'rejected') log.warn(facts, 'a mail was rejected; it will not be tried again');
      else log.debug(facts, kind === 'delivered' ? 'a mail was delivered' : 'a mail was not needed any more');
    },
    close: async () => mailer.close(),
  };
}

/** nodemailer is loaded only for MAIL=smtp. */
async function createMailer(
  { config: { mail } }: Dependencies,
  publicHost: string,
  print: (line: string) => void,
): Promise<Mailer> {
  if (mail.kind !== 'smtp' || mail.smtp === undefined) return createPrinter(print);
  const { createSmtpMailer } = await import('./smtp.js');
  return createSmtpMailer(mail.smtp, publicHost);
}

function dropped(outcome: (typeof MAIL_OUTCOMES)[number]): Delivery {
  return { kind: 'dropped', outcome };
}

/** To the minute, in the one time zone that the gateway knows. */
function inWords(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The address of an operator is not the user's business. */
function askedBy({ ip_address, metadata }: LoggedEvent): string {
  return fieldOf(metadata, 'actor') === undefined ? ip_address : 'an administrator';
}
