/** The keys of the keyring: what is used until when, and what a rotation does. */
import { Copyable } from '../../../kit/copy.js';
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
  { name: 'State', cell: (key) => <State of={key} /> },
];

export function Keyring({ keys }: { keys: readonly Key[] }) {
  const coming = keys.find(({ usedFrom }) => isLater(usedFrom));
  const dropped = keys.filter(isOver).length;
  return (
    <section aria-labelledby="keyring">
      <h2 id="keyring">Keyring</h2>
      {coming?.usedFrom != null && (
        <p>
          A rotation is under way: new keys are published, and used from <Time at={coming.usedFrom} />.
        </p>
      )}
      <Table caption="Keys of the keyring" columns={COLUMNS} rows={keys} keyOf={({ kid }) => kid} />
      <p class="quiet">
        A rotation adds a key for each purpose, which is published at once and used 15 minutes later. By then every
        instance must read the same file. It drops keys that are not needed: at present{' '}
        {dropped === 0 ? 'none' : dropped}. Run it where the file can be written, with the variables of the gateway.
      </p>
      <Copyable label="Rotate the keyring" text="auth-gateway keyring rotate" />
    </section>
  );
}

function State({ of: key }: { of: Key }) {
  const { isInUse, usedFrom, usedUntil, neededUntil } = key;
  if (!isInUse && isLater(usedFrom)) return <Until word="Published, used from" at={usedFrom} />;
  if (isOver(key)) return <span class="quiet">Not needed: the next rotation drops it</span>;
  if (!isInUse) return <Until word="Needed until" at={neededUntil} />;
  return (
    <>
      <span class="badge good">In use</span>{' '}
      {usedFrom === null ? 'since the keyring was created' : <Since at={usedFrom} />}
      {usedUntil !== null && <Until word=", until" at={usedUntil} />}
    </>
  );
}

function Until({ word, at }: { word: string; at: string | null }) {
  return (
    <>
      {word} {at !== null && <Time at={at} />}
    </>
  );
}

function Since({ at }: { at: string }) {
  const seconds = (Date.now() - Date.parse(at)) / 1000;
  return (
    <>
      since <Time at={at} /> <span class="quiet">({durationText(seconds)})</span>
    </>
  );
}

function isLater(at: string | null): boolean {
  return at !== null && Date.parse(at) > Date.now();
}

function isOver({ neededUntil }: Key): boolean {
  return neededUntil !== null && !isLater(neededUntil);
}
