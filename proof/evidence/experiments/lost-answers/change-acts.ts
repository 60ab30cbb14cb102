/** Changes: of passwords (Interface 15), by administrators over GraphQL (Interface 11); and a signed request (Interface 6). */
import { randomUUID } from 'node:crypto';
import { type Answer, ask, login } from '../../lab/browser.js';
import { createApiKey, sendSigned, signAs } from '../../lab/callers.js';
import type { Gateways } from '../../lab/gateways.js';
import { mintSessions } from '../../lab/minted.js';
import { changePassword, mintLinks, redeem } from '../../lab/passwords.js';
import { PASSWORD } from '../../lab/users.js';
import type { Act, Stand, Step } from './act.js';

const CHOSEN = 'eleven teal otters juggle';
/** A change is a transaction, whose statements have no names. */
const COMMIT = /^commit$/;

const answered = (answer: Answer, status: number): Step => [answer, answer.status === status];

async function accessTokenOf(url: string, email: string): Promise<string> {
  return String((await login(url, email, PASSWORD)).body['access_token']);
}

const PASSWORD_ACTS: readonly Act[] = [
  {
    name: 'change of a password',
    statement: COMMIT,
    once: { passwords: 1, live: -1, user_password_changed: 1 },
    prepare: async ({ url, db, gateways, newUser }) => {
      const email = newUser();
      const token = await accessTokenOf(url, email);
      await mintSessions(gateways, db, email, 1); // which the change ends
      return {
        ask: () => changePassword(url, token, [PASSWORD, CHOSEN]),
        next: async (isDone) => [
          answered(await login(url, email, PASSWORD), isDone ? 401 : 200),
          answered(await login(url, email, CHOSEN), isDone ? 200 : 401),
        ],
      };
    },
  },
  {
    name: 'redemption of a link',
    statement: COMMIT,
    once: { passwords: 1, links: -1, user_password_set: 1 },
    prepare: async ({ url, db, newUser }) => {
      const email = newUser();
      const [{ token } = { token: '' }] = await mintLinks(db, [email]);
      const attempt = () => redeem(url, token, CHOSEN);
      return {
        ask: attempt,
        next: async (isDone) => [
          answered(await attempt(), isDone ? 401 : 204),
          answered(await login(url, email, CHOSEN), 200),
        ],
      };
    },
  },
];

/** @param inputFor prepares what is changed. @returns an act whose mutation has this input */
function administration(
  name: string,
  once: Act['once'],
  mutation: string,
  inputFor: (stand: Stand) => Promise<object>,
): Act {
  return {
    name,
    statement: COMMIT,
    once,
    prepare: async (stand) => {
      const authorization = `Bearer ${await accessTokenOf(stand.url, stand.admin)}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const body = JSON.stringify({ query: mutation, variables: { input: await inputFor(stand) } });
      const attempt = (): Promise<Answer> => ask(stand.url, '/graphql', { headers, body });
      return {
        ask: attempt,
        next: async () => {
          const answer = await attempt();
          return [[answer, answer.status === 200 && answer.body['errors'] === undefined]];
        },
      };
    },
  };
}

/** @returns the id of a new user with one session */
async function withSession({ db, gateways, newUser }: Stand): Promise<string> {
  const email = newUser();
  await mintSessions(gateways, db, email, 1);
  const [user] = await db.query<{ id: string }>('select id from users where email = $1', [email]);
  return user?.id ?? '';
}

const ADMINISTRATION_ACTS: readonly Act[] = [
  administration(
    'change of a role',
    { analysts: 1, user_role_changed: 1 },
    'mutation ($input: SetUserRoleInput!) { setUserRole(input: $input) { user { role } } }',
    async ({ db, newUser }) => {
      const [user] = await db.query<{ id: string }>('select id from users where email = $1', [newUser()]);
      return { id: user?.id, role: 'analyst' };
    },
  ),
  administration(
    'revocation of a session',
    { live: -1, session_revoked: 1 },
    'mutation ($input: RevokeSessionInput!) { revokeSession(input: $input) { session { id } } }',
    async ({ db, gateways, newUser }) => {
      const email = newUser();
      await mintSessions(gateways, db, email, 1);
      const [session] = await db.query<{ id: string }>(
        'select family_id as id from refresh_tokens join users on id = user_id where email = $1',
        [email],
      );
      return { id: session?.id };
    },
  ),
  administration(
    'deactivation of many users',
    { live: -2, user_deactivated: 2 },
    'mutation ($input: SetUsersActiveInput!) { setUsersActive(input: $input) { revokedSessionCount } }',
    async (stand) => ({ ids: [await withSession(stand), await withSession(stand)], isActive: false }),
  ),
  administration(
    'end of the sessions of many users',
    { live: -2, session_revoked: 2 },
    'mutation ($input: RevokeSessionsOfUsersInput!) { revokeSessionsOfUsers(input: $input) { revokedSessionCount } }',
    async (stand) => ({ ids: [await withSession(stand), await withSession(stand)] }),
  ),
  administration(
    'import of users',
    { analysts: 2, user_created: 2 },
    'mutation ($input: ImportUsersInput!) { importUsers(input: $input) { userCount } }',
    async () => ({
      lines: [randomUUID(), randomUUID()].map((name) => `{"email":"${name}@example.com","role":"analyst"}`),
    }),
  ),
  administration(
    'creation of an API key',
    { api_keys: 1, api_key_created: 1 },
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }',
    async () => ({ serviceName: 'evidence', scopes: ['a:b'], rateLimit: 10 }),
  ),
];

export const CHANGE_ACTS: readonly Act[] = [...PASSWORD_ACTS, ...ADMINISTRATION_ACTS];

/** @param gateways whose database gets its key */
export async function signedAct(gateways: Gateways): Promise<Act> {
  const key = await createApiKey(gateways, 1_000_000);
  return {
    name: 'signed request',
    statement: /^admit_api_key(_batch)?$/,
    once: {},
    prepare: async ({ url }) => {
      const signed = signAs(key);
      return {
        ask: () => sendSigned(url, signed),
        // If its nonce is used up, the client signs anew.
        next: async (isDone) => [
          answered(await sendSigned(url, signed), isDone ? 401 : 200),
          answered(await sendSigned(url, signAs(key)), 200),
        ],
      };
    },
  };
}
