/** MAIL_TEMPLATES, the folder of an operator's own texts. (Interface 17) */
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, exitCodeOf, explain } from '../../src/cli/exit.js';
import { NOTICE_KINDS } from '../../src/domain/notices.js';
import { MailTemplatesError } from '../../src/mail/mail-templates-error.js';
import { readTemplates } from '../../src/mail/templates.js';
import { fill, OF_ALL, ourTemplates, type Places, parseTemplate, TEXT_NAMES, TEXTS } from '../../src/mail/texts.js';
import { testedBlock } from '../documents/printed.js';
import { startGateway } from '../support/gateway/gateway.js';
import { asUser, rootTest } from '../support/programs/as-user.js';
import { requestReset, startMailing } from './mailing.js';
import { startSmtpServer } from './smtp-server.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mail-templates-'));
});
afterEach(() => rm(folder, { recursive: true }));

const APP_URL = 'https://app.example.com/start?a=1&b=2#/login';
const ACCOUNT = 'https://auth.example.com/account#sessions';
const NAMES =
  'reset.txt, invitation.txt, email-change.txt, email-undo.txt, email-undone.txt, new-login.txt, account-locked.txt, token-theft.txt, ' +
  'password-changed.txt, email-changed.txt, role-changed.txt, factor-added.txt, factor-removed.txt, factors-reset.txt, ' +
  'recovery-code-used.txt';
const ALL = '{{email}} {{product}} {{site}} {{app}} {{account}} {{time}} {{actor}} {{address}} {{device}}';
const GOOD = 'Subject: Your link\n\n{{link}}\n';

/** What the start says of one file. */
async function faultOf(name: string, content: string | Uint8Array, places: Places = {}): Promise<string> {
  await writeFile(join(folder, name), content);
  const error: unknown = await readTemplates(folder, places).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof MailTemplatesError)) throw new Error(`no fault: ${error}`);
  expect(exitCodeOf(error)).toBe(EXIT.config);
  expect(error.message).toBe(`${error.reason}; see docs/mail.md#texts-of-your-own for the form, or unset it`);
  return error.reason.replace(folder, 'FOLDER');
}

test.each([{ account: ACCOUNT }, { account: undefined }])(
  'Interface 17 and 21: our own texts name the product, have every placeholder of their own, and are plain ASCII: %p',
  (places) => {
    const templates = ourTemplates({ app: APP_URL, ...places });
    for (const name of TEXT_NAMES) {
      const { subject, text } = templates[name];
      const own = TEXTS[name].slice(OF_ALL.length);
      for (const placeholder of ['product', 'time', ...own])
        expect(`${subject}\n${text}`).toContain(`{{${placeholder}}}`);
      expect(`${subject}\n${text}`).not.toContain('{{site}}');
      expect(text).not.toMatch(/[^\n -~]/);
      expect(`${subject}${text}`).not.toMatch(/urgent|immediately|now!|suspend/i);
    }
  },
);

const NOTICES = TEXT_NAMES.filter((name) => !(TEXTS[name] as readonly string[]).includes('link'));

test('Interface 21: each notice ends with what to do: with a link to the account page, if that is there', () => {
  const [on, off] = [ourTemplates({ app: APP_URL, account: ACCOUNT }), ourTemplates({ app: APP_URL })];
  expect(NOTICES).toHaveLength(NOTICE_KINDS.length);
  for (const name of NOTICES) {
    expect(on[name].text).toMatch(/\n\nIf (this was not you|you did not expect this), [^\n]+:\n\n\{\{account\}\}\n$/);
    expect(off[name].text).toMatch(/\n\nIf (this was not you|you did not expect this), [^\n]+\.\n$/);
    expect(on[name].text.match(/\{\{account\}\}/g)).toHaveLength(1);
    expect(off[name].text).not.toContain('{{account}}');
  }
});

test('docs/mail.md: the example is a text for a new password', () => {
  const example = testedBlock('docs/mail.md', 'text');
  expect(parseTemplate('reset', example)).toMatchObject({ subject: 'Choose a new password for {{product}}' });
});

test('Interface 17: texts of a folder replace ours, each by itself; files of editors and of Kubernetes are passed over', async () => {
  await mkdir(join(folder, '..2026_11_25'));
  await symlink('..2026_11_25', join(folder, '..data'));
  await writeFile(
    join(folder, '..2026_11_25', 'reset.txt'),
    '\uFEFFSubject:  Passwort für {{ site }} \r\n\r\nGrüße\r\n{{ link }}\r\n\r\n',
  );
  await symlink(join('..data', 'reset.txt'), join(folder, 'reset.txt'));
  await writeFile(join(folder, '.reset.txt.swp'), 'x');
  const templates = await readTemplates(folder, {});
  expect(templates.reset).toEqual({ subject: 'Passwort für {{ site }}', text: 'Grüße\n{{ link }}\n' });
  expect({ ...templates, reset: undefined }).toEqual({ ...ourTemplates({}), reset: undefined });
});

test('Interface 17: a text of the folder is mailed, in any language', async () => {
  await using server = await startSmtpServer();
  await writeFile(
    join(folder, 'reset.txt'),
    `Subject: Neues Passwort für {{email}} — ${'lang '.repeat(30)}\n\nGrüße an {{email}} von {{site}}: {{link}}\n.\n..\nΕλληνικά ${'x'.repeat(2_000)}\n`,
  );
  const gateway = await startMailing(server.url, { env: { MAIL_TEMPLATES: folder } });
  try {
    await requestReset(gateway, await gateway.user({ email: "o'neil{{link}}@example.com" }));
    const [mail] = await server.reached(1);
    expect(mail?.subject).toMatch(/^Neues Passwort für o'neil\{\{link\}\}@example\.com — lang lang/);
    expect(mail?.headers.get('to')).toBe("o'neil{{link}}@example.com");
    expect(mail?.text).toMatch(
      /^Grüße an o'neil\{\{link\}\}@example\.com von auth\.example\.com: https:\/\/\S+\n\.\n\.\.\nΕλληνικά x{2000}\n/,
    );
    expect(mail?.raw.split('\r\n').every((line) => line.length <= 998)).toBe(true);
  } finally {
    await gateway.close();
  }
});

test.each<[name: string, content: string | Uint8Array, fault: string]>([
  ['reste.txt', GOOD, `has no meaning: the files are ${NAMES}`],
  ['reset.html', GOOD, `has no meaning: the files are ${NAMES}`],
  ['reset.txt', '', 'has no subject: its first line must be "Subject: …"'],
  ['reset.txt', 'Hello {{link}}', 'has no subject: its first line must be "Subject: …"'],
  ['reset.txt', 'Subject: \n\n{{link}}', 'has no subject: its first line must be "Subject: …"'],
  ['reset.txt', 'Subject: A\n{{link}}\n', 'must have an empty line after its subject, and text after that'],
  [
    'reset.txt',
    'Subject: A\nBcc: me@example.com\n\n{{link}}\n',
    'must have an empty line after its subject, and text after that',
  ],
  ['reset.txt', 'Subject: A\n\n \n', 'must have an empty line after its subject, and text after that'],
  ['reset.txt', 'Subject: A\n\nno link', 'must have {{link}} in its text'],
  ['invitation.txt', 'Subject: A\n\n{{email}}', 'must have {{link}} in its text'],
  ['reset.txt', 'Subject: {{link}}\n\n{{link}}', 'has {{link}} in its subject, which is no place for a secret'],
  [
    'reset.txt',
    'Subject: A\n\n{{link}} {{name}}',
    `has the placeholder {{name}}; it can have ${ALL} {{link}} {{expires}}`,
  ],
  ['password-changed.txt', 'Subject: A\n\n{{link}}', `has the placeholder {{link}}; it can have ${ALL}`],
  ['factors-reset.txt', 'Subject: A\n\n{{factor}}', `has the placeholder {{factor}}; it can have ${ALL}`],
  ['reset.txt', 'Subject: A\n\n{{link}}\0', 'has a NUL character'],
  ['reset.txt', Buffer.from('Subject: \xfc\n\n{{link}}', 'latin1'), 'must be text in UTF-8'],
  ['reset.txt', `Subject: A\n\n{{link}}${'x'.repeat(100_000)}`, 'must have at most 100 kB'],
])('Interface 17: %s with %p is refused', async (name, content, fault) => {
  expect(await faultOf(name, content)).toBe(`MAIL_TEMPLATES: FOLDER/${name} ${fault}`);
});

test('Interface 17: {{app}} is APP_URL; without it our texts say nothing of it, and one that has it is refused', async () => {
  for (const name of TEXT_NAMES.filter((text) => !['email-change', 'email-undo'].includes(text))) {
    const [withApp, without] = [ourTemplates({ app: APP_URL })[name].text, ourTemplates({})[name].text];
    expect(fill({ subject: '', text: withApp }, { app: APP_URL }).text).toContain(`\n\nYou log in at ${APP_URL}\n\n`);
    expect(withApp.replace('You log in at {{app}}\n\n', '')).toBe(without);
    expect(without).not.toContain('app}}');
  }
  const text = 'Subject: {{ app }}\n\n{{email}}\n';
  expect(await faultOf('role-changed.txt', text)).toBe(
    'MAIL_TEMPLATES: FOLDER/role-changed.txt has {{app}}, but APP_URL is not set',
  );
  expect((await readTemplates(folder, { app: APP_URL }))['role-changed'].subject).toBe('{{ app }}');
});

test('Interface 21: a text that has {{account}} needs ACCOUNT=on', async () => {
  const text = 'Subject: Hello\n\n{{ account }}\n';
  expect(await faultOf('new-login.txt', text)).toBe(
    'MAIL_TEMPLATES: FOLDER/new-login.txt has {{account}}, but ACCOUNT is off',
  );
  expect((await readTemplates(folder, { account: ACCOUNT }))['new-login'].text).toBe('{{ account }}\n');
});

test('Interface 17: a folder in the place of a text, or of the folder a file or nothing, is refused', async () => {
  await mkdir(join(folder, 'reset.txt'));
  await expect(readTemplates(folder, {})).rejects.toThrow(/reset\.txt cannot be read \(EISDIR\)/);
  await expect(readTemplates(join(folder, 'none'), {})).rejects.toThrow(/none cannot be read \(ENOENT\)/);
  await writeFile(join(folder, 'file'), '');
  await expect(readTemplates(join(folder, 'file'), {})).rejects.toThrow(/file cannot be read \(ENOTDIR\)/);
});

rootTest('Interface 17: a text that may not be read is refused', async () => {
  await writeFile(join(folder, 'reset.txt'), GOOD);
  await chmod(folder, 0o755);
  await chmod(join(folder, 'reset.txt'), 0o600);
  await expect(asUser(65_534, () => readTemplates(folder, {}))).rejects.toThrow(/reset\.txt cannot be read \(EACCES\)/);
});

test('Interface 17: the gateway does not start with a faulty text, unless mail is off', async () => {
  await writeFile(join(folder, 'reset.txt'), 'Subject: A\n\nno link');
  const started = startGateway({ env: { MAIL: 'log', MAIL_TEMPLATES: folder } });
  const error: unknown = await started.catch((thrown: unknown) => thrown);
  expect(explain(error)).toBe(
    `MAIL_TEMPLATES: ${folder}/reset.txt must have {{link}} in its text; see docs/mail.md#texts-of-your-own for the form, or unset it`,
  );
  const off = await startGateway({ env: { MAIL: 'off', MAIL_TEMPLATES: folder } });
  await off.close();
});

test('Interface 17: values replace placeholders once, and never add lines', () => {
  const template = parseTemplate('role-changed', 'Subject: {{role}}\n\n{{email}}{{role}}\n');
  if ('fault' in template) throw new Error(template.fault);
  const role = 'a\r\nBcc: b\u2028c\u0085d\0e\ud800';
  expect(fill(template, { role, email: '{{role}}$&' })).toEqual({
    subject: 'a Bcc: b c d e\ufffd',
    text: '{{role}}$&a Bcc: b c d e\ufffd\n',
  });
});
