/** The recovery codes of the user, which are shown once, and new ones. (Interface 20) */
import { type RecoveryCodes as Codes, renewRecoveryCodes } from '../../../client/src/factors.js';
import { auth } from '../auth.js';
import { ChangeDialog } from '../change-dialog.js';
import { confirmed } from '../confirmation.js';
import { Copyable } from '../copy.js';
import { download } from '../download.js';
import type { ListedFactor } from '../factor-table.js';
import { Foreign } from '../foreign.js';
import { PRODUCT_NAME } from '../settings.js';
import { readFactors } from './own.js';

/** Of a dialog that shows the codes once */
export const SHOWS_CODES = { doneTitle: 'Recovery codes', done: 'I have saved them' };

export function RecoveryCodes({ codes, email }: { codes: readonly string[]; email: string }) {
  const text = `Recovery codes of ${email} at ${PRODUCT_NAME}. Each works once.\n\n${codes.join('\n')}\n`;
  return (
    <div class="stack recovery-codes">
      <p>
        Recovery codes of <Foreign text={email} /> at {PRODUCT_NAME}. Each lets you in once, without the app or the
        passkey.
      </p>
      <p class="no-print">Save them now: they are not shown again.</p>
      <Copyable label="Recovery codes" text={codes.join('\n')} copies={text}>
        <button
          type="button"
          class="small"
          onClick={() => download('recovery-codes.txt', 'text/plain;charset=utf-8', [text])}
        >
          Download
        </button>
        <button type="button" class="small" onClick={() => print()}>
          Print
        </button>
      </Copyable>
    </div>
  );
}

/**
 * After a lost answer, whether a factor was added, and the codes that belong to it: nobody has seen those of the answer, so
 * there are new ones.
 * @param known all factors of before
 */
export async function findAdded(
  kind: ListedFactor['kind'],
  known: readonly ListedFactor[],
): Promise<Codes | undefined> {
  const isNew = ({ id }: ListedFactor): boolean => !known.some((one) => one.id === id);
  const isAdded = (await readFactors()).some((factor) => factor.kind === kind && isNew(factor));
  if (!isAdded) return undefined;
  return known.length > 0 ? { recoveryCodes: [] } : confirmed(() => renewRecoveryCodes(auth));
}

export function NewCodes({ email, onDone, onClose }: { email: string; onDone(text: string): void; onClose(): void }) {
  return (
    <ChangeDialog
      title="New recovery codes"
      action="Make new codes"
      {...SHOWS_CODES}
      onSubmit={async () => {
        const { recoveryCodes } = await confirmed(() => renewRecoveryCodes(auth));
        onDone('There are new recovery codes.');
        return <RecoveryCodes codes={recoveryCodes} email={email} />;
      }}
      onClose={onClose}
    >
      <p>Makes ten new codes. The ones that you have stop working.</p>
    </ChangeDialog>
  );
}
