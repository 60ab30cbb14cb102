/** A gateway with forward authentication, and callers of every kind. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askAs, FORWARD_AUTH, signedOriginal } from '../../support/gateway/authz.js';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.js';
import { type IssuedKey, newApiKey, newCronKey, newcomer } from '../../support/gateway/graphql.js';

export type CallerName = 'viewer' | 'analyst' | 'admin' | 'key' | 'many' | 'limited' | 'cron';

export interface Credentials {
  gateway: TestGateway;
  keys: Record<'key' | 'many' | 'limited', IssuedKey>;
  /** What stands in the braces of a field, as in `Authorization: Bearer {viewer}` */
  secrets: Record<'viewer' | 'analyst' | 'admin' | 'cron' | 'refresh' | 'assertion', string>;
  /** By X-Auth-Caller-Id: the first three identity fields, and the scopes */
  callers: Map<string, { name: CallerName; fields: string[] }>;
}

/** 50 scopes of 60 characters, as many as a key may have */
const MANY_SCOPES = Array.from({ length: 50 }, (_, i) => `${`resource_${i}`.padEnd(29, 'x')}:${'y'.repeat(30)}`);

export async function startCredentials(cleanUp: AsyncDisposableStack): Promise<Credentials> {
  const folder = await mkdtemp(join(tmpdir(), 'forward-auth-'));
  cleanUp.defer(() => rm(folder, { recursive: true }));
  const roleScopes = join(folder, 'role-scopes.json');
  await writeFile(roleScopes, JSON.stringify({ analyst: ['invoices:read'] }));
  const env = { ...FORWARD_AUTH, ROLE_SCOPES_FILE: roleScopes, TRUST_PROXY: '127.0.0.1' };
  const gateway = await startGateway({ env });
  cleanUp.defer(gateway.close);

  const [viewer, analyst, admin] = [
    await newcomer(gateway, 'viewer'),
    await newcomer(gateway, 'analyst'),
    await newcomer(gateway, 'admin'),
  ];
  const keys = {
    key: await newApiKey(gateway, ['invoices:read']),
    many: await newApiKey(gateway, MANY_SCOPES),
    limited: await newApiKey(gateway, [], 1),
  };
  const cron = await newCronKey(gateway);
  const own = await askAs(gateway, 'forward-auth', 'caller=user', {
    headers: { authorization: `Bearer ${admin.accessToken}` },
  });
  const known = (name: CallerName, type: string, id: string, role: string, scopes: string): [string, object] => [
    id,
    { name, fields: [type, id, role, scopes] },
  ];
  return {
    gateway,
    keys,
    secrets: {
      viewer: viewer.accessToken,
      analyst: analyst.accessToken,
      admin: admin.accessToken,
      cron: cron.secret,
      refresh: admin.refreshToken,
      assertion: String(own.headers['x-auth-assertion']),
    },
    callers: new Map([
      known('viewer', 'user', viewer.user.id, 'viewer', '-'),
      known('analyst', 'user', analyst.user.id, 'analyst', 'users:read sessions:read audit:read invoices:read'),
      known('admin', 'user', admin.user.id, 'admin', String(own.headers['x-auth-scopes'])),
      known('key', 'api_key', keys.key.keyId, '-', 'invoices:read'),
      known('many', 'api_key', keys.many.keyId, '-', MANY_SCOPES.join(' ')),
      known('limited', 'api_key', keys.limited.keyId, '-', '-'),
      known('cron', 'cron', cron.keyId, '-', '-'),
    ]) as Credentials['callers'],
  };
}

/** The fields that this caller sends: a signature is of this request. */
export function credentialOf(
  { gateway, keys, secrets }: Credentials,
  caller: CallerName | 'nobody',
  request: { method?: string; target?: string; body?: string; authority?: string; nonce?: string } = {},
): Record<string, string | string[]> {
  switch (caller) {
    case 'nobody':
      return {};
    case 'cron':
      return { 'X-Internal-Key': secrets.cron };
    case 'key':
    case 'many':
    case 'limited':
      return signedOriginal(gateway, keys[caller], request).headers;
    default:
      return { Authorization: `Bearer ${secrets[caller]}` };
  }
}
