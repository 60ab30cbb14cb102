/** The known devices of the user (Interface 16). */
import { useState } from 'preact/hooks';
import { forgetDevice } from '../../../client/src/account.js';
import { announce } from '../announce.js';
import { auth } from '../auth.js';
import { ChangeDialog } from '../change-dialog.js';
import { confirmed } from '../confirmation.js';
import { DEVICE_COLUMNS, type KnownDevice, nameOfDevice } from '../devices.js';
import { FirstRows } from '../first-rows.js';
import { Answered, Empty } from '../states.js';
import { actions, Table } from '../table.js';
import { useOwnDevices } from './own.js';

export function MyDevices() {
  const answer = useOwnDevices();
  const [forgetting, setForgetting] = useState<KnownDevice>();
  const button = actions<KnownDevice>((device) => (
    <button type="button" class="bad-quiet" onClick={() => setForgetting(device)}>
      Forget<span class="unseen"> {nameOfDevice(device)}</span>
    </button>
  ));

  return (
    <section aria-labelledby="devices">
      <h2 id="devices">Known devices</h2>
      <Answered answer={answer}>
        {(own) =>
          own === null || own.devices.length === 0 ? (
            <Empty>
              No device is known. Where the gateway remembers devices, strangers who guess your password cannot lock
              them out.
            </Empty>
          ) : (
            <div>
              <FirstRows rows={own.devices}>
                {(shown) => (
                  <Table
                    caption="Known devices"
                    columns={[...DEVICE_COLUMNS, button]}
                    rows={shown}
                    keyOf={({ id }) => id}
                  />
                )}
              </FirstRows>
            </div>
          )
        }
      </Answered>
      {forgetting !== undefined && (
        <ChangeDialog
          title="Forget this device"
          action="Forget device"
          tone="bad"
          onClose={() => {
            setForgetting(undefined);
            answer.reload(); // also after a lost answer
          }}
          onSubmit={async () => {
            await confirmed(() => forgetDevice(auth, forgetting.id));
            announce('The device was forgotten.');
          }}
        >
          <p>
            The next login on <bdi>{nameOfDevice(forgetting)}</bdi> counts as that of a new device: you may get a
            message about it, and a lock of your account keeps it out. Its sessions go on.
          </p>
        </ChangeDialog>
      )}
    </section>
  );
}
