/** Interface 3, 6 and 9, `doctor`: whether the keyring can open the sealed secrets in the database. */
import { KeyringError } from '../credentials/keyring/keyring-error.js';
import { readKeyringFile } from '../credentials/keyring/keyring-file.js';
import { purposeOf } from '../credentials/keyring/private-jwks.js';
import { sealedBy } from '../credentials/sealed-secret.js';
import { schemaState } from '../db/migrate.js';
import { statement } from '../db/statement.js';
import { type Finding, fault, ok } from './finding.js';
import type { Surroundings } from './surroundings.js';

/** The header of each valid secret, which names the key that sealed it; the dots make it a compact JWE. */
const sealedSql = statement('doctor_sealed', { now: 'timestamptz' }, { key_id: 'text', header: 'text' })`
  select key_id, split_part(sealed, '.', 1) || '....' as header
  from api_keys, unnest(array[sealed_secret, case when previous_ends_at > :now then previous_sealed_secret end]) as sealed
  where revoked_at is null and sealed is not null
  order by key_id`;

/** API keys listed at most. */
const NAMED = 5;

export async function checkSealedSecrets({ clock, config, database }: Surroundings): Promise<Finding[]> {
  const jwks = await readKeyringFile(config.keyringFile).then((read) => read.jwks, refused);
  const { db } = await database();
  if (jwks === undefined || (await schemaState(db)) !== 'ok') return []; // other checks report these
  const held = new Set(jwks.filter((jwk) => purposeOf(jwk) === 'sealing').map(({ kid }) => kid));
  const sealed = await db.run(sealedSql, { now: clock.now() });
  const lost = new Set(sealed.filter(({ header }) => !held.has(sealedBy(header) ?? '')).map(({ key_id }) => key_id));
  const all = new Set(sealed.map(({ key_id }) => key_id)).size;
  if (lost.size === 0) return [ok('keyring_database', `the keyring opens the secret of every live API key (${all})`)];
  const named = `${[...lost].slice(0, NAMED).join(', ')}${lost.size > NAMED ? ', …' : ''}`;
  const what = lost.size === 1 ? '1 API key is' : `${lost.size} API keys are`;
  const seen = `${what} sealed by a key that this keyring lacks, and therefore refused: ${named}`;
  const remedy = {
    advice: 'put the keyring there that was used with this database, or give each a new secret;',
    command: 'api-key rotate ID --overlap 0',
  };
  return [fault('keyring_database', seen, remedy)];
}

/** @throws any other error */
function refused(error: unknown): undefined {
  if (!(error instanceof KeyringError)) throw error;
}
