/** The user adds an authenticator app: by QR code or by text, then by its first code. (Interface 20) */
import { useEffect, useState } from 'preact/hooks';
import { encode } from 'uqr';
import { activateTotp, enrolTotp, type TotpEnrolment } from '../../../client/src/factors.js';
import { auth } from '../auth.js';
import { useChange } from '../change.js';
import { ChangeDialog } from '../change-dialog.js';
import { confirmed, NOT_CONFIRMED, question } from '../confirmation.js';
import { Copyable } from '../copy.js';
import type { ListedFactor } from '../factor-table.js';
import { CodeField, codeOf, problemWithFactor } from '../factors.js';
import { problemOf } from '../graphql.js';
import { type Problem, shownProblem } from '../problem.js';
import { Loading } from '../states.js';
import { findAdded, RecoveryCodes, SHOWS_CODES } from './recovery-codes.js';

interface Props {
  email: string;
  /** The factors that the user has */
  known: readonly ListedFactor[];
  onDone(text: string): void;
  /** It could not be begun. */
  onProblem(problem: Problem): void;
  onClose(): void;
}

export function AddApp({ email, known, onDone, onProblem, onClose }: Props) {
  const change = useChange();
  const [before] = useState(known); // it is read again meanwhile
  const [enrolment, setEnrolment] = useState<TotpEnrolment>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, since each time has another secret
  useEffect(() => {
    confirmed(() => enrolTotp(auth)).then(setEnrolment, (error: unknown) => {
      const problem = shownProblem(problemOf(error));
      if (problem.reason !== NOT_CONFIRMED) onProblem(problem);
      onClose();
    });
  }, []);
  if (enrolment === undefined) return question.value === undefined ? <Loading /> : null;
  const { id, secret, uri } = enrolment;
  return (
    <ChangeDialog
      title="Add an authenticator app"
      action="Add app"
      {...SHOWS_CODES}
      saidByFields={['totp']}
      onSubmit={async (form) => {
        try {
          const code = codeOf(form);
          const { recoveryCodes } = await change(
            () => activateTotp(auth, id, code),
            () => findAdded('totp', before),
          );
          onDone('The authenticator app was added.');
          return recoveryCodes.length > 0 ? <RecoveryCodes codes={recoveryCodes} email={email} /> : undefined;
        } catch (error) {
          throw problemWithFactor(error, 'totp');
        }
      }}
      onClose={onClose}
    >
      {(problem) => (
        <>
          {isOnPhone() ? (
            <p>
              <a href={uri}>Open in the app</a>, or enter the secret there by hand. If the app is on another device,
              scan this with it.
            </p>
          ) : (
            <p>
              Scan this with the app. If it is on this device, <a href={uri}>open in the app</a>, or enter the secret by
              hand.
            </p>
          )}
          <p class="hint">
            If you close or reload this page before you enter a code, you begin again with another secret.
          </p>
          <QrCode text={uri} />
          <Copyable label="Secret" text={inGroups(secret)} copies={secret} />
          <CodeField problem={problem} />
        </>
      )}
    </ChangeDialog>
  );
}

/** The app is probably on this device. */
const isOnPhone = (): boolean => matchMedia('(pointer: coarse) and (max-width: 40rem)').matches;

/** For those who type it: `ABCD EFGH` */
const inGroups = (secret: string): string => secret.replace(/.{4}(?=.)/g, '$& ');

/** Modules around it, without which some cameras find nothing (ISO/IEC 18004) */
const QUIET_ZONE = 4;

/** Dark on light in both schemes, as cameras expect it. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img">
      <title>QR code for the authenticator app</title>
      <path d={squares.join('')} />
    </svg>
  );
}
