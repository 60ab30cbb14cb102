/** The user adds a passkey of this device, or of one that the browser finds. (Interface 20) */
import { useState } from 'preact/hooks';
import type { RecoveryCodes as Codes } from '../../../client/src/factors.js';
import { auth } from '../auth.js';
import { Bowser } from '../bowser.js';
import { useChange } from '../change.js';
import { ChangeDialog } from '../change-dialog.js';
import { confirmed } from '../confirmation.js';
import type { ListedFactor } from '../factor-table.js';
import { problemWithFactor } from '../factors.js';
import { Field } from '../field.js';
import { byPasskey } from '../passkeys.js';
import { findAdded, RecoveryCodes, SHOWS_CODES } from './recovery-codes.js';

/** Characters that the gateway takes */
const LONGEST_NAME = 100;

interface Props {
  email: string;
  /** The factors that the user has */
  known: readonly ListedFactor[];
  onDone(text: string): void;
  onClose(): void;
}

export function AddPasskey({ email, known, onDone, onClose }: Props) {
  const change = useChange();
  const [before] = useState(known); // it is read again meanwhile
  return (
    <ChangeDialog
      title="Add a passkey"
      action="Add passkey"
      {...SHOWS_CODES}
      onSubmit={async (form) => {
        const name = String(form.get('name')).trim();
        try {
          // What the proof was wanted for begins anew, and with it the dialog of the browser.
          const { recoveryCodes } = await change<Codes>(
            () => byPasskey(({ addPasskey }) => confirmed(() => addPasskey(auth, name))),
            () => findAdded('passkey', before),
          );
          onDone('The passkey was added.');
          return recoveryCodes.length > 0 ? <RecoveryCodes codes={recoveryCodes} email={email} /> : undefined;
        } catch (error) {
          throw problemWithFactor(error, 'passkey');
        }
      }}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <p>
            The browser asks for your fingerprint, your face or the PIN of the device. The passkey can then replace your
            password at the login.
          </p>
          <Field
            label="Name"
            name="name"
            hint="By which you know it later"
            defaultValue={nameOfThisDevice()}
            maxLength={LONGEST_NAME}
            pattern=".*\S.*"
            autocomplete="off"
            problem={problem}
            required
          />
        </>
      )}
    </ChangeDialog>
  );
}

/** `Chrome on Windows` */
function nameOfThisDevice(): string {
  const { browser, os } = Bowser.parse(navigator.userAgent);
  return [browser.name, os.name].filter(Boolean).join(' on ');
}
