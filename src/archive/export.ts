/** `database export` writes a snapshot of all tables to a file while gateways keep running. (Interface 9) */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Config } from '../config/config.js';
import { readKeyringFile } from '../credentials/keyring/keyring-file.js';
import { keyringFingerprint, neededKeys } from '../credentials/keyring/needed-keys.js';
import type { PrivateJwk } from '../credentials/keyring/private-jwks.js';
import { sealedBy } from '../credentials/sealed-secret.js';
import { type Database, openDatabase } from '../db/database.js';
import { isLockTimeout } from '../db/outage.js';
import { statement } from '../db/statement.js';
import { GATEWAY_VERSION, REVISION } from '../platform/versions.js';
import { macBy, symmetricKeys } from './authenticity.js';
import { END_OF_ROWS, FORMAT, FORMAT_VERSION, type LastLine, type LatestHeader, type Trailer } from './format.js';
import { type Progress, startProgress } from './progress.js';
import { ArchiveRefusal } from './refusal.js';
import { noTransactionTimeoutSql, on, readTables, SETTINGS, TABLE_NAMES } from './tables.js';
import { migrationsOf } from './target.js';
import { refuseExisting, writeCompressed } from './write-file.js';

export interface Exported extends Trailer {
  header: LatestHeader;
  /** `kid`s of keys that sealed stored secrets and are not in the keyring */
  lostKeys: string[];
}

export interface HowToExport {
  config: Pick<Config, 'keyringFile' | 'accessTokenSeconds' | 'refreshTokenSeconds'>;
  /** Receives lines about the progress */
  report(line: string): void;
  stopped: AbortSignal;
}

/**
 * @param asked a migrated database; the export opens its own connection without time limits
 * @throws {ArchiveRefusal}, {KeyringError}, or an error of the file or the database. No file is left then
 */
export async function exportDatabase(asked: Database, file: string, how: HowToExport): Promise<Exported> {
  await refuseExisting(file);
  const { jwks } = await readKeyringFile(how.config.keyringFile);
  const db = await openDatabase(asked.url, { pooler: asked.pooler, limited: false });
  const progress = startProgress(how.report);
  const client = await db.pool.connect();
  let isDone = false;
  try {
    await begin(client);
    const described = await describe(client, jwks, how.config);
    const archive = archiveOf(client, described.header, jwks, progress);
    await writeCompressed(file, archive.pieces, how.stopped);
    isDone = true;
    return { ...described, ...archive.result() };
  } finally {
    progress.stop();
    client.release(!isDone); // if not done, it may be in the middle of a table
    await db.close();
  }
}

/** Locks the tables against migrations, then takes one snapshot of all. */
async function begin(client: pg.ClientBase): Promise<void> {
  await client.query('begin isolation level repeatable read read only');
  await client.query(SETTINGS);
  try {
    await client.query(`lock table ${TABLE_NAMES.join(', ')} in access share mode`);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new ArchiveRefusal('another program, such as a migration, has locked a table: try again when it has ended');
  }
  await on(client).run(noTransactionTimeoutSql, {});
}

const sealedSecretsSql = statement('sealed_secrets_in_use', {}, { sealed: 'text[]' })`
  select array_remove(array[sealed_secret, previous_sealed_secret], null) as sealed from api_keys
  where revoked_at is null
  union all select array_remove(array[sealed_secret, previous_sealed_secret], null) from webhooks
  union all select array[sealed_secret] from factors where sealed_secret is not null
  union all select array[sealed_token] from password_links where sealed_token is not null and expires_at > now()
  union all select array[sealed_token] from requested_links where sealed_token is not null and expires_at > now()
  union all select array[sealed_token] from email_changes where sealed_token is not null and expires_at > now()
  union all select array[sealed_token] from email_undos where sealed_token is not null and expires_at > now()`;

const momentSql = statement('moment_of_export', {}, { now: 'timestamptz', refreshUntil: 'timestamptz?' })`
  select now() as now,
    (select max(expires_at) from refresh_tokens where not revoked and expires_at > now()) as "refreshUntil"`;

async function describe(
  client: pg.ClientBase,
  jwks: readonly PrivateJwk[],
  { accessTokenSeconds, refreshTokenSeconds }: HowToExport['config'],
): Promise<Pick<Exported, 'header' | 'lostKeys'>> {
  const db = on(client);
  const secrets = (await db.run(sealedSecretsSql, {})).flatMap(({ sealed }) => sealed);
  const sealing = new Set(secrets.flatMap((sealed) => sealedBy(sealed) ?? []));
  const [moment] = await db.run(momentSql, {});
  if (moment === undefined) throw new TypeError('a select without from has one row');
  const tokenSeconds = { access: accessTokenSeconds, refresh: refreshTokenSeconds };
  const needed = await neededKeys(jwks, { ...moment, sealing, tokenSeconds });
  return {
    lostKeys: [...sealing].filter((sealer) => !jwks.some(({ kid }) => kid === sealer)),
    header: {
      format: FORMAT,
      format_version: FORMAT_VERSION,
      gateway_version: GATEWAY_VERSION,
      revision: REVISION,
      taken_at: moment.now.toISOString(),
      migrations: await migrationsOf(db),
      keyring_sha256: await keyringFingerprint(jwks),
      needs_keys: needed.map(({ until, ...key }) => ({ ...key, until: until?.toISOString() ?? null })),
      authenticated_by: symmetricKeys(jwks).map(({ kid }) => kid),
    },
  };
}

/** The content of the file, and its trailer once everything was read. */
function archiveOf(client: pg.ClientBase, header: LatestHeader, jwks: readonly PrivateJwk[], progress: Progress) {
  let result: Trailer = { rows: {}, sha256: '' };
  async function* content(): AsyncGenerator<Buffer> {
    yield line(header);
    const { parts, result: read } = readTables(client);
    let isFirst = true;
    for await (const part of parts) {
      if (Buffer.isBuffer(part)) {
        progress.bytes(part.length);
        yield part;
      } else {
        progress.at(part.table);
        if (!isFirst) yield END;
        isFirst = false;
        yield line(part);
      }
    }
    yield END;
    await client.query('commit');
    result = read();
    yield line(result);
  }
  async function* pieces(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    for await (const piece of content()) {
      hash.update(piece);
      yield piece;
    }
    const digest = hash.digest();
    const macs = symmetricKeys(jwks).map((key) => macBy(key, digest).toString('hex'));
    yield line({ hmac_sha256: macs } satisfies LastLine);
  }
  return { pieces: pieces(), result: () => result };
}

const END = Buffer.from(`${END_OF_ROWS}\n`);

function line(json: object): Buffer {
  return Buffer.from(`${JSON.stringify(json)}\n`);
}
