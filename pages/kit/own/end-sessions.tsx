/** The user ends sessions of their own: one, or all but this. (Interface 19 and 21) */
import { announce } from '../announce.js';
import { ChangeDialog } from '../change-dialog.js';
import { deviceText } from '../device.js';
import { actions, type Column } from '../table.js';

interface Session {
  id: string;
  isCurrent: boolean;
  userAgent: string;
  ipAddress: string;
}

/** What is to be ended */
export type Ending<Row> = Row | 'others' | undefined;

/** The button in the row of each session but this. */
export const endColumn = <Row extends Session>(onEnd: (session: Row) => void): Column<Row> =>
  actions(
    (session) =>
      !session.isCurrent && (
        <button type="button" class="bad-quiet" onClick={() => onEnd(session)}>
          End<span class="unseen"> the session of {nameOf(session)}</span>
        </button>
      ),
  );

interface Props<Row> {
  ending: Ending<Row>;
  /** The place of a session in words */
  placeOf(session: Row): string;
  end(id: string): Promise<unknown>;
  /** @returns the number of ended sessions */
  endOthers(): Promise<number>;
  /** The dialog is gone, also after a lost answer: some may have ended. */
  onClose(): void;
}

export function EndSessions<Row extends Session>({ ending, placeOf, end, endOthers, onClose }: Props<Row>) {
  if (ending === undefined) return null;
  const isAll = ending === 'others';
  const submit = async (): Promise<void> => {
    const count = isAll ? await endOthers() : await end(ending.id).then(() => undefined);
    if (count === undefined) announce('The session was ended.');
    else announce(count === 1 ? '1 session was ended.' : `${count} sessions were ended.`);
  };
  return (
    <ChangeDialog
      title={isAll ? 'End all other sessions' : 'End this session'}
      action={isAll ? 'End them' : 'End session'}
      tone="bad"
      onClose={onClose}
      onSubmit={submit}
    >
      {isAll ? (
        <p>Ends every session of yours but this one. On those devices you have to log in again.</p>
      ) : (
        <p>
          Ends your session of <bdi>{nameOf(ending)}</bdi>, {placeOf(ending)}. There you have to log in again.
        </p>
      )}
    </ChangeDialog>
  );
}

/** Words by which the user knows a session */
function nameOf({ userAgent }: Session): string {
  return deviceText(userAgent) ?? 'an unknown device';
}
