/** CONTRACT 9: `api-key …` and `cron-key …`. */
import { COMMAND_LINE } from '../admin/administer.js';
import {
  createApiKey,
  type ListedApiKey,
  listApiKeys,
  liveSecretCount,
  OVERLAP_SECONDS,
  revokeApiKey,
  rotateApiKey,
} from '../admin/api-keys.js';
import { createCronKey, type ListedCronKey, listCronKeys, revokeCronKey } from '../admin/cron-keys.js';
import { everyRow } from '../admin/page.js';
import { type Command, command } from './command.js';
import { list, optional, required, text, wholeNumber, word } from './parameters.js';
import type { Printable } from './terminal.js';

const KEY = { service: required('N', text), scope: list('S') };
const KEY_ID = word('ID', 'name the key by its ID');

export const keyCommands: Record<string, Command> = {
  'api-key create': command({
    on: 'database and keyring',
    takes: { ...KEY, 'rate-limit': required('N', wholeNumber) },
    run: async (context, { service: serviceName, scope: scopes, 'rate-limit': rateLimit }) => {
      const { key, secret } = await createApiKey(context, COMMAND_LINE, { serviceName, scopes, rateLimit });
      const { keyId: key_id, serviceName: service_name, rateLimit: rate_limit } = key;
      return { key_id, secret, service_name, scopes: key.scopes, rate_limit };
    },
  }),
  'api-key list': command({
    on: 'database',
    run: async (context) => {
      const now = context.clock.now();
      return (await everyRow((page) => listApiKeys(context, page))).map((key) => printableApiKey(key, now));
    },
  }),
  'api-key rotate': command({
    on: 'database and keyring',
    takes: { id: KEY_ID, overlap: optional('SECONDS', wholeNumber) },
    run: async (context, { id, overlap = OVERLAP_SECONDS }) => {
      const { key, secret } = await rotateApiKey(context, COMMAND_LINE, id, overlap);
      return { key_id: key.keyId, secret, previous_ends_at: key.previousEndsAt?.toISOString() ?? null };
    },
  }),
  'api-key revoke': command({
    on: 'database',
    takes: { id: KEY_ID },
    run: async (context, { id }) => printableApiKey(await revokeApiKey(context, COMMAND_LINE, id), context.clock.now()),
  }),
  'cron-key create': command({
    on: 'database',
    takes: KEY,
    run: async (context, { service: serviceName, scope: scopes }) => {
      const { key, headerValue } = await createCronKey(context, COMMAND_LINE, { serviceName, scopes });
      return { key_id: key.keyId, key: headerValue, service_name: key.serviceName, scopes: key.scopes };
    },
  }),
  'cron-key list': command({
    on: 'database',
    run: async (context) => (await everyRow((page) => listCronKeys(context, page))).map(printableKey),
  }),
  'cron-key revoke': command({
    on: 'database',
    takes: { id: KEY_ID },
    run: async (context, { id }) => printableKey(await revokeCronKey(context, COMMAND_LINE, id)),
  }),
};

function printableKey(key: ListedCronKey): Printable {
  return {
    key_id: key.keyId,
    service_name: key.serviceName,
    scopes: key.scopes,
    active: key.revokedAt === null,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}

function printableApiKey(key: ListedApiKey, now: Date): Printable {
  return { ...printableKey(key), rate_limit: key.rateLimit, secrets_live: liveSecretCount(key, now) };
}
