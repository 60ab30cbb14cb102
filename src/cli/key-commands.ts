/** The commands `api-key …` and `cron-key …`. (Interface 9) */
import { COMMAND_LINE } from '../admin/administer.js';
import { createApiKey, type ListedApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../admin/api-keys.js';
import { createCronKey, type ListedCronKey, listCronKeys, revokeCronKey, rotateCronKey } from '../admin/cron-keys.js';
import { type KeyState, liveSecretCount, OVERLAP_SECONDS, previousSecretEndsAt } from '../admin/key-fields.js';
import { everyRow } from '../listing/page.js';
import { type Command, command } from './command.js';
import { until } from './moments.js';
import { duration, text, wholeNumber } from './parameter-types.js';
import { flag, list, optional, required, word } from './parameters.js';
import { type Printable, printMessage, type Terminal } from './terminal.js';

const KEY = {
  service: required(text('NAME'), 'the service that uses the key'),
  scope: list(text('SCOPE'), 'a granted scope, resource:action; repeated or separated by commas'),
  expires: optional(until, 'when it expires: a duration such as 90d, or a time; by default never'),
};
const KEY_ID = word(text('ID'), 'the ID of the key', 'name one key by its ID');

const ROTATION = {
  id: KEY_ID,
  overlap: optional(duration, 'how long the current secret stays valid: 24h by default; 0 after a leak'),
  force: flag('rotate even if two secrets are valid; the older one ends at once'),
  expires: optional(until, 'when the key expires from now on; by default as before'),
};
const rotationLoss = ({ overlap }: { overlap?: number | undefined }): string | undefined =>
  overlap === 0 ? 'every current secret of the key will be refused at once' : undefined;

/** @returns when the previous secret ends, for the result; a message says it too */
function sayPrevious(terminal: Terminal, { previousEndsAt }: KeyState): string | null {
  const ends = previousEndsAt?.toISOString() ?? null;
  if (ends !== null) {
    const again = 'to rotate again before then, use --force or --overlap 0';
    printMessage(terminal, `the previous secret is valid until ${ends}; ${again}`);
  }
  return ends;
}

const revocationLoss = (): string => 'the key will be revoked at once on all instances; this cannot be undone';

const KEY_FIELDS =
  'key_id, service_name, scopes, created_at, last_used_at, revoked_at, expires_at, live_secret_count, previous_secret_ends_at';
const KEY_JSON = `\`{${KEY_FIELDS}}\``;
const API_KEY_JSON = `\`{${KEY_FIELDS}, rate_limit}\``;

export const keyCommands: Record<string, Command> = {
  'api-key create': command({
    summary: 'create a key for a service that signs its requests; the secret will not be shown again',
    example: 'api-key create --service billing --scope invoices:read --rate-limit 60',
    prints: '`{key_id, secret, service_name, scopes, rate_limit}`, and `expires_at` if it expires',
    on: 'database and keyring',
    takes: { ...KEY, 'rate-limit': required(wholeNumber, 'requests per minute') },
    run: async (context, { service: serviceName, scope: scopes, 'rate-limit': rateLimit, expires }) => {
      const expiresAt = expires?.(context.clock.now()) ?? null;
      const { key, secret } = await createApiKey(context, COMMAND_LINE, { serviceName, scopes, rateLimit, expiresAt });
      const { keyId: key_id, serviceName: service_name, rateLimit: rate_limit } = key;
      return { key_id, secret, service_name, scopes: key.scopes, rate_limit, ...expiry(key) };
    },
  }),
  'api-key list': command({
    summary: 'list all API keys, oldest first, including revoked ones',
    prints: API_KEY_JSON,
    on: 'database',
    run: async (context) => {
      const now = context.clock.now();
      return (await everyRow((page) => listApiKeys(context, {}, page))).map((key) => printableApiKey(key, now));
    },
  }),
  'api-key rotate': command({
    summary:
      'give a key a new secret; the current one stays valid for the overlap, during which --force is needed to rotate again',
    example: 'api-key rotate ak_… --overlap 7d',
    prints: '`{key_id, secret, previous_secret_ends_at}`, and `expires_at` if it expires',
    on: 'database and keyring',
    takes: ROTATION,
    destroys: rotationLoss,
    run: async (context, { id, overlap: overlapSeconds = OVERLAP_SECONDS, force, expires }) => {
      const rotation = { overlapSeconds, force, expiresAt: expires?.(context.clock.now()) ?? null };
      const { key, secret } = await rotateApiKey(context, COMMAND_LINE, id, rotation);
      const previous_secret_ends_at = sayPrevious(context.terminal, key);
      return { key_id: key.keyId, secret, previous_secret_ends_at, ...expiry(key) };
    },
  }),
  'api-key revoke': command({
    summary: 'revoke a key at once',
    prints: API_KEY_JSON,
    on: 'database',
    takes: { id: KEY_ID },
    destroys: revocationLoss,
    run: async (context, { id }) => printableApiKey(await revokeApiKey(context, COMMAND_LINE, id), context.clock.now()),
  }),
  'cron-key create': command({
    summary: 'create a key for a scheduled job; its X-Internal-Key will not be shown again',
    example: 'cron-key create --service nightly-report --scope reports:write',
    prints:
      '`{key_id, header_value, service_name, scopes}`, and `expires_at` if it expires; `header_value` is the whole of `X-Internal-Key` (`key` is the same, deprecated)',
    on: 'database',
    takes: KEY,
    run: async (context, { service: serviceName, scope: scopes, expires, json }) => {
      const expiresAt = expires?.(context.clock.now()) ?? null;
      const { key, headerValue } = await createCronKey(context, COMMAND_LINE, { serviceName, scopes, expiresAt });
      const { keyId: key_id, serviceName: service_name } = key;
      const old = json ? { key: headerValue } : {}; // the deprecated name
      return { key_id, header_value: headerValue, ...old, service_name, scopes: key.scopes, ...expiry(key) };
    },
  }),
  'cron-key list': command({
    summary: 'list all cron keys, oldest first, including revoked ones',
    prints: KEY_JSON,
    on: 'database',
    run: async (context) => {
      const now = context.clock.now();
      return (await everyRow((page) => listCronKeys(context, {}, page))).map((key) => printableKey(key, now));
    },
  }),
  'cron-key rotate': command({
    summary:
      'give a key a new secret; the current one stays valid for the overlap, during which --force is needed to rotate again',
    example: 'cron-key rotate ck_… --overlap 7d',
    prints: '`{key_id, header_value, previous_secret_ends_at}`, and `expires_at` if it expires',
    on: 'database',
    takes: ROTATION,
    destroys: rotationLoss,
    run: async (context, { id, overlap: overlapSeconds = OVERLAP_SECONDS, force, expires }) => {
      const rotation = { overlapSeconds, force, expiresAt: expires?.(context.clock.now()) ?? null };
      const { key, headerValue } = await rotateCronKey(context, COMMAND_LINE, id, rotation);
      const previous_secret_ends_at = sayPrevious(context.terminal, key);
      return { key_id: key.keyId, header_value: headerValue, previous_secret_ends_at, ...expiry(key) };
    },
  }),
  'cron-key revoke': command({
    summary: 'revoke a key at once',
    prints: KEY_JSON,
    on: 'database',
    takes: { id: KEY_ID },
    destroys: revocationLoss,
    run: async (context, { id }) => printableKey(await revokeCronKey(context, COMMAND_LINE, id), context.clock.now()),
  }),
};

/** Shown only for a key that expires */
function expiry({ expiresAt }: KeyState): Printable {
  return expiresAt === null ? {} : { expires_at: expiresAt.toISOString() };
}

function printableKey(key: ListedCronKey, now: Date): Printable {
  return {
    key_id: key.keyId,
    service_name: key.serviceName,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    live_secret_count: liveSecretCount(key, now),
    previous_secret_ends_at: previousSecretEndsAt(key, now)?.toISOString() ?? null,
  };
}

function printableApiKey(key: ListedApiKey, now: Date): Printable {
  return { ...printableKey(key, now), rate_limit: key.rateLimit };
}
