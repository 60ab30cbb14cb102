/** The routes of Interface 21, one call each, and the links of a change of an e-mail before they are mailed. */
import { openSealedSecret } from '../../../src/credentials/sealed-secret.js';
import { post } from './factors.js';
import { type Answer, type Instance, type Setup, startGateway, type TestGateway } from './gateway.js';
import { newcomer, type SignedIn } from './graphql.js';

type On = Pick<Instance, 'send'>;

export const requestEmail = (on: On, token: string, email: unknown): Promise<Answer> =>
  post(on, 'email', { email }, token);

export const redeemEmail = (on: On, token: string | undefined, link: unknown): Promise<Answer> =>
  post(on, 'email/redeem', { token: link }, token);

export const undoEmail = (on: On, link: unknown): Promise<Answer> => post(on, 'email/undo', { token: link });

const asUser = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

export const exportAccount = (on: On, token: string): Promise<Answer> =>
  on.send('GET', '/auth/account/export', asUser(token));

export const deleteAccount = (on: On, token: string): Promise<Answer> =>
  on.send('DELETE', '/auth/account', asUser(token));

const HOUR_MS = 3_600_000;

/** A gateway whose mails wait, so that their links can be read. */
export function startUnmailed({ env = {}, ...setup }: Setup = {}): Promise<TestGateway> {
  return startGateway({ outboxPollMs: HOUR_MS, env: { MAIL: 'log', ...env }, ...setup });
}

/** The token that waits for its mail, of a change or of the newest way back. @throws if there is none */
export async function waitingToken(gateway: TestGateway, kind: 'change' | 'undo', userId: string): Promise<string> {
  const [row] = await gateway.rows<{ id: string; sealed_token: string }>(
    kind === 'change'
      ? 'select user_id as id, sealed_token from email_changes where user_id = $1'
      : 'select id, sealed_token from email_undos where user_id = $1 order by id desc limit 1',
    [userId],
  );
  const token = row && (await openSealedSecret(gateway.app.keyring, row.id, row.sealed_token));
  if (token === undefined) throw new Error(`no link of a ${kind}`);
  return token;
}

let addresses = 0;
export function newAddress(): string {
  addresses += 1;
  return `address${addresses}@example.net`;
}

/** Asks for another e-mail. @returns the token in the link to it */
export async function beginChange(
  gateway: TestGateway,
  { user, accessToken }: SignedIn,
  email = newAddress(),
): Promise<string> {
  const answer = await requestEmail(gateway, accessToken, email);
  if (answer.status !== 202) throw new Error(`no change: ${answer.text}`);
  return waitingToken(gateway, 'change', user.id);
}

export interface Changed extends SignedIn {
  former: string;
  email: string;
  /** The token in the link to the former address */
  wayBack: string;
}

/** A change from beginning to end. The clock moves by a second, so that ways back have an order. */
export async function changeEmail(gateway: TestGateway, signedIn: SignedIn, email = newAddress()): Promise<Changed> {
  const link = await beginChange(gateway, signedIn, email);
  const [row] = await gateway.rows<{ email: string }>('select email from users where id = $1', [signedIn.user.id]);
  const answer = await redeemEmail(gateway, signedIn.accessToken, link);
  if (answer.status !== 200) throw new Error(`no change: ${answer.text}`);
  const wayBack = await waitingToken(gateway, 'undo', signedIn.user.id);
  gateway.clock.advance(1);
  return { ...signedIn, former: row?.email ?? '', email, wayBack };
}

/** A fresh user who has just changed the e-mail. */
export const withChangedEmail = async (gateway: TestGateway): Promise<Changed> =>
  changeEmail(gateway, await newcomer(gateway));
