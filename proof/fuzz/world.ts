/** The gateway under fuzz, and those who call it. */

import { Writable } from 'node:stream';
import { createLogger } from '../../src/platform/create-logger.js';
import { FORWARD_AUTH } from '../../test/support/gateway/authz.js';
import { logIn, startGateway } from '../../test/support/gateway/gateway.js';
import { newApiKey, newCronKey, newcomer, signIn } from '../../test/support/gateway/graphql.js';
import type { World } from './request.js';

const ALL_SCOPES = [
  'users:read',
  'users:write',
  'sessions:read',
  'sessions:write',
  'audit:read',
  'keys:read',
  'keys:write',
  'webhooks:read',
  'webhooks:write',
  'gateway:read',
  'tokens:introspect',
];
const SESSIONS = 200;

/**
 * @param introspection whether the schema can be read, by which messages of GraphQL differ
 * @param onLine gets every log line as it is written: a long run would fill the memory with them
 */
export async function createWorld(introspection: boolean, onLine: (line: string) => void): Promise<World> {
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      onLine(chunk.toString('utf8'));
      done();
    },
  });
  const gateway = await startGateway({
    log: createLogger('trace', stream),
    env: {
      TRUST_PROXY: '127.0.0.1',
      LOGIN_MAX_FAILURES: '1000000',
      CORS_ORIGINS: 'https://app.example',
      GRAPHQL_INTROSPECTION: String(introspection),
      ...FORWARD_AUTH,
    },
  });
  const known = await signIn(gateway, await gateway.user({ email: 'known@example.com' }));
  const locked = await gateway.user({ email: 'locked@example.com' });
  await gateway.rows(`update users set locked_until = now() + interval '100 years' where id = $1`, [locked.id]);
  await gateway.user({ email: 'bystander@example.com' });

  const targets = [await newcomer(gateway), await newcomer(gateway, 'analyst'), await newcomer(gateway, 'admin')];
  const sessions = await gateway.rows<{ family_id: string }>('select distinct family_id from refresh_tokens');
  const keys = [
    await newApiKey(gateway, ['own:thing']),
    await newCronKey(gateway),
    await newApiKey(gateway, ALL_SCOPES),
  ];
  const refreshTokens = [];
  for (let i = 0; i < SESSIONS; i += 1) refreshTokens.push((await logIn(gateway, known.user.email)).refreshToken);
  return {
    gateway,
    host: new URL(gateway.url).host,
    known,
    admin: await newcomer(gateway, 'admin'),
    targets: {
      userIds: targets.map(({ user }) => user.id),
      sessionIds: sessions.map(({ family_id }) => family_id),
      keyIds: keys.map(({ keyId }) => keyId),
    },
    api: await newApiKey(gateway, ALL_SCOPES),
    cron: await newCronKey(gateway, ALL_SCOPES),
    refreshTokens,
  };
}
