/** The story of a session: a line of steps from its login to what followed its end. */
import { useRef, useState } from 'preact/hooks';
import { announce } from '../../../kit/announce.js';
import { useAnswer, usePages } from '../../../kit/answer.js';
import { can } from '../../../kit/auth.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { Device } from '../../../kit/device.js';
import { Foreign, Id } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { More } from '../../../kit/more.js';
import type { Answer, Rows } from '../../../kit/rows.js';
import { Answered, Loading, ProblemNotice } from '../../../kit/states.js';
import { Time } from '../../../kit/time.js';
import { ENDED_TOKEN, UserLink } from '../../events.js';
import {
  AuditSession,
  type AuditSessionQuery,
  AuditSteps,
  type AuditStepsQuery,
  RevokeSession,
  type SessionEndReason,
  type SessionEventKind,
} from '../../operations.js';
import { foldSteps } from './fold.js';

export type Step = NonNullable<AuditStepsQuery['session']>['events']['nodes'][number];
type Session = NonNullable<AuditSessionQuery['session']>;

const STEPS: Record<SessionEventKind, string> = {
  started: 'Login',
  rotated: 'Refresh',
  retried: 'Refresh repeated',
  logout: 'Logout',
  token_theft: 'Token theft',
  revoked: 'Session ended',
  user_deactivated: 'User deactivated',
  user_deleted: 'User deleted',
  user_password_set: 'New password',
  factors_reset: 'Second factors reset',
  email_change_undone: 'E-mail change taken back',
  expired: 'Expired',
};

const ENDS: Record<SessionEndReason, string> = {
  logout: 'logged out',
  token_theft: 'ended by a token theft',
  revoked: 'ended by its user or an administrator',
  user_deactivated: 'ended when the user was deactivated',
  user_deleted: 'ended when the user was deleted',
  user_password_set: 'ended by a new password',
  factors_reset: 'ended by a reset of second factors',
  email_change_undone: 'ended when a change of the e-mail was taken back',
  expired: 'expired',
};

export function useSteps(id: string): Rows<Step> {
  return usePages(AuditSteps, { id, first: 100 }, (data) => data.session?.events);
}

/** @param onEnded the session was ended here */
export function SessionStory({ id, onEnded }: { id: string; onEnded(): void }) {
  const session = useAnswer(AuditSession, { id });
  return (
    <section class="story">
      <h2>
        Session <Id id={id} />
      </h2>
      {session.problem?.reason === 'session_unknown' ? (
        <p class="quiet">
          This session is not stored, or no longer: a session is deleted a day after it expires. Events that name it are
          below.
        </p>
      ) : (
        <Answered answer={session}>
          {({ session: found }) => found && <Told session={found} answer={session} onEnded={onEnded} />}
        </Answered>
      )}
    </section>
  );
}

function Told({ session, answer, onEnded }: { session: Session; answer: Answer<AuditSessionQuery>; onEnded(): void }) {
  const steps = useSteps(session.id);
  const [isEnding, setEnding] = useState(false);
  const { user, userId, startedAt, endedAt, endReason, isLive, isCurrent } = session;
  const end = async (): Promise<void> => {
    await ask(RevokeSession, { id: session.id });
    announce(`The session of ${user?.email ?? userId} has ended.`);
    answer.reload();
    steps.reload();
    onEnded();
  };
  return (
    <>
      <div class="bar">
        <p>
          <UserLink user={user} userId={userId} />, since <Time at={startedAt} form="clock" />:{' '}
          {isLive ? (
            <span class="good">live</span>
          ) : (
            <>
              <span class={endReason === 'token_theft' ? 'bad' : undefined}>
                {endReason === null ? 'ended' : ENDS[endReason]}
              </span>
              {endedAt !== null && (
                <>
                  {' '}
                  (<Time at={endedAt} />)
                </>
              )}
            </>
          )}
          {isCurrent && <span class="quiet"> (this is the session of this page)</span>}
        </p>
        {isLive && can('sessions:write') && (
          <button type="button" class="bad-quiet" onClick={() => setEnding(true)}>
            End session
          </button>
        )}
      </div>
      <Steps steps={steps} />
      {isEnding && (
        <ChangeDialog
          title="End this session?"
          action="End session"
          tone="bad"
          onSubmit={end}
          onClose={() => setEnding(false)}
        >
          <p>
            Ends 1 session of <Foreign text={user?.email ?? userId} />, which began <Time at={startedAt} />.{' '}
            {isCurrent
              ? 'It is the one of this page: you have to log in again.'
              : 'They have to log in again there. Their other sessions stay.'}
          </p>
        </ChangeDialog>
      )}
    </>
  );
}

/** The steps, of which many equal refreshes in a row are one. */
export function Steps({ steps }: { steps: Rows<Step> }) {
  const { rows, problem } = steps;
  const list = useRef<HTMLOListElement>(null);
  return (
    <>
      <ProblemNotice problem={problem} />
      {rows === undefined && problem === undefined && <Loading />}
      {rows !== undefined && (
        <ol class="stack steps" ref={list}>
          {foldSteps(rows).map(({ first, last, count }) => (
            <li key={first.id} class={isEnded(first) ? undefined : `step-${first.kind}`}>
              {count === 1 ? (
                <>
                  <p>
                    <span class={`step-name ${first.isTheft ? 'bad' : isEnded(first) ? 'quiet' : ''}`}>
                      {nameOf(first)}
                    </span>{' '}
                    <Time at={first.createdAt} form="exact" />
                  </p>
                  {first.kind !== 'rotated' && <p>{first.detail}.</p>}
                </>
              ) : (
                <p>
                  <span class="step-name">{count} refreshes</span> <Time at={first.createdAt} form="exact" /> to{' '}
                  <Time at={last.createdAt} form="exact" />
                </p>
              )}
              <From step={first} isOne={count === 1} />
            </li>
          ))}
        </ol>
      )}
      <More read={steps} label="Show more steps" list={list} row="li" />
    </>
  );
}

function nameOf(step: Step): string {
  return isEnded(step) ? ENDED_TOKEN : (STEPS[step.kind] ?? step.kind);
}

function isEnded({ kind, isTheft }: Step): boolean {
  return kind === 'token_theft' && !isTheft;
}

function From({ step: { kind, ipAddress, userAgent, jti }, isOne }: { step: Step; isOne: boolean }) {
  if (kind === 'expired') return null; // nobody did that
  return (
    <p class="quiet">
      {ipAddress === 'cli' ? 'Command line' : <Foreign text={ipAddress} />}
      {userAgent !== null && (
        <>
          {', '}
          <Device userAgent={userAgent} />
        </>
      )}
      {isOne && jti !== null && (
        <>
          {', token '}
          <Id id={jti} />
        </>
      )}
    </p>
  );
}
