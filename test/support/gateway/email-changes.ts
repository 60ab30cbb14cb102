/** Changes of e-mails as users make them, on a gateway whose mail never leaves, so that its links wait. (Interface 21) */
import { openSealedSecret } from '../../../src/credentials/sealed-secret.js';
import type { Setup, TestGateway } from './gateway.js';
import { startGateway } from './gateway.js';
import type { SignedIn } from './graphql.js';

export const ACCOUNT_ENV = {
  MAIL: 'smtp',
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'auth@example.org',
  ACCOUNT: 'on',
  LOGIN_RATE_LIMIT: '1000000',
};

/** Its outbox does not begin. */
export function startWithAccount({ env = {}, ...setup }: Setup = {}): Promise<TestGateway> {
  return startGateway({ outboxPollMs: 3_600_000, env: { ...ACCOUNT_ENV, ...env }, ...setup });
}

type Own = Pick<SignedIn, 'accessToken'> & { user: { id: string } };

/** Asks for another e-mail. @returns the token of the link to it */
export async function askForEmail(gateway: TestGateway, own: Own, email: string, headers = {}): Promise<string> {
  await send(gateway, '/auth/email', { email }, own, headers);
  return waitingToken(gateway, 'select user_id as id, sealed_token from email_changes where user_id = $1', own.user.id);
}

/** Changes the e-mail of this user. @returns the token of the link to the former one */
export async function changeEmail(gateway: TestGateway, own: Own, email: string, headers = {}): Promise<string> {
  const token = await askForEmail(gateway, own, email, headers);
  await send(gateway, '/auth/email/redeem', { token }, own, headers);
  const newest = 'select id, sealed_token from email_undos where user_id = $1 order by id desc limit 1';
  return waitingToken(gateway, newest, own.user.id);
}

async function send(on: TestGateway, path: string, body: object, { accessToken }: Own, headers: object): Promise<void> {
  const answer = await on.send('POST', path, { headers: { authorization: `Bearer ${accessToken}`, ...headers }, body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
}

async function waitingToken({ app, rows }: TestGateway, text: string, userId: string): Promise<string> {
  const [row] = await rows<{ id: string; sealed_token: string }>(text, [userId]);
  const token = row && (await openSealedSecret(app.keyring, row.id, row.sealed_token));
  if (token === undefined) throw new Error('no link waits');
  return token;
}
