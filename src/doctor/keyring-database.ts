/** Interface 3, 6 and 9, `doctor`: whether the keyring is the one with which the secrets in the database were sealed. */
import { KeyringError, readKeyringFile } from '../credentials/keyring/keyring-file.js';
import { purposeOf } from '../credentials/keyring/private-jwks.js';
import { sealedBy } from '../credentials/sealed-secret.js';
import { schemaState } from '../db/migrate.js';
import { statement } from '../db/statement.js';
import { type Finding, fault, ok } from './finding.js';
import type { Surroundings } from './surroundings.js';

/** Of each secret that is good the header alone, which says what has sealed it; the dots make a compact JWE of it. */
const sealedSql = statement('doctor_sealed', { now: 'timestamptz' }, { key_id: 'text', header: 'text' })`
  select key_id, split_part(sealed, '.', 1) || '....' as header
  from api_keys, unnest(array[sealed_secret, case when previous_ends_at > :now then previous_sealed_secret end]) as sealed
  where revoked_at is null and sealed is not null
  order by key_id`;

/** How many API keys are named. */
const NAMED = 5;

export async function checkSealedSecrets({ clock, config, database }: Surroundings): Promise<Finding[]> {
  const jwks = await readKeyringFile(config.keyringFile).then((read) => read.jwks, refused);
  const { db } = await database();
  if (jwks === undefined || (await schemaState(db)) !== 'ok') return []; // which is told elsewhere
  const held = new Set(jwks.filter((jwk) => purposeOf(jwk) === 'sealing').map(({ kid }) => kid));
  const sealed = await db.run(sealedSql, { now: clock.now() });
  const lost = new Set(sealed.filter(({ header }) => !held.has(sealedBy(header) ?? '')).map(({ key_id }) => key_id));
  const all = new Set(sealed.map(({ key_id }) => key_id)).size;
  if (lost.size === 0)
    return [
      ok('keyring_database', `the keyring has each key that seals the secret of an API key (${all} of them live)`),
    ];
  const named = `${[...lost].slice(0, NAMED).join(', ')}${lost.size > NAMED ? ', …' : ''}`;
  const what = lost.size === 1 ? '1 API key is' : `${lost.size} API keys are`;
  const seen = `${what} sealed by a key that this keyring lacks, and refused: ${named}`;
  const remedy =
    'put the keyring there that was used with this database, or give each a new secret: ' +
    'run: auth-gateway api-key rotate ID --overlap 0';
  return [fault('keyring_database', seen, remedy)];
}

/** @throws what is no refusal of the keyring */
function refused(error: unknown): undefined {
  if (!(error instanceof KeyringError)) throw error;
}
