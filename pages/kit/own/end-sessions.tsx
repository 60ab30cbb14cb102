/** The user ends sessions of their own: one, or all but this. (Interface 19 and 21) */
import { announce } from '../announce.js';
import { ChangeDialog } from '../change-dialog.js';
import { deviceText } from '../device.js';
import type { Column } from '../table.js';

interface Session {
  id: string;
  isCurrent: boolean;
  userAgent: string;
  ipAddress: string;
}

/** What is to be ended */
export type Ending<Row> = Row | 'others' | undefined;

/** The button in the row of each session but this. */
export function endColumn<Row extends Session>(onEnd: (session: Row) => void): Column<Row> {
  return {
    name: 'Actions',
    isNameHidden: true,
    align: 'end',
    cell: (session) =>
      !session.isCurrent && (
        <button type="button" class="bad-quiet" onClick={() => onEnd(session)}>
          End<span class="unseen"> the session of {nameOf(session)}</span>
        </button>
      ),
  };
}

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
  if (ending === 'others') {
    return (
      <ChangeDialog
        title="End all other sessions"
        action="End them"
        tone="bad"
        onClose={onClose}
        onSubmit={async () => {
          const count = await endOthers();
          announce(count === 1 ? '1 session was ended.' : `${count} sessions were ended.`);
        }}
      >
        <p>Ends every session of yours but this one. On those devices you have to log in again.</p>
      </ChangeDialog>
    );
  }
  return (
    <ChangeDialog
      title="End this session"
      action="End session"
      tone="bad"
      onClose={onClose}
      onSubmit={async () => {
        await end(ending.id);
        announce('The session was ended.');
      }}
    >
      <p>
        Ends your session of <bdi>{nameOf(ending)}</bdi>, {placeOf(ending)}. There you have to log in again.
      </p>
    </ChangeDialog>
  );
}

/** Words by which the user knows a session */
function nameOf({ userAgent }: Session): string {
  return deviceText(userAgent) ?? 'an unknown device';
}
