/** `POST /graphql` as each kind of caller: an access token, a signed request, an internal key, or nothing at all. */
import { COMMAND_LINE } from '../../../src/admin/administer.js';
import { createApiKey } from '../../../src/admin/api-keys.js';
import { createCronKey } from '../../../src/admin/cron-keys.js';
import type { ListedUser } from '../../../src/admin/users.js';
import type { Role } from '../../../src/domain/roles.js';
import { signByHand } from '../independent/signer.js';
import { type Answer, type Instance, logIn, PASSWORD, type TestGateway } from './gateway.js';

/** The headers that a caller sends with a body. */
export type As = (body: string) => Record<string, string | string[]>;

export interface GraphqlAnswer extends Answer {
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
  data: any;
  errors: Array<{ message: string; path?: unknown[]; extensions: Record<string, unknown> }>;
  /** `extensions.code` of the first error */
  code: unknown;
  /** `extensions.reason` of the first error */
  reason: unknown;
}

export async function ask(on: Instance, as: As, query: string, variables: object = {}): Promise<GraphqlAnswer> {
  const body = JSON.stringify({ query, variables });
  const answer = await on.send('POST', '/graphql', {
    headers: { 'content-type': 'application/json', ...as(body) },
    body,
  });
  const errors: GraphqlAnswer['errors'] = answer.json?.errors ?? [];
  const { code, reason } = errors[0]?.extensions ?? {};
  return { ...answer, data: answer.json?.data, errors, code, reason };
}

/** The data of an answer. @throws if it has an error */
// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
export async function dataOf(on: Instance, as: As, query: string, variables: object = {}): Promise<any> {
  const { status, text, data, errors } = await ask(on, as, query, variables);
  if (status !== 200 || errors.length > 0) throw new Error(`${status} ${text}`);
  return data;
}

/** The nodes of a connection. */
// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
export function nodesOf<Node = any>({ edges }: { edges: Array<{ node: Node }> }): Node[] {
  return edges.map(({ node }) => node);
}

export const nobody: As = () => ({});

export function bearer(accessToken: string): As {
  return () => ({ authorization: `Bearer ${accessToken}` });
}

export function internalKey(value: string): As {
  return () => ({ 'x-internal-key': value });
}

/** Signs each request anew, at the gateway's time. */
export function signed({ clock, config }: Pick<TestGateway, 'clock' | 'config'>, keyId: string, secret: string): As {
  return (body) => {
    const nowSeconds = Math.floor(clock.now().getTime() / 1000);
    const { headers } = signByHand({ keyId, secret, authority: config.publicAuthority, nowSeconds, body });
    return Object.fromEntries(headers);
  };
}

export interface SignedIn {
  user: ListedUser;
  as: As;
  accessToken: string;
  refreshToken: string;
}

/** Logs a user in. */
export async function signIn(on: Instance, user: ListedUser, password = PASSWORD): Promise<SignedIn> {
  const { answer, refreshToken } = await logIn(on, user.email, password);
  const accessToken: string = answer.json.access_token;
  return { user, as: bearer(accessToken), accessToken, refreshToken };
}

/** A fresh user of this role, logged in. */
export async function newcomer(gateway: TestGateway, role: Role = 'viewer'): Promise<SignedIn> {
  return signIn(gateway, await gateway.user({ role }));
}

export interface IssuedKey {
  keyId: string;
  as: As;
  secret: string;
}

const ROOMY_LIMIT = 1_000_000;

export async function newApiKey(
  gateway: TestGateway,
  scopes: string[] = [],
  rateLimit = ROOMY_LIMIT,
  expiresAt: Date | null = null,
): Promise<IssuedKey> {
  const fields = { serviceName: 'reports', scopes, rateLimit, expiresAt };
  const { key, secret } = await createApiKey(gateway.app, COMMAND_LINE, fields);
  return { keyId: key.keyId, as: signed(gateway, key.keyId, secret), secret };
}

/** `secret` is the whole value of the header. */
export async function newCronKey(
  gateway: TestGateway,
  scopes: string[] = [],
  expiresAt: Date | null = null,
): Promise<IssuedKey> {
  const fields = { serviceName: 'nightly', scopes, expiresAt };
  const { key, headerValue } = await createCronKey(gateway.app, COMMAND_LINE, fields);
  return { keyId: key.keyId, as: internalKey(headerValue), secret: headerValue };
}

/** The events of a session, page by page. */
export const STORY = `query ($id: ID!, $first: Int, $after: String) {
  session(id: $id) {
    events(first: $first, after: $after) {
      nodes { id kind isTheft createdAt jti ipAddress userAgent detail } pageInfo { hasNextPage endCursor }
    }
  }
}`;
