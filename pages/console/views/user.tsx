/** The view User: one account, where it is logged in, what happened to it, and how to change that. */
import { useState } from 'preact/hooks';
import { announce } from '../../kit/announce.js';
import { useAnswer } from '../../kit/answer.js';
import { can, currentUser } from '../../kit/auth.js';
import { Cut } from '../../kit/foreign.js';
import { Heading } from '../../kit/heading.js';
import { Link, pathTo } from '../../kit/location.js';
import { Loading, ProblemNotice } from '../../kit/states.js';
import { ShowUser, type ShowUserQuery } from '../operations.js';
import { AUDIT_LOG, USERS } from '../paths.js';
import { Actions } from './user/actions.js';
import { DevicesSection } from './user/devices.js';
import { EventsSection } from './user/events.js';
import { FactorsSection } from './user/factors.js';
import { FactsOfUser, isLocked } from './user/facts.js';
import { SessionsSection } from './user/sessions.js';

export function User({ id }: { id: string }) {
  const { data, problem, reload } = useAnswer(ShowUser, { id });
  if (data === undefined && problem === undefined) return <Loading />;
  if (data === undefined) {
    return (
      <>
        <Heading text="User" />
        <ProblemNotice problem={problem} />
      </>
    );
  }
  if (data.user === null) return <Unknown id={id} />;
  return (
    <>
      <Found user={data.user} reload={reload} />
      <ProblemNotice problem={problem} />
    </>
  );
}

function Unknown({ id }: { id: string }) {
  return (
    <>
      <Heading text="User" />
      <p>
        There is no user with the id <Cut text={id} />. They may have been deleted.
      </p>
      <p class="user-links">
        {can('audit:read') && <Link to={pathTo(AUDIT_LOG, { userId: id })}>Events about this id</Link>}
        <Link to={USERS}>All users</Link>
      </p>
    </>
  );
}

interface FoundProps {
  user: NonNullable<ShowUserQuery['user']>;
  reload(): void;
}

function Found({ user, reload }: FoundProps) {
  const [turn, setTurn] = useState(0);
  const isSelf = currentUser.value?.sub === user.id;
  const hasFailingDevice = user.devices.some((device) => device.failedLoginAttempts > 0 || isLocked(device));
  const done = (text: string): void => {
    announce(text);
    reload();
    setTurn((count) => count + 1);
  };
  return (
    <>
      <div class="user-title">
        <Heading text={user.email} />
        {isSelf && <span class="badge">This is you</span>}
      </div>
      <section>
        <h2>Account</h2>
        <FactsOfUser user={user} pendingEmail={user.pendingEmail} />
        {can('users:write') && (
          <Actions
            user={user}
            isSelf={isSelf}
            hasFailingDevice={hasFailingDevice}
            hasFactors={user.factors.length > 0}
            onDone={done}
          />
        )}
      </section>
      <SessionsSection user={user} turn={turn} onDone={done} />
      <FactorsSection factors={user.factors} codesLeft={user.recoveryCodesLeft} />
      <DevicesSection user={user} devices={user.devices} onDone={done} />
      {can('audit:read') && <EventsSection id={user.id} turn={turn} />}
    </>
  );
}
