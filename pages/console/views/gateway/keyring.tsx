/** The keys of the keyring and their age. */
import { Id } from '../../../kit/foreign.js';
import { type Column, Table } from '../../../kit/table.js';
import { durationText, Time } from '../../../kit/time.js';
import type { GatewayFactsQuery, KeyringKeyPurpose } from '../../operations.js';

type Key = NonNullable<GatewayFactsQuery['gateway']>['keys'][number];

const PURPOSES: Record<KeyringKeyPurpose, string> = {
  access: 'Signs access tokens',
  refresh: 'Signs refresh tokens',
  sealing: 'Seals stored secrets',
};

const COLUMNS: Array<Column<Key>> = [
  { name: 'Purpose', cell: ({ purpose }) => PURPOSES[purpose] },
  { name: 'Key', cell: ({ kid }) => <Id id={kid} /> },
  { name: 'Algorithm', cell: ({ algorithm }) => algorithm },
  {
    name: 'In use',
    cell: ({ usedFrom, isInUse }) => (
      <>
        {isInUse ? (
          <span class="badge good">In use</span>
        ) : (
          <span class="quiet">{isComing(usedFrom) ? 'Published' : 'Verifies'}</span>
        )}{' '}
        {usedFrom === null ? 'since the keyring was created' : <Since at={usedFrom} />}
      </>
    ),
  },
];

export function Keyring({ keys }: { keys: readonly Key[] }) {
  return (
    <section aria-labelledby="keyring">
      <h2 id="keyring">Keyring</h2>
      <Table caption="Keys of the keyring" columns={COLUMNS} rows={keys} keyOf={({ kid }) => kid} />
      <p class="quiet">
        <code>auth-gateway keyring rotate</code> adds new keys. Older ones verify what they have signed until it
        expires.
      </p>
    </section>
  );
}

function isComing(usedFrom: string | null): boolean {
  return usedFrom !== null && Date.parse(usedFrom) > Date.now();
}

function Since({ at }: { at: string }) {
  const seconds = (Date.now() - Date.parse(at)) / 1000;
  return (
    <>
      {seconds < 0 ? 'from' : 'since'} <Time at={at} />
      {seconds > 0 && <span class="quiet"> ({durationText(seconds)})</span>}
    </>
  );
}
