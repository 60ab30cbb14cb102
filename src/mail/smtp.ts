/** MAIL=smtp: sends a mail to the server of `SMTP_URL`, which may be slow, hostile or gone. (Interface 17) */
import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { createTransport, type NodemailerError } from 'nodemailer';
import { isLoopback } from '../config/values.js';
import type { Delivery, Patience } from '../outbox/consumer.js';
import { tlsFaultOf } from '../platform/tls-faults.js';
import { AUTOMATIC, type Mailer } from './mail.js';

/**
 * Milliseconds, shorter than in RFC 5321 section 4.5.3.2. `setup` ends with the greeting or STARTTLS; `text` ends with the
 * final dot, `setup` included; `answer` is for the answer to it: until then a server may look for viruses.
 */
export const LIMITS = { setup: 60_000, text: 180_000, answer: 600_000 };
const TLS = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;
/** Idle connections are closed before a server does it: milliseconds. */
const IDLE_MS = 30_000;

/** Three at once is what strict servers allow; one that takes long is not to hold up the others. */
const PATIENCE: Patience = {
  attemptSeconds: (LIMITS.text + LIMITS.answer) / 1000 + 20,
  atOnce: 3,
  slowSeconds: 5,
  most: 12,
};
/** Of one reply: bytes. */
const MAX_REPLY = 65_536;

/**
 * TLS with a certificate that is trusted for the host is required, except on a connection that stays on this machine. No
 * proxy of the environment is used.
 * @param smtpUrl as the configuration has checked it
 * @param publicHost by which the gateway introduces itself
 */
export function createSmtpMailer(smtpUrl: string, publicHost: string, limits = LIMITS): Mailer {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const secure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const transport = createTransport({
    pool: true,
    maxConnections: PATIENCE.most,
    maxRequeues: 1, // of a mail of which nothing was sent, as the server has closed an idle connection
    idleTimeout: IDLE_MS,
    host,
    ...(port !== '' && { port: Number(port) }),
    secure,
    requireTLS: !secure,
    tls: TLS,
    ...(isLoopback(host.toLowerCase()) && {
      getSocket: (
        _options: unknown,
        callback: (error: Error | null, found?: Awaited<ReturnType<typeof connectHere>>) => void,
      ) => {
        connectHere(host, Number(port) || (secure ? 465 : 587), limits.setup).then(
          (found) => callback(null, found),
          (error: Error) => callback(error),
        );
      },
    }),
    // Without forceAuth, mail would go without a login if the server offers none.
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
      forceAuth: true,
    }),
    name: isIP(publicHost) === 0 ? publicHost : `[${publicHost}]`,
    connectionTimeout: limits.setup,
    dnsTimeout: limits.setup,
    greetingTimeout: limits.setup,
    socketTimeout: limits.text + limits.answer, // `text` and `answer` end it before
    socketCloseTimeout: 0,
    maxResponseSize: MAX_REPLY,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  });
  transport.on('error', () => undefined); // each mail has its own
  /** By Message-ID, what is to happen once the text of a mail was sent */
  const texts = new Map<string, () => void>();
  transport.use('stream', ({ data, message }, next) => {
    message.processFunc((text) => text.once('end', () => texts.get(data.messageId ?? '')?.()));
    next();
  });
  return {
    patience: PATIENCE,
    send: async ({ id, date, from, to, subject, text, html }, signal) => {
      const messageId = `<${id}>`;
      const ending = new AbortController(); // AbortSignal.any would be remembered by a signal that lives long
      const end = () => ending.abort(signal.reason);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      let isLate = false;
      const endLate = () => {
        isLate = true;
        ending.abort();
      };
      let timer = setTimeout(endLate, limits.text);
      texts.set(messageId, () => {
        clearTimeout(timer);
        timer = setTimeout(endLate, limits.answer);
      });
      try {
        const { response } = await transport.sendMail({
          from,
          // As objects, which are not parsed: a comma in an address makes no second recipient.
          to: { name: '', address: to },
          envelope: { from: { name: '', address: from.address }, to: [{ name: '', address: to }] },
          messageId,
          date,
          subject,
          text,
          html,
          headers: AUTOMATIC,
          signal: ending.signal,
        });
        return { kind: 'delivered', outcome: 'delivered', status: Number(response.slice(0, 3)) || undefined };
      } catch (error) {
        if (signal.aborted) throw error;
        return deliveryOf(error as NodemailerError, isLate);
      } finally {
        clearTimeout(timer);
        texts.delete(messageId);
        signal.removeEventListener('abort', end);
      }
    },
    close: () => transport.close({ force: true }),
  };
}

/**
 * Connects to a host with a name of loopback. If the address is on loopback too, nobody can come between, so a server there
 * may do without TLS, or have a certificate for any name, as Debian's Postfix does.
 * @returns the socket, and the options of its connection
 */
async function connectHere(host: string, port: number, timeoutMs: number) {
  const connection = connect({ host, port });
  connection.on('error', () => undefined); // between the two owners of the socket
  try {
    await once(connection, 'connect', { signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    connection.destroy();
    throw error instanceof Error && error.name === 'AbortError' ? Object.assign(error, { code: 'ETIMEDOUT' }) : error;
  }
  if (!isLoopback(connection.remoteAddress ?? '')) return { connection };
  return { connection, requireTLS: false, tls: { ...TLS, rejectUnauthorized: false } };
}

/** Answers that ask for a login (RFC 4954). */
const LOGIN_WANTED = [530, 534, 535, 538];

/** Neither the text of the error nor that of the answer is used: both may have the address. */
function deliveryOf(error: NodemailerError, isLate: boolean): Delivery {
  const { code = '', originalCode = '', command = '', responseCode: status } = error;
  const failed = (outcome: string): Delivery => ({ kind: 'failed', outcome, status });
  if (isLate || code === 'ETIMEDOUT') return failed('timeout');
  if (['EAUTH', 'ENOAUTH'].includes(code)) return failed('authentication');
  if (code === 'ETLS' || tlsFaultOf(originalCode) !== undefined) return failed('tls');
  // Refused here: too large for the server, or an invalid address.
  if (status === undefined && ['EENVELOPE', 'EMESSAGE'].includes(code)) return { kind: 'dropped', outcome: 'rejected' };
  if (status === undefined) return failed('connection_failed');
  if (LOGIN_WANTED.includes(status)) return failed('authentication');
  // A full mailbox says nothing of others.
  const isOfEvent = command === 'RCPT TO' || command === 'DATA';
  if (error.permanent !== true) return { kind: 'failed', outcome: 'deferred', status, ...(isOfEvent && { isOfEvent }) };
  // The server will give this recipient, or this mail, the same answer again. What it says of the sender or the
  // connection is for the operator to settle.
  if (isOfEvent) return { kind: 'dropped', outcome: 'rejected', status };
  return failed(command === 'MAIL FROM' ? 'sender_refused' : 'connection_failed');
}
