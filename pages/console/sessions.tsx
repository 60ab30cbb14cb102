/** Sessions in words: columns of tables, and why a session ended. */
import { Device } from '../kit/device.js';
import { Foreign } from '../kit/foreign.js';
import type { Column } from '../kit/table.js';
import { Time } from '../kit/time.js';
import type { SessionEndReason, SessionFactsFragment } from './operations.js';

export type Session = SessionFactsFragment;

const ENDINGS: Record<SessionEndReason, string> = {
  email_change_undone: 'E-mail change taken back',
  expired: 'Expired unused',
  factors_reset: 'Second factors reset',
  logout: 'Logged out',
  revoked: 'Ended by the user or an administrator',
  token_theft: 'A used token came back (theft)',
  user_deactivated: 'User deactivated',
  user_deleted: 'User deleted',
  user_password_set: 'New password',
};

export const STARTED: Column<Session> = {
  name: 'Logged in',
  width: 'time',
  cell: ({ startedAt }) => <Time at={startedAt} />,
};

export const USED: Column<Session> = {
  name: 'Last used',
  width: 'time',
  cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
};

export const FROM: Column<Session> = {
  name: 'From',
  cell: ({ userAgent, ipAddress, isCurrent }) => (
    <>
      <Device userAgent={userAgent} /> {isCurrent && <span class="badge">This session</span>}
      <div class="quiet">
        <Foreign text={ipAddress} />
      </div>
    </>
  ),
};

export const STATE: Column<Session> = {
  name: 'State',
  cell: ({ isLive, endReason, endedAt, expiresAt }) =>
    isLive ? (
      <>
        Live, until <Time at={expiresAt} />
      </>
    ) : (
      <span class={endReason === 'token_theft' ? 'bad' : undefined}>
        {endReason === null ? 'Ended' : ENDINGS[endReason]}, <Time at={endedAt ?? expiresAt} />
      </span>
    ),
};
