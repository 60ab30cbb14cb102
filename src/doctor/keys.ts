/** `doctor`: the keyring, the secrets that it seals, and keys that will expire. (Interface 3, 6, 9 and 17) */
import { realpath, stat } from 'node:fs/promises';
import { importKeys } from '../credentials/keyring/import-keys.js';
import { KeyringError } from '../credentials/keyring/keyring-error.js';
import { readKeyringFile } from '../credentials/keyring/keyring-file.js';
import { type PrivateJwk, purposeOf } from '../credentials/keyring/private-jwks.js';
import { sealedBy } from '../credentials/sealed-secret.js';
import { isLive } from '../db/live-key.js';
import { schemaState } from '../db/migrate.js';
import { only, statement } from '../db/statement.js';
import { addSeconds, epochSeconds } from '../platform/clock.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

/**
 * When a rotation is due, in days. A stolen key is useful until it is rotated out, a rotation logs nobody out, and who
 * rotates four times a year can do it in an emergency.
 */
const ROTATE_AFTER_DAYS = 90;
const DAY_SECONDS = 86_400;

export async function checkKeyring({ clock, config: { keyringFile }, machine }: Surroundings): Promise<Finding[]> {
  const now = clock.now();
  let read: Awaited<ReturnType<typeof readKeyringFile>>;
  try {
    read = await readKeyringFile(keyringFile);
    await importKeys(read.jwks, now); // as a start would
  } catch (error) {
    if (!(error instanceof KeyringError)) throw error;
    const backup = `put the keyring of your backup at ${keyringFile}, or set KEYRING_FILE to where it is`;
    return [fault('keyring', error.reason, error.remedy ?? backup)];
  }
  const { jwks, warning: readable } = read;
  const file = await realpath(keyringFile);
  const { mode, mtimeMs, uid } = await stat(file);
  const owned = `${file} is of user ${uid}, mode ${(mode & 0o777).toString(8).padStart(4, '0')}`;
  const isForeign = machine.uid !== 0 && uid !== 0 && uid !== machine.uid;
  /** Only keys of a rotation have a time */
  const since = jwks.find((jwk) => purposeOf(jwk) === 'access')?.nbf ?? mtimeMs / 1000;
  const owner = `${owned}: its owner, neither this user (${machine.uid}) nor root, can replace the keys`;
  return [
    ok('keyring', PURPOSES.map((purpose) => keysInUse(jwks, purpose, epochSeconds(now))).join('; ')),
    readable === undefined
      ? ok('keyring_readable', owned)
      : warning('keyring_readable', `${owned}: it holds secrets, and others may read it`, readable.remedy),
    isForeign ? warning('keyring_owner', owner, `run: chown ${machine.uid} ${file}`) : ok('keyring_owner', owned),
    rotation(since, epochSeconds(now), file),
  ];
}

const PURPOSES = ['access', 'refresh', 'sealing'] as const;

function keysInUse(jwks: readonly PrivateJwk[], purpose: (typeof PURPOSES)[number], now: number): string {
  const keys = jwks.filter((jwk) => purposeOf(jwk) === purpose);
  const at = keys.findIndex(({ nbf = 0 }) => nbf <= now);
  const [current, next] = [keys[at], keys[at - 1]];
  const follows =
    next === undefined ? '' : `, then ${next.kid} from ${new Date(1000 * (next.nbf ?? 0)).toISOString()} on`;
  return `${purpose}: ${current?.kid} (${current?.alg})${follows}, ${keys.length} in all`;
}

function rotation(since: number, now: number, file: string): Finding {
  const days = Math.max(0, Math.floor((now - since) / DAY_SECONDS));
  const seen = `the newest keys of ${file} are ${numberOf(days, 'day')} old`;
  if (days <= ROTATE_AFTER_DAYS) return ok('keyring_rotation', seen);
  const what = `${seen}; a rotation is due after ${ROTATE_AFTER_DAYS}`;
  return warning('keyring_rotation', what, { command: 'keyring rotate' });
}

/** The header of each valid secret, which names the key that sealed it; the dots make it a compact JWE. */
const sealedSql = statement(
  'doctor_sealed',
  { now: 'timestamptz' },
  { kind: only<Kind>('text'), id: 'text', header: 'text' },
)`
  select kind, id, split_part(sealed, '.', 1) || '....' as header
  from (
    select 'api_key' as kind, key_id as id, sealed_secret, previous_sealed_secret, previous_ends_at from api_keys
    where revoked_at is null
    union all
    select 'webhook', id::text, sealed_secret, previous_sealed_secret, previous_ends_at from webhooks
    union all
    select 'totp', user_id::text, sealed_secret, null, null from factors where kind = 'totp'
  ) as holders, unnest(array[sealed_secret, case when previous_ends_at > :now then previous_sealed_secret end]) as sealed
  where sealed is not null
  order by kind, id`;

type Kind = 'api_key' | 'webhook' | 'totp';

interface Sealed {
  kind: Kind;
  noun: string;
  /** What it means that the secret cannot be opened */
  loss: string;
  /** Instead of the keyring that opens it */
  otherwise: string;
  command: string;
}

const NEW_SECRET = 'give each a new secret';

const SEALED: Sealed[] = [
  {
    kind: 'api_key',
    noun: 'API key',
    loss: 'and therefore refused',
    otherwise: NEW_SECRET,
    command: 'api-key rotate ID --overlap 0',
  },
  {
    kind: 'webhook',
    noun: 'webhook',
    loss: 'so that their events are not sent',
    otherwise: NEW_SECRET,
    command: 'webhook rotate ID --overlap 0',
  },
  {
    kind: 'totp',
    noun: 'authenticator app',
    loss: 'so that the codes of these users are refused',
    otherwise: 'remove the factors of each user, who then adds new ones',
    command: 'user reset-factors ID',
  },
];

/** Ids listed at most, of each kind. */
const NAMED = 5;

export async function checkSealedSecrets({ clock, config, database }: Surroundings): Promise<Finding[]> {
  const jwks = await readKeyringFile(config.keyringFile).then(
    (read) => read.jwks,
    (error: unknown) => {
      if (!(error instanceof KeyringError)) throw error;
    },
  );
  const { db } = await database();
  if (jwks === undefined || (await schemaState(db)) !== 'ok') return []; // other checks report these
  const held = new Set(jwks.filter((jwk) => purposeOf(jwk) === 'sealing').map(({ kid }) => kid));
  const sealed = await db.run(sealedSql, { now: clock.now() });
  const idsOf = (kind: Kind, among = sealed): string[] => [
    ...new Set(among.filter((row) => row.kind === kind).map(({ id }) => id)),
  ];
  const lost = sealed.filter(({ header }) => !held.has(sealedBy(header) ?? ''));
  if (lost.length === 0) {
    const counts = SEALED.map(({ kind, noun }) => `${noun} (${idsOf(kind).length})`).join(', ');
    return [ok('keyring_database', `the keyring opens the secret of every ${counts}`)];
  }
  return SEALED.flatMap(({ kind, noun, loss, otherwise, command }) => {
    const ids = idsOf(kind, lost);
    if (ids.length === 0) return [];
    const named = `${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? ', …' : ''}`;
    const are = `${numberOf(ids.length, noun)} ${ids.length === 1 ? 'is' : 'are'}`;
    const seen = `${are} sealed by a key that this keyring lacks, ${loss}: ${named}`;
    const advice = `put the keyring there that was used with this database, or ${otherwise};`;
    return [fault('keyring_database', seen, { advice, command })];
  });
}

const SOON_DAYS = 14;

const expiringSql = statement(
  'doctor_expiring_keys',
  { now: 'timestamptz', soon: 'timestamptz' },
  { key_id: 'text', command: 'text', expires_at: 'timestamptz' },
)`
  select key_id, 'api-key' as command, expires_at from api_keys where ${isLive(':now')} and expires_at < :soon
  union all select key_id, 'cron-key', expires_at from cron_keys where ${isLive(':now')} and expires_at < :soon
  order by expires_at`;

export async function checkKeyExpiry({ clock, tables }: Surroundings): Promise<Finding[]> {
  const db = await tables();
  const now = clock.now();
  const keys = await db.run(expiringSql, { now, soon: addSeconds(now, SOON_DAYS * 86_400) });
  const [first] = keys;
  if (first === undefined) return [ok('key_expiry', `no key expires within ${SOON_DAYS} days`)];
  const seen = `${numberOf(keys.length, 'key')} will expire within ${SOON_DAYS} days; the first is ${first.key_id}, at ${first.expires_at.toISOString()}`;
  const command = `${first.command} rotate ${first.key_id} --expires 90d`;
  return [warning('key_expiry', seen, { advice: 'for each, if it is still needed,', command })];
}
