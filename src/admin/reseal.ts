/** Seals every stored secret again with the current key, as a part of a rotation of the keyring. (Interface 3) */
import type { Keyring } from '../credentials/keyring/keyring.js';
import { openSealedSecret, sealedBy, sealSecret } from '../credentials/sealed-secret.js';
import type { Database } from '../db/database.js';
import { type Reads, sql } from '../db/sql.js';

/** Tables with sealed secrets, which are bound to the id of their row. */
const SEALED = [
  { table: 'api_keys', id: 'key_id', type: 'text', columns: ['sealed_secret', 'previous_sealed_secret'] },
  { table: 'webhooks', id: 'id', type: 'uuid', columns: ['sealed_secret', 'previous_sealed_secret'] },
  { table: 'password_links', id: 'user_id', type: 'uuid', columns: ['sealed_token'] },
  { table: 'requested_links', id: 'user_id', type: 'uuid', columns: ['sealed_token'] },
  { table: 'email_changes', id: 'user_id', type: 'uuid', columns: ['sealed_token'] },
  { table: 'email_undos', id: 'id', type: 'uuid', columns: ['sealed_token'] },
  { table: 'factors', id: 'id', type: 'uuid', columns: ['sealed_secret'] },
] as const;

/** Rows of a transaction. A login with one of these factors waits for it. */
const BATCH = 500;

export interface Resealed {
  /** Number of secrets that were sealed again */
  resealed: number;
  /** `kid`s that seal any secret afterwards */
  sealing: Set<string>;
}

/**
 * All of it is committed when this returns.
 * @param batchDone called after each transaction, so that the one that holds the turn is never idle for long
 */
export async function reseal(
  db: Database,
  keyring: Keyring,
  now: Date,
  batchDone: () => Promise<unknown>,
): Promise<Resealed> {
  // First, since a secret that waits becomes one of `factors`, where it is found then.
  const sealing = new Set(await sealersOfCeremonies(db.admin, now));
  let resealed = 0;
  for (const { columns, ...from } of SEALED) {
    for (const column of columns) {
      let after: string | null = null;
      do {
        const where: Where = { ...from, column, after };
        const batch = await db.change((change) => resealBatch(change.db, where, keyring, now), true);
        for (const kid of batch.sealing) sealing.add(kid);
        resealed += batch.resealed;
        after = batch.last;
        await batchDone();
      } while (after !== null);
    }
  }
  return { resealed, sealing };
}

interface Where {
  table: string;
  id: string;
  /** Of the id */
  type: string;
  column: string;
  /** The id after which the batch begins */
  after: string | null;
}

interface Batch extends Resealed {
  /** The id after which the next batch begins; null: there is none */
  last: string | null;
}

async function resealBatch(change: Reads, where: Where, keyring: Keyring, now: Date): Promise<Batch> {
  const [id, column, type] = [sql.ref(where.id), sql.ref(where.column), sql.raw(where.type)];
  const rows = await change.read(sql<{ id: string; sealed: string }>`
    select ${id} as id, ${column} as sealed from ${sql.table(where.table)}
    where ${column} is not null and (${where.after}::text is null or ${id} > ${where.after}::${type})
    order by ${id} limit ${sql.lit(BATCH)} for update`);
  const { kid: current } = keyring.inUse('sealing', now);
  const fresh = new Map<string, string>();
  const sealing = new Set<string>();
  for (const { id: rowId, sealed } of rows) {
    const by = sealedBy(sealed);
    const secret = by === current ? undefined : await openSealedSecret(keyring, rowId, sealed);
    if (secret !== undefined) fresh.set(rowId, await sealSecret(keyring, rowId, secret, now));
    else if (by !== undefined) sealing.add(by);
  }
  if (fresh.size > 0) {
    await change.read(sql`
      update ${sql.table(where.table)} set ${column} = fresh.sealed
      from unnest(${[...fresh.keys()]}::${type}[], ${[...fresh.values()]}::text[]) as fresh (row_id, sealed)
      where ${id} = fresh.row_id`);
  }
  const last = rows.length < BATCH ? undefined : rows.at(-1);
  return { resealed: fresh.size, sealing, last: last?.id ?? null };
}

/**
 * The secret of a new authenticator app waits for ten minutes, bound to an id of which only the hash is stored. So it is not
 * sealed again, but its key stays.
 */
async function sealersOfCeremonies(db: Reads, now: Date): Promise<string[]> {
  const rows = await db.read(sql<{ sealed: string }>`
    select sealed_secret as sealed from ceremonies where sealed_secret is not null and expires_at > ${now}`);
  return rows.flatMap(({ sealed }) => sealedBy(sealed) ?? []);
}
