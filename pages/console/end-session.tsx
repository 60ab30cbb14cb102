/** What can be done with a session in a table: its events, and its end. */
import { can } from '../kit/auth.js';
import { ChangeDialog } from '../kit/change-dialog.js';
import { deviceText } from '../kit/device.js';
import { Foreign } from '../kit/foreign.js';
import { ask } from '../kit/graphql.js';
import { Link, pathTo } from '../kit/location.js';
import { actions, type Column } from '../kit/table.js';
import { Time } from '../kit/time.js';
import { RevokeSession } from './operations.js';
import { AUDIT_LOG } from './paths.js';
import type { Session } from './sessions.js';

/** `127.0.0.1, Chrome 143 on Windows`: names a session for screen readers */
function nameOf({ ipAddress, userAgent }: Session): string {
  const device = deviceText(userAgent);
  return device === undefined ? ipAddress : `${ipAddress}, ${device}`;
}

/** The column of links to events, and of buttons that end a session other than that of this page */
export const actionsOn = <Of extends Session>(end: (session: Of) => void): Column<Of> =>
  actions((session) => (
    <div class="row-actions">
      {can('audit:read') && (
        <Link
          to={pathTo(AUDIT_LOG, { sessionId: session.id })}
          aria-label={`Events of the session from ${nameOf(session)}`}
        >
          Events
        </Link>
      )}
      {can('sessions:write') && session.isLive && !session.isCurrent && (
        <button type="button" class="small bad-quiet" onClick={() => end(session)}>
          End<span class="unseen"> the session from {nameOf(session)}</span>
        </button>
      )}
    </div>
  ));

interface EndProps {
  session: Session;
  /** Of whom it is */
  email: string;
  onDone(text: string): void;
  onClose(): void;
}

export function EndDialog({ session, email, onDone, onClose }: EndProps) {
  return (
    <ChangeDialog
      title="End session"
      action="End session"
      tone="bad"
      onSubmit={async () => {
        await ask(RevokeSession, { id: session.id });
        onDone('The session is ended.');
      }}
      onClose={onClose}
    >
      <p>
        Ends 1 session of <Foreign text={email} />: from <Foreign text={session.ipAddress} />, started{' '}
        <Time at={session.startedAt} />. They have to log in again there. Its last access token works until it expires.
      </p>
    </ChangeDialog>
  );
}
