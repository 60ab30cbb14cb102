/** How many sessions of a user are live, and ending each of them. */

import { useAnswer } from '../../../kit/answer.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask, problemOf } from '../../../kit/graphql.js';
import { Problem } from '../../../kit/problem.js';
import { LiveSessionsOfUser, RevokeSession } from '../../operations.js';

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

interface Ending {
  id: string;
  /** Stops before the next session if aborted. */
  signal: AbortSignal;
  onProgress(ended: number): void;
}

/**
 * Ends the live sessions of a user one by one, since no mutation ends all of somebody else's; that of this page stays.
 * Those that begin meanwhile are ended too.
 * @returns how many were ended
 * @throws {Problem} that says how many were ended before it
 */
export async function endSessions({ id, signal, onProgress }: Ending): Promise<number> {
  let ended = 0;
  try {
    for (;;) {
      // Ended sessions are no longer listed, so the first page always has the next ones.
      const { user } = await ask(LiveSessionsOfUser, { id });
      const others = user?.sessions.nodes.filter(({ isCurrent }) => !isCurrent) ?? [];
      if (others.length === 0 || signal.aborted) return ended;
      for (const session of others) {
        if (signal.aborted) return ended;
        await ask(RevokeSession, { id: session.id });
        ended += 1;
        onProgress(ended);
      }
    }
  } catch (error) {
    const problem = problemOf(error);
    if (!(problem instanceof Problem)) throw error;
    throw new Problem(`Stopped after ${sessionsText(ended)}. ${problem.message}`, problem.isPassing, problem.reason);
  }
}
