/** The routes of Interface 20, one call each, and users with factors. */
import type { NewUser } from '../../../src/admin/user-changes.js';
import { codeAt, wrongCode } from '../independent/authenticator-app.js';
import { SoftwareAuthenticator } from '../independent/passkeys/software-authenticator.js';
import { type Answer, type Instance, refreshTokenOf, type TestGateway } from './gateway.js';
import { bearer, type SignedIn, signIn } from './graphql.js';
import { login, refresh } from './routes.js';

export { codeAt, wrongCode };

type On = Pick<Instance, 'send'>;

/** @returns the answer of a route with a JSON body; `token` is an access token */
export function post(on: On, path: string, body: object = {}, token?: string): Promise<Answer> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return on.send('POST', `/auth/${path}`, { headers, body });
}

export const finishLogin = (on: On, challenge: unknown, proof: object): Promise<Answer> =>
  post(on, 'login/factor', { challenge, ...proof });

export const confirm = (on: On, token: string, proof: object): Promise<Answer> => post(on, 'confirm', proof, token);

export function removeFactor(on: On, token: string, id: string): Promise<Answer> {
  return on.send('DELETE', `/auth/factors/${id}`, { headers: { authorization: `Bearer ${token}` } });
}

export interface WithTotp extends SignedIn {
  factorId: string;
  secret: string;
  recoveryCodes: string[];
}

/** A fresh user with an authenticator app. The clock has moved by a step, so that a new code is good. */
export async function withTotp(gateway: TestGateway, user: Partial<NewUser> = {}): Promise<WithTotp> {
  return addTotp(gateway, await signIn(gateway, await gateway.user(user)));
}

/** Adds an authenticator app to the user of this session. */
export async function addTotp(gateway: TestGateway, signedIn: SignedIn): Promise<WithTotp> {
  const { json } = await post(gateway, 'factors/totp', {}, signedIn.accessToken);
  const code = codeAt(json.secret, gateway.clock.now());
  const activated = await post(gateway, `factors/totp/${json.id}`, { code }, signedIn.accessToken);
  if (activated.status !== 200) throw new Error(`no authenticator app: ${activated.text}`);
  gateway.clock.advance(30);
  return { ...signedIn, factorId: json.id, secret: json.secret, recoveryCodes: activated.json.recovery_codes };
}

/** The first step of a login. @returns the challenge */
export async function halfLogin(on: On, email: string, password?: string): Promise<string> {
  const answer = await login(on, email, password);
  if (answer.json.reason !== 'second_factor_required') throw new Error(`no half login: ${answer.text}`);
  return answer.json.challenge;
}

/** Both steps, by a code. The clock moves by a step. */
export async function logInByCode(gateway: TestGateway, { user, secret }: WithTotp): Promise<SignedIn> {
  gateway.clock.advance(30);
  const challenge = await halfLogin(gateway, user.email);
  const answer = await finishLogin(gateway, challenge, { code: codeAt(secret, gateway.clock.now()) });
  return sessionOf(user, answer);
}

/** The session after a refresh: its access token says what the session has proved by now. */
export async function renewed<Session extends SignedIn>(on: On, session: Session): Promise<Session> {
  return { ...session, ...sessionOf(session.user, await refresh(on, session.refreshToken)) };
}

function sessionOf(user: SignedIn['user'], answer: Answer): SignedIn {
  const refreshToken = refreshTokenOf(answer);
  if (refreshToken === undefined) throw new Error(`no session: ${answer.text}`);
  const accessToken: string = answer.json.access_token;
  return { user, as: bearer(accessToken), accessToken, refreshToken };
}

export interface WithPasskey extends SignedIn {
  factorId: string;
  authenticator: SoftwareAuthenticator;
  recoveryCodes: string[];
}

/** Adds a passkey to the user of this session. */
export async function addPasskey(
  gateway: TestGateway,
  signedIn: SignedIn,
  settings: Partial<ConstructorParameters<typeof SoftwareAuthenticator>[0]> = {},
): Promise<WithPasskey> {
  const { publicUrl } = gateway.config;
  const authenticator = new SoftwareAuthenticator({
    rpId: new URL(publicUrl).hostname,
    origin: publicUrl,
    ...settings,
  });
  const options = await post(gateway, 'factors/passkey/options', {}, signedIn.accessToken);
  const { ceremony, publicKey } = options.json;
  const body = { ceremony, credential: authenticator.create(publicKey), name: 'Laptop' };
  const { json, status, text } = await post(gateway, 'factors/passkey', body, signedIn.accessToken);
  if (status !== 200) throw new Error(`no passkey: ${text}`);
  return { ...signedIn, factorId: json.id, authenticator, recoveryCodes: json.recovery_codes };
}

/** A fresh user with a passkey. */
export async function withPasskey(
  gateway: TestGateway,
  user: Partial<NewUser> = {},
  settings: Parameters<typeof addPasskey>[2] = {},
): Promise<WithPasskey> {
  return addPasskey(gateway, await signIn(gateway, await gateway.user(user)), settings);
}

type Alteration = Parameters<SoftwareAuthenticator['get']>[1];

/** A login by a passkey, without a password. */
export async function logInByPasskey(
  on: On,
  authenticator: SoftwareAuthenticator,
  alter?: Alteration,
): Promise<Answer> {
  const { ceremony, publicKey } = (await post(on, 'login/passkey/options')).json;
  return post(on, 'login/passkey', { ceremony, credential: authenticator.get(publicKey, alter) });
}

/** The second step of a login by a passkey. */
export async function finishByPasskey(
  on: On,
  challenge: string,
  authenticator: SoftwareAuthenticator,
  alter?: Alteration,
): Promise<Answer> {
  const { publicKey } = (await post(on, 'login/passkey/options', { challenge })).json;
  return finishLogin(on, challenge, { credential: authenticator.get(publicKey, alter) });
}

/** Confirms a session by a passkey. */
export async function confirmByPasskey(
  on: On,
  token: string,
  authenticator: SoftwareAuthenticator,
  alter?: Alteration,
): Promise<Answer> {
  const { ceremony, publicKey } = (await post(on, 'confirm/options', {}, token)).json;
  return confirm(on, token, { ceremony, credential: authenticator.get(publicKey, alter) });
}
