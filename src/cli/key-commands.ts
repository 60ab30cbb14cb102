/** CONTRACT 9: `api-key …` and `cron-key …`. */
import { COMMAND_LINE } from '../admin/administer.js';
import {
  createApiKey,
  type ListedApiKey,
  listApiKeys,
  OVERLAP_SECONDS,
  revokeApiKey,
  rotateApiKey,
  secretsLive,
} from '../admin/api-keys.js';
import { createCronKey, type ListedCronKey, listCronKeys, revokeCronKey } from '../admin/cron-keys.js';
import { everyRow } from '../admin/page.js';
import { UsageError, type Words } from './arguments.js';
import { type Command, command } from './command.js';
import type { Printable } from './terminal.js';

const text = { type: 'string' } as const;
const CREATE_OPTIONS = { service: text, scope: { type: 'string', multiple: true } } as const;
/** Scopes may follow `--scope` as several words. */
const MAX_WORDS = 50;

export const keyCommands: Record<string, Command> = {
  'api-key create': command({
    on: 'database and keyring',
    usage: '--service N --scope S… --rate-limit N',
    options: { ...CREATE_OPTIONS, 'rate-limit': text },
    positionals: MAX_WORDS,
    run: async (context, words) => {
      const { key, secret } = await createApiKey(context, COMMAND_LINE, {
        serviceName: words.required('service'),
        scopes: scopesOf(words),
        rateLimit: wholeNumber('rate-limit', words.required('rate-limit')),
      });
      const { keyId: key_id, serviceName: service_name, scopes, rateLimit: rate_limit } = key;
      return { key_id, secret, service_name, scopes, rate_limit };
    },
  }),
  'api-key list': command({
    on: 'database',
    usage: '',
    run: async (context) => {
      const now = context.clock.now();
      return (await everyRow((page) => listApiKeys(context, page))).map((key) => printableApiKey(key, now));
    },
  }),
  'api-key rotate': command({
    on: 'database and keyring',
    usage: 'ID [--overlap SECONDS]',
    options: { overlap: text },
    positionals: 1,
    run: async (context, words) => {
      const overlap = words.option('overlap');
      const seconds = overlap === undefined ? OVERLAP_SECONDS : wholeNumber('overlap', overlap);
      const { key, secret } = await rotateApiKey(context, COMMAND_LINE, keyIdOf(words), seconds);
      const { keyId: key_id, previousEndsAt } = key;
      return { key_id, secret, previous_ends_at: previousEndsAt?.toISOString() ?? null };
    },
  }),
  'api-key revoke': command({
    on: 'database',
    usage: 'ID',
    positionals: 1,
    run: async (context, words) =>
      printableApiKey(await revokeApiKey(context, COMMAND_LINE, keyIdOf(words)), context.clock.now()),
  }),
  'cron-key create': command({
    on: 'database',
    usage: '--service N --scope S…',
    options: CREATE_OPTIONS,
    positionals: MAX_WORDS,
    run: async (context, words) => {
      const { key, value } = await createCronKey(context, COMMAND_LINE, {
        serviceName: words.required('service'),
        scopes: scopesOf(words),
      });
      return { key_id: key.keyId, key: value, service_name: key.serviceName, scopes: key.scopes };
    },
  }),
  'cron-key list': command({
    on: 'database',
    usage: '',
    run: async (context) => (await everyRow((page) => listCronKeys(context, page))).map(printableKey),
  }),
  'cron-key revoke': command({
    on: 'database',
    usage: 'ID',
    positionals: 1,
    run: async (context, words) => printableKey(await revokeCronKey(context, COMMAND_LINE, keyIdOf(words))),
  }),
};

function scopesOf(words: Words): string[] {
  return [...words.all('scope'), ...words.positionals].flatMap((scopes) => scopes.split(',')).filter(Boolean);
}

function keyIdOf({ positionals: [id] }: Words): string {
  if (id === undefined) throw new UsageError('name the key by its ID');
  return id;
}

function wholeNumber(option: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`--${option} is a whole number`);
  return Number(value);
}

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
  return { ...printableKey(key), rate_limit: key.rateLimit, secrets_live: secretsLive(key, now) };
}
