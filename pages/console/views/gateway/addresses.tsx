/** The addresses whose logins are counted, those that cannot log in first, and the way to let them. */
import { useState } from 'preact/hooks';
import { announce } from '../../../kit/announce.js';
import { useAnswer } from '../../../kit/answer.js';
import { can } from '../../../kit/auth.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { Answered } from '../../../kit/states.js';
import { type Column, countText, Table } from '../../../kit/table.js';
import { Time } from '../../../kit/time.js';
import { Origin } from '../../events.js';
import { ClearLoginAddress, GatewayAddresses, type GatewayAddressesQuery } from '../../operations.js';

type Addresses = NonNullable<NonNullable<GatewayAddressesQuery['gateway']>['loginAddresses']>;
type Address = Addresses['nodes'][number];

const COLUMNS: Array<Column<Address>> = [
  {
    name: 'Address',
    cell: ({ ipAddress }) =>
      ipAddress.includes('/') ? <Foreign text={ipAddress} /> : <Origin ipAddress={ipAddress} />,
  },
  {
    name: 'Logins',
    width: 'time',
    cell: ({ attempts, limit, isLimited }) => (
      <span class={isLimited ? 'bad' : undefined}>
        {attempts.toLocaleString('en-GB')} of {limit.toLocaleString('en-GB')}
      </span>
    ),
  },
  { name: 'Counted until', width: 'time', cell: ({ endsAt }) => <Time at={endsAt} /> },
];

export function Addresses() {
  const answer = useAnswer(GatewayAddresses, {});
  const [cleared, setCleared] = useState<string>();
  return (
    <section aria-labelledby="addresses">
      <div class="bar">
        <h2 id="addresses">Login limit</h2>
        <button type="button" onClick={answer.reload} disabled={answer.isLoading}>
          Look again
        </button>
      </div>
      <Answered answer={answer}>
        {({ gateway }) =>
          gateway?.loginAddresses != null && <Counted {...gateway.loginAddresses} onClear={setCleared} />
        }
      </Answered>
      {cleared !== undefined && (
        <ClearDialog ipAddress={cleared} onChange={answer.reload} onClose={() => setCleared(undefined)} />
      )}
    </section>
  );
}

function Counted({ nodes, totalCount, limitedCount, onClear }: Addresses & { onClear(ipAddress: string): void }) {
  const clear: Column<Address> = {
    name: 'Clear',
    isNameHidden: true,
    align: 'end',
    cell: ({ ipAddress }) => (
      <button type="button" class="small" aria-label={`Clear ${ipAddress}`} onClick={() => onClear(ipAddress)}>
        Clear
      </button>
    ),
  };
  return (
    <>
      <p class={limitedCount.count === 0 ? undefined : 'bad'}>{verdictOf(limitedCount)}</p>
      {nodes.length > 0 && (
        <Table
          caption="Addresses with counted logins"
          columns={[...COLUMNS, can('users:write') && clear]}
          rows={nodes}
          keyOf={({ ipAddress }) => ipAddress}
        />
      )}
      {totalCount.count > nodes.length && (
        <p class="quiet">
          The first {nodes.length} of {countText(totalCount, 'count')}.
        </p>
      )}
    </>
  );
}

function verdictOf({ count, precision }: Addresses['limitedCount']): string {
  if (count === 0) return 'Every address can log in.';
  if (count === 1) return '1 address cannot log in until its count ends.';
  const more = precision === 'exact' ? '' : ' or more';
  return `${count.toLocaleString('en-GB')} addresses${more} cannot log in until their counts end.`;
}

interface ClearProps {
  ipAddress: string;
  onChange(): void;
  onClose(): void;
}

function ClearDialog({ ipAddress, onChange, onClose }: ClearProps) {
  const clear = async () => {
    await ask(ClearLoginAddress, { ipAddress });
    announce(`${ipAddress} can log in again.`);
    onChange();
  };
  return (
    <ChangeDialog title="Clear the login count" action="Clear" onSubmit={clear} onClose={onClose}>
      <p>
        <Foreign text={ipAddress} /> can log in again, a second later
        {ipAddress.endsWith('/64') && ', and the /48 around it'}. Locks of accounts stay.
      </p>
    </ChangeDialog>
  );
}
