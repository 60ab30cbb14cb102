/** A mail, its sender, and the interface of what sends it. (Interface 17) */
import type { Needs } from '../admin/administer.js';
import type { Config } from '../config/config.js';
import type { Delivery, Patience } from '../outbox/consumer.js';

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
  'known',
  'superseded',
  'taken',
  'limited',
  'expired',
] as const;

export function dropped(outcome: (typeof MAIL_OUTCOMES)[number]): Delivery {
  return { kind: 'dropped', outcome };
}

/** Of an event with several mails: it is tried again if one of them has failed. */
export function combined(deliveries: readonly Delivery[]): Delivery {
  const first = (kind: Delivery['kind']) => deliveries.find((delivery) => delivery.kind === kind);
  return first('failed') ?? first('delivered') ?? deliveries[0] ?? dropped('superseded');
}

export interface Mail {
  /** Message-ID without angle brackets: the same at each attempt, so that receivers recognise a mail that came twice */
  id: string;
  date: Date;
  from: Sender;
  /** An address that `emailSchema` has accepted */
  to: string;
  subject: string;
  text: string;
  /** The same in HTML */
  html: string;
}

export interface Sender {
  /** Empty: none */
  name: string;
  address: string;
}

/** For `tls` */
export const TLS_ADVICE =
  'the certificate of the mail server must be for the host of SMTP_URL and from a CA that is trusted (NODE_EXTRA_CA_CERTS); ' +
  'any certificate will do for a server on this machine if that host is localhost';

export interface Mailer {
  /** If an attempt may last long */
  patience?: Patience;
  /** Tries once. @throws only if the signal ends it */
  send(mail: Mail, signal: AbortSignal): Promise<Delivery>;
  close(): void;
}

/** @param mailbox as the configuration has checked it: an address, or a name and an address in angle brackets */
export function senderOf(mailbox: string): Sender {
  const [, name = '', named] = /^(.*?)\s*<(.+)>$/.exec(mailbox) ?? [];
  return { name: name.trim(), address: named ?? mailbox };
}

/** MAIL_FROM, or an address at the host of PUBLIC_URL. */
export function senderIn({ mail, publicUrl }: Config): Sender {
  return senderOf(mail.from ?? `auth-gateway@${new URL(publicUrl).hostname}`);
}

/** What `test-mail.ts` needs, which loads what writes mails. */
export const TESTS_MAIL = { scope: 'gateway:read' } satisfies Needs;

/** RFC 3834: no answer of an absent user is wanted. */
export const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' };

/** MAIL=log: the mail on the terminal, without its HTML. */
export function createPrinter(print: (line: string) => void): Mailer {
  return {
    send: async ({ id, date, from, to, subject, text }) => {
      const sender = from.name === '' ? from.address : `${from.name} <${from.address}>`;
      const fields = { Date: date.toUTCString(), From: sender, To: to, Subject: subject, 'Message-ID': `<${id}>` };
      const head = Object.entries({ ...fields, ...AUTOMATIC }).map(([name, value]) => `${name}: ${value}`);
      for (const line of [...head, '', ...text.split('\n')]) print(line);
      return { kind: 'delivered', outcome: 'delivered' };
    },
    close: () => undefined,
  };
}
