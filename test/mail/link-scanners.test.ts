/** A program that opens every link of a mail before its reader does uses none of them up. (Interface 21) */
import { redeemEmail, requestEmail, undoEmail } from '../support/gateway/account.js';
import type { TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { until } from '../support/until.js';
import { startMailing } from './mailing.js';
import { type SmtpServer, startSmtpServer } from './smtp-server.js';

let server: SmtpServer;
let gateway: TestGateway;
beforeEach(async () => {
  server = await startSmtpServer();
  gateway = await startMailing(server.url, { env: { ACCOUNT: 'on' } });
});
afterEach(async () => {
  await gateway.close();
  await server[Symbol.asyncDispose]();
});

/** The link of this kind, once its mail is there. */
async function mailedLink(kind: 'email' | 'undo'): Promise<URL> {
  const found = (): string | undefined =>
    server.mails.flatMap(({ text }) => text.match(/https:\S+/g) ?? []).find((link) => link.includes(`#${kind}=`));
  await until(`a link #${kind}=`, () => found() !== undefined);
  return new URL(found() ?? '');
}

const tokenOf = ({ hash }: URL): string => hash.slice(hash.indexOf('=') + 1);

/** What a link could change */
const tables = (): Promise<unknown[]> =>
  gateway.rows(
    `select email, password_version, array(select to_jsonb(c) - 'sealed_token' from email_changes c) as changes,
       array(select to_jsonb(u) - 'sealed_token' from email_undos u) as undos,
       (select count(*) from refresh_tokens where not revoked) as sessions, (select count(*) from audit_events where event_type like 'email%') as events
     from users`,
  );

/** As browsers ask for the link, and as programs do that do not know what a fragment is, or try every address that they find. */
async function scan(link: URL): Promise<void> {
  const before = await tables();
  const query = link.hash.slice(1);
  const token = `token=${tokenOf(link)}`;
  const targets = [
    link.pathname,
    `${link.pathname}${link.hash}`,
    `${link.pathname}?${query}`,
    `${link.pathname}${encodeURIComponent(link.hash)}`,
    `/auth/email/redeem?${token}`,
    `/auth/email/undo?${token}`,
  ];
  for (const target of targets) {
    for (const method of ['HEAD', 'GET', 'OPTIONS']) await gateway.send(method, target);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await gateway.send('POST', target, { headers, body: token });
  }
  expect(await tables()).toEqual(before);
}

test('Interface 21: a scanner that opens every link of a mail changes nothing, and each link still works', async () => {
  const { user, accessToken } = await newcomer(gateway);
  await requestEmail(gateway, accessToken, 'new@example.net');
  const link = await mailedLink('email');
  await scan(link);
  expect(await redeemEmail(gateway, accessToken, tokenOf(link))).toMatchObject({ status: 200 });

  const wayBack = await mailedLink('undo');
  await scan(wayBack);
  expect(await undoEmail(gateway, tokenOf(wayBack))).toMatchObject({ status: 204 });
  expect(await gateway.rows('select email from users where id = $1', [user.id])).toEqual([{ email: user.email }]);
});
