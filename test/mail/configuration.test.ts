/** The variables of mail. (Interface 2 and 17) */
import { ConfigError, readConfig } from '../../src/config/config.js';
import { NOTICE_KINDS } from '../../src/domain/notices.js';
import { senderOf } from '../../src/mail/mail.js';

const SMTP = { MAIL: 'smtp', SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'auth@example.com' };

function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n');
  }
}

test.each([
  'smtps://mail.example.com',
  'smtps://mail.example.com/',
  'smtp://user:p%2F%23%3F%40%3A%25%C3%BC@mail.example.com:2525',
  'smtp://[::1]:25',
  'smtp://localhost',
])('Interface 2: %s is a mail server', (SMTP_URL) => {
  expect(readConfig({ ...SMTP, SMTP_URL }).mail).toEqual({
    kind: 'smtp',
    smtp: SMTP_URL,
    from: 'auth@example.com',
    templates: undefined,
    notices: [...NOTICE_KINDS],
  });
});

const FORM = 'must be a URL such as smtps://USER:PASSWORD@HOST, or smtp:// for STARTTLS, without path';
const PAIR = 'must have a user and a password, or neither';
const ENCODED = 'has a % that encodes nothing (in a password, write / # ? @ % as %2F %23 %3F %40 %25)';

test.each([
  ['mail.example.com', FORM],
  ['https://secret:secret@mail.example.com', FORM],
  ['smtp://secret:se/cret@mail.example.com', FORM],
  ['smtp://mail.example.com/?tls=secret', FORM],
  ['smtp://secret@mail.example.com', PAIR],
  ['smtp://:secret@mail.example.com', PAIR],
  ['smtp://secret:100%@mail.example.com', ENCODED],
  ['smtp://secret:%FF@mail.example.com', ENCODED],
])('Interface 2: %s is refused, and not repeated', (SMTP_URL, fault) => {
  const faults = faultsOf({ ...SMTP, SMTP_URL });
  expect(faults).toEqual([`SMTP_URL: ${fault}`]);
  expect(faults.join()).not.toContain('secret');
});

test('Interface 2: MAIL=smtp needs a server and a sender; MAIL=log is for development', () => {
  expect(faultsOf({ MAIL: 'smtp' })).toEqual([
    'SMTP_URL: must be set, because MAIL is smtp; set SMTP_URL=smtps://USER:PASSWORD@HOST',
    'MAIL_FROM: must be set, because MAIL is smtp; set MAIL_FROM to the address that mail comes from',
  ]);
  expect(faultsOf({ MAIL: 'log' })).toEqual([]);
  expect(faultsOf({ MAIL: 'log', PUBLIC_URL: 'https://auth.example.com', DATABASE_URL: 'embedded' })).toEqual([
    'MAIL: log prints secret links to the terminal, so it is for development alone; set MAIL=smtp and SMTP_URL, or MAIL=off',
  ]);
});

test.each([
  ['auth@example.com', { name: '', address: 'auth@example.com' }],
  ['<auth@example.com>', undefined],
  ['Auth <auth@example.com>', { name: 'Auth', address: 'auth@example.com' }],
  ['Beispiel: Anmeldung (neu) <auth@example.com>', { name: 'Beispiel: Anmeldung (neu)', address: 'auth@example.com' }],
  ['a@example.com, b@example.com', undefined],
  ['Auth <auth@example.com>\r\nBcc: thief@example.org', undefined],
  ['auth@localhost', undefined],
])('Interface 2: MAIL_FROM %p', (MAIL_FROM, sender) => {
  if (sender === undefined) {
    const fault = 'must be an e-mail address, such as auth@example.com or Auth <auth@example.com>';
    expect(faultsOf({ ...SMTP, MAIL_FROM })).toEqual([`MAIL_FROM: ${fault}`]);
  } else {
    expect(senderOf(readConfig({ ...SMTP, MAIL_FROM }).mail.from ?? '')).toEqual(sender);
  }
});

test.each([
  ['none', []],
  [' None ', []],
  ['new_login, Email_Changed', ['new_login', 'email_changed']],
])('Interface 2: MAIL_NOTICES=%p', (MAIL_NOTICES, notices) => {
  expect(readConfig({ MAIL_NOTICES }).mail.notices).toEqual(notices);
});

test('Interface 2: a kind of notice that does not exist is refused, with those that do', () => {
  const fault = `MAIL_NOTICES: must be none, or a list, separated by commas, of ${NOTICE_KINDS.join(', ')}`;
  for (const MAIL_NOTICES of ['all', 'new_login,none', 'reset']) expect(faultsOf({ MAIL_NOTICES })).toEqual([fault]);
});

test('Interface 2: PRODUCT_NAME is the host of PUBLIC_URL, or at most 60 printable characters', () => {
  expect(readConfig({ PUBLIC_URL: 'http://localhost:8080' }).productName).toBe('localhost:8080');
  for (const name of ['Ärzte & Söhne', '製品', '🦉'.repeat(60)])
    expect(readConfig({ PRODUCT_NAME: name }).productName).toBe(name);
  const fault = 'PRODUCT_NAME: must have at most 60 characters, each of them printable';
  for (const PRODUCT_NAME of ['x'.repeat(61), 'A\nBcc: b', 'A\u202eB', 'A\u2028B'])
    expect(faultsOf({ PRODUCT_NAME })).toEqual([fault]);
});
