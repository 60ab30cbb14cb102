/**
 * The peer: node-oidc-provider, whose refresh tokens are rotated and whose access tokens are JWTs signed with Ed25519, as
 * the gateway's. Its adapter keeps JSONB in PostgreSQL, with the indexes that its documentation names, by named statements.
 */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { OAUTH_CLIENT } from '../requests.js';
import { peerModule } from './peer-module.js';
import { doTasks } from './task.js';

/** As the gateway has it for its routes */
const POOL_SIZE = 16;
const ISSUER = 'http://localhost:3000';
const RESOURCE = 'urn:bench';
const ACCOUNT = '0193b0c0-0000-7000-8000-000000000000';
const ACCESS_SECONDS = 900;
const REFRESH_SECONDS = 1_209_600;

/** With free space on each page, as the gateway's table of refresh tokens has it: a token is marked as used in its place. */
const TABLE = `
  create table if not exists oidc_payloads (
    type text, id text, payload jsonb not null, grant_id text, user_code text, uid text,
    expires_at timestamptz, consumed_at timestamptz, primary key (id, type)
  ) with (fillfactor = 85);
  create index if not exists oidc_grant_id on oidc_payloads (grant_id) where grant_id is not null;
  create index if not exists oidc_user_code on oidc_payloads (user_code) where user_code is not null;
  create index if not exists oidc_uid on oidc_payloads (uid) where uid is not null;
  create index if not exists oidc_expires_at on oidc_payloads (expires_at)`;

interface Payload {
  grantId?: string;
  userCode?: string;
  uid?: string;
}

/** What is used of the package, which is not among ours and brings no types. */
interface Provider {
  callback(): (req: unknown, res: unknown) => void;
  Client: { find(id: string): Promise<object> };
  Grant: new (of: object) => { addResourceScope(resource: string, scope: string): void; save(): Promise<string> };
  RefreshToken: new (of: object) => { save(): Promise<string> };
}

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: POOL_SIZE });
await pool.query(TABLE);

const run = async (name: string, text: string, values: unknown[]): Promise<Array<Record<string, unknown>>> =>
  (await pool.query({ name, text, values })).rows;

class Adapter {
  constructor(private readonly type: string) {}

  async upsert(id: string, payload: Payload, expiresIn: number): Promise<void> {
    const expiresAt = expiresIn ? new Date(Date.now() + expiresIn * 1000) : null;
    const text = `
      insert into oidc_payloads (type, id, payload, grant_id, user_code, uid, expires_at) values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (id, type) do update set payload = excluded.payload, expires_at = excluded.expires_at`;
    const { grantId, userCode, uid } = payload;
    await run('upsert', text, [this.type, id, JSON.stringify(payload), grantId, userCode, uid, expiresAt]);
  }

  async find(id: string): Promise<Payload | undefined> {
    const text = 'select payload, consumed_at from oidc_payloads where id = $1 and type = $2';
    return found(await run('find', text, [id, this.type]));
  }

  async findByUid(uid: string): Promise<Payload | undefined> {
    const text = 'select payload, consumed_at from oidc_payloads where uid = $1 and type = $2';
    return found(await run('find_by_uid', text, [uid, this.type]));
  }

  async findByUserCode(userCode: string): Promise<Payload | undefined> {
    const text = 'select payload, consumed_at from oidc_payloads where user_code = $1 and type = $2';
    return found(await run('find_by_user_code', text, [userCode, this.type]));
  }

  async destroy(id: string): Promise<void> {
    await run('destroy', 'delete from oidc_payloads where id = $1 and type = $2', [id, this.type]);
  }

  async consume(id: string): Promise<void> {
    await run('consume', 'update oidc_payloads set consumed_at = now() where id = $1 and type = $2', [id, this.type]);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await run('revoke_by_grant_id', 'delete from oidc_payloads where grant_id = $1', [grantId]);
  }
}

function found([row]: Array<Record<string, unknown>>): Payload | undefined {
  if (row === undefined) return undefined;
  const { payload, consumed_at: consumedAt } = row;
  const consumed = consumedAt instanceof Date ? { consumed: Math.floor(consumedAt.getTime() / 1000) } : {};
  return { ...(payload as Payload), ...consumed };
}

const { default: Provider } = await peerModule<{
  default: new (issuer: string, configuration: object) => Provider;
}>('index.js');
const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const scope = 'a:b';
const provider = new Provider(ISSUER, {
  adapter: Adapter,
  clients: [
    {
      client_id: OAUTH_CLIENT,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['http://localhost/'],
      id_token_signed_response_alg: 'EdDSA',
    },
  ],
  jwks: { keys: [{ ...key, alg: 'EdDSA', use: 'sig' }] },
  findAccount: (_ctx: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  features: {
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => RESOURCE,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'EdDSA' } } }),
    },
  },
  rotateRefreshToken: true,
  ttl: { AccessToken: ACCESS_SECONDS, RefreshToken: REFRESH_SECONDS, Grant: REFRESH_SECONDS },
});

/** As a login that was consented to would have begun it */
async function beginSession(): Promise<string> {
  const grant = new provider.Grant({ accountId: ACCOUNT, clientId: OAUTH_CLIENT });
  grant.addResourceScope(RESOURCE, scope);
  const grantId = await grant.save();
  const client = await provider.Client.find(OAUTH_CLIENT);
  const of = { accountId: ACCOUNT, client, grantId, gty: 'authorization_code', resource: RESOURCE, scope };
  return new provider.RefreshToken(of).save();
}

const server = createServer(provider.callback()).listen(0, '127.0.0.1', () => {
  doTasks<{ sessions: number }, string[]>(
    ({ sessions }) => Promise.all(Array.from({ length: sessions }, beginSession)),
    (server.address() as AddressInfo).port,
  );
});
