/** How many sessions of a user are live. */
import { useAnswer } from '../../../kit/answer.js';
import { Foreign } from '../../../kit/foreign.js';
import { LiveSessionsOfUser } from '../../operations.js';

/** `1 session` */
export function sessionsText(count: number): string {
  return count === 1 ? '1 session' : `${count.toLocaleString('en-GB')} sessions`;
}

export interface LiveSessions {
  count: number;
  /** False if there are more than were counted */
  isExact: boolean;
}

/** @param isSparing leaves out the session of this page */
export function useLiveSessions(id: string, isSparing = false): LiveSessions | undefined {
  const found = useAnswer(LiveSessionsOfUser, { id }).data?.user?.sessions;
  if (found === undefined) return undefined;
  const counted = found.nodes.filter(({ isCurrent }) => !(isSparing && isCurrent));
  return { count: counted.length, isExact: !found.pageInfo.hasNextPage };
}

/** Ends 3 sessions of ada@example.com. */
export function LiveSessionCount({ user: { id, email } }: { user: { id: string; email: string } }) {
  return <EndingText live={useLiveSessions(id)} email={email} />;
}

export function EndingText({ live, email }: { live: LiveSessions | undefined; email: string }) {
  const whose = <Foreign text={email} />;
  if (live === undefined) return <>Ends all sessions of {whose}.</>;
  if (live.count === 0) return <>{whose} has no live session.</>;
  return (
    <>
      Ends {live.isExact ? '' : 'at least '}
      {sessionsText(live.count)} of {whose}.
    </>
  );
}
