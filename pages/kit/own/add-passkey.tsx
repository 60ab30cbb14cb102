/** The user adds a passkey of this device, or of one that the browser finds. (Interface 20) */

import { auth } from '../auth.js';
import { Bowser } from '../bowser.js';
import { ChangeDialog } from '../change-dialog.js';
import { confirmed } from '../confirmation.js';
import { problemWithFactor } from '../factors.js';
import { Field } from '../field.js';
import { byPasskey } from '../passkeys.js';
import { RecoveryCodes, SHOWS_CODES } from './recovery-codes.js';

/** Characters that the gateway takes */
const LONGEST_NAME = 100;

interface Props {
  email: string;
  onDone(text: string): void;
  onClose(): void;
}

export function AddPasskey({ email, onDone, onClose }: Props) {
  return (
    <ChangeDialog
      title="Add a passkey"
      action="Add passkey"
      {...SHOWS_CODES}
      onSubmit={async (form) => {
        const name = String(form.get('name')).trim();
        try {
          // What the proof was wanted for begins anew, and with it the dialog of the browser.
          const { recoveryCodes } = await byPasskey(({ addPasskey }) => confirmed(() => addPasskey(auth, name)));
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
