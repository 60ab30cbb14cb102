/** Devices from which a user has logged in: strangers who lock the account do not lock them. */
import { useState } from 'preact/hooks';
import { can } from '../../../kit/auth.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { DEVICE_COLUMNS, type KnownDevice, nameOfDevice } from '../../../kit/devices.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { type Column, Table } from '../../../kit/table.js';
import { ForgetDevice } from '../../operations.js';
import type { UserFacts } from './facts.js';

interface Props {
  user: UserFacts;
  devices: readonly KnownDevice[];
  onDone(text: string): void;
}

export function DevicesSection({ user, devices, onDone }: Props) {
  const [forgetting, setForgetting] = useState<KnownDevice>();
  const actions: Column<KnownDevice> = {
    name: 'Actions',
    isNameHidden: true,
    align: 'end',
    cell: (device) => (
      <button
        type="button"
        class="small bad-quiet"
        aria-label={`Forget ${nameOfDevice(device)}`}
        onClick={() => setForgetting(device)}
      >
        Forget
      </button>
    ),
  };
  return (
    <section>
      <h2>Devices</h2>
      {devices.length === 0 ? (
        <p class="quiet">No known device.</p>
      ) : (
        <Table
          caption="Known devices"
          columns={[...DEVICE_COLUMNS, can('sessions:write') && actions]}
          rows={devices}
          keyOf={({ id }) => id}
        />
      )}
      {forgetting !== undefined && (
        <ChangeDialog
          title="Forget device"
          action="Forget device"
          tone="bad"
          onSubmit={async () => {
            await ask(ForgetDevice, { id: forgetting.id });
            onDone('The device is forgotten.');
          }}
          onClose={() => setForgetting(undefined)}
        >
          <p>
            The next login of <Foreign text={user.email} /> on this device counts as that of a new device: while the
            account is locked, it is refused. Its sessions go on.
          </p>
        </ChangeDialog>
      )}
    </section>
  );
}
