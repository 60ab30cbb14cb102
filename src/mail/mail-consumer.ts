/** Mails the links and notices that events of the audit log ask for. (Interface 17) */
import type { LoggedEvent } from '../audit/order.js';
import { ACCOUNT_PATH } from '../config/config.js';
import { addressOfLink } from '../domain/link-purpose.js';
import { type Consumer, type Delivery, showOutcome } from '../outbox/consumer.js';
import type { Deps } from '../services.js';
import { eraseEmailToken, linkOfChange, linkOfUndo } from './email-links.js';
import { inWords, originInWords } from './event-words.js';
import { htmlOf } from './html.js';
import { combined, dropped, MAIL_OUTCOMES, senderIn, TLS_ADVICE } from './mail.js';
import { MAIL_CURSOR, OLDEST_SECONDS, startMailCursor } from './mail-cursor.js';
import { type Link, linkOf, noticeIn } from './mailed-events.js';
import {
  eraseMailed,
  eraseOld,
  forgetFailed,
  linkOfRequest,
  type MailedLink,
  type Unmailable,
  waitingLink,
} from './mailed-links.js';
import { createMailer } from './mailer.js';
import { deliverNotice, type Recipient } from './notices.js';
import { readTemplates } from './templates.js';
import { fill, type OwnValues, type TextName, type ValuesOfAll } from './texts.js';

type Dependencies = Deps<'clock' | 'config' | 'db' | 'keyring' | 'log' | 'metrics' | 'tracing'>;

/**
 * @param print writes a line to the terminal, for MAIL=log
 * @throws {MailTemplatesError}, or the database's error
 */
export async function createMailConsumer(deps: Dependencies, print: (line: string) => void): Promise<Consumer> {
  const { clock, config, db, log, metrics, tracing } = deps;
  const { notices } = config.mail;
  const account = config.account ? `${config.publicUrl}${ACCOUNT_PATH}#sessions` : undefined;
  const templates = await readTemplates(config.mail.templates, { app: config.appUrl, account });
  const publicHost = new URL(config.publicUrl).hostname;
  const mailer = await createMailer(config, print);
  const from = senderIn(config);
  await startMailCursor(deps);
  for (const outcome of MAIL_OUTCOMES) metrics.mails.inc({ outcome }, 0);

  const ageSeconds = ({ created_at }: LoggedEvent): number => (clock.now().getTime() - created_at.getTime()) / 1000;

  const send = <Name extends TextName>(
    name: Name,
    event: LoggedEvent,
    { email, part }: Recipient,
    own: OwnValues<Name>,
    signal: AbortSignal,
  ): Promise<Delivery> => {
    const ofAll: ValuesOfAll = {
      email,
      product: config.productName,
      site: config.publicAuthority,
      app: config.appUrl ?? '',
      account: account ?? '',
      time: inWords(event.created_at),
      ...originInWords(event),
    };
    const { subject, text } = fill(templates[name], { ...ofAll, ...own });
    const id = `${event.id}${part === 1 ? '' : `.${part}`}@${publicHost}`;
    const mail = { id, date: clock.now(), from, to: email, subject, text, html: htmlOf(subject, text) };
    const attributes = { 'auth_gateway.mail.kind': name, 'auth_gateway.event.id': event.id };
    return tracing.trace('send mail', 'client', attributes, async (span) => {
      const delivery = await mailer.send(mail, signal);
      showOutcome(span, delivery);
      return delivery;
    });
  };

  const sendLink = async (
    event: LoggedEvent,
    userId: string,
    link: MailedLink | Unmailable,
    signal: AbortSignal,
  ): Promise<Delivery> => {
    if (link === 'superseded' || link === 'limited') return dropped(link);
    if (link === 'secret_unreadable') return { kind: 'failed', outcome: link }; // its key may come with the next keyring
    const { email, role, token, purpose, expiresAt, isUndone } = link;
    const address = addressOfLink(config.setPasswordUrl, token, purpose);
    const delivery = await send(
      isUndone ? 'email-undone' : purpose, // theirs say that the mail can be deleted
      event,
      { email, part: 1 },
      { role, link: address, expires: inWords(expiresAt) },
      signal,
    );
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
    const delivery = await send(name, event, { email, part: 1 }, own, signal);
    if (delivery.kind !== 'failed') await eraseEmailToken(db.admin, token);
    return delivery;
  };

  const deliverLink = async (
    link: Link,
    event: LoggedEvent,
    userId: string,
    signal: AbortSignal,
  ): Promise<Delivery> => {
    if (link === 'email-change' || link === 'email-undo') return sendEmailLink(link, event, userId, signal);
    if (link === 'link') return sendLink(event, userId, await waitingLink(deps, userId), signal);
    const delivery = await sendLink(event, userId, await linkOfRequest(deps, userId, event), signal);
    // After a timeout the server may have the mail.
    if (delivery.kind === 'failed' && delivery.outcome !== 'timeout') await forgetFailed(db.admin, userId, event);
    return delivery;
  };

  return {
    ...(mailer.patience && { patience: mailer.patience }),
    open: async (id) => {
      if (id !== MAIL_CURSOR) return undefined;
      return {
        wants: (event) => linkOf(event) !== undefined || noticeIn(event, notices) !== undefined,
        deliver: async (event, signal) => {
          const [link, notice] = [linkOf(event), noticeIn(event, notices)];
          const { user_id: userId } = event;
          if (userId === null) return dropped('no_user');
          const oldest = link === 'request' ? Math.min(config.resetSeconds, OLDEST_SECONDS) : OLDEST_SECONDS;
          if (ageSeconds(event) > oldest) {
            if (link === 'link') await eraseOld(db.admin, userId, event);
            return dropped('expired');
          }
          const mails = [];
          if (link !== undefined) mails.push(deliverLink(link, event, userId, signal));
          if (notice !== undefined)
            mails.push(
              deliverNotice(deps, notice, event, userId, (name, to, own) => send(name, event, to, own, signal)),
            );
          return combined(await Promise.all(mails));
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
