/** Interface 3, 6, 9 and 17, `doctor`: whether the keyring can open the sealed secrets in the database. */
import { KeyringError } from '../credentials/keyring/keyring-error.js';
import { readKeyringFile } from '../credentials/keyring/keyring-file.js';
import { purposeOf } from '../credentials/keyring/private-jwks.js';
import { sealedBy } from '../credentials/sealed-secret.js';
import { schemaState } from '../db/migrate.js';
import { only, statement } from '../db/statement.js';
import { type Finding, fault, ok } from './finding.js';
import type { Surroundings } from './surroundings.js';

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
  ) as holders, unnest(array[sealed_secret, case when previous_ends_at > :now then previous_sealed_secret end]) as sealed
  where sealed is not null
  order by kind, id`;

type Kind = 'api_key' | 'webhook';

interface Words {
  one: string;
  many: string;
  /** What follows for it */
  loss: string;
  command: string;
}

const WORDS: Record<Kind, Words> = {
  api_key: {
    one: 'API key is',
    many: 'API keys are',
    loss: 'and therefore refused',
    command: 'api-key rotate ID --overlap 0',
  },
  webhook: {
    one: 'webhook is',
    many: 'webhooks are',
    loss: 'so that their events are not sent',
    command: 'webhook rotate ID --overlap 0',
  },
};

/** Ids listed at most, of each kind. */
const NAMED = 5;

export async function checkSealedSecrets({ clock, config, database }: Surroundings): Promise<Finding[]> {
  const jwks = await readKeyringFile(config.keyringFile).then((read) => read.jwks, refused);
  const { db } = await database();
  if (jwks === undefined || (await schemaState(db)) !== 'ok') return []; // other checks report these
  const held = new Set(jwks.filter((jwk) => purposeOf(jwk) === 'sealing').map(({ kid }) => kid));
  const sealed = await db.run(sealedSql, { now: clock.now() });
  const isLost = (header: string): boolean => !held.has(sealedBy(header) ?? '');
  const idsOf = (kind: Kind, among = sealed): string[] => [
    ...new Set(among.filter((row) => row.kind === kind).map(({ id }) => id)),
  ];
  const lost = sealed.filter(({ header }) => isLost(header));
  if (lost.length === 0) {
    const counts = `live API key (${idsOf('api_key').length}) and webhook (${idsOf('webhook').length})`;
    return [ok('keyring_database', `the keyring opens the secret of every ${counts}`)];
  }
  return (['api_key', 'webhook'] as const).flatMap((kind) => {
    const ids = idsOf(kind, lost);
    return ids.length === 0 ? [] : [lacking(kind, ids)];
  });
}

function lacking(kind: Kind, ids: readonly string[]): Finding {
  const { one, many, loss, command } = WORDS[kind];
  const named = `${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? ', …' : ''}`;
  const what = ids.length === 1 ? `1 ${one}` : `${ids.length} ${many}`;
  const seen = `${what} sealed by a key that this keyring lacks, ${loss}: ${named}`;
  const advice = 'put the keyring there that was used with this database, or give each a new secret;';
  return fault('keyring_database', seen, { advice, command });
}

/** @throws any other error */
function refused(error: unknown): undefined {
  if (!(error instanceof KeyringError)) throw error;
}
