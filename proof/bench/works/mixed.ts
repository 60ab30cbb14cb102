/** Refreshes while 64 others log in: what waits behind the hashing of passwords. They are few, so that logins go on. */
import type { LoadTask } from '../programs/load.js';
import { startRunner } from '../runner.js';
import type { Stage } from '../stage.js';
import { LEAD_IN_MS, PASSWORD_STRETCH, type Run, sessionsOf, type Work } from '../work.js';
import { logins, SESSIONS } from './gateway.js';
import { loaded } from './loaded.js';

const LOGINS = 64;
const REFRESHES = 16;
/** Between two refreshes of a connection: so they are at most 160 a second, and logins have the core */
const PAUSE_MS = 100;
/** How long the logins go on before and after what is counted: seconds */
const AROUND_SECONDS = 1;

export async function mixedWork(stage: Stage): Promise<Work> {
  const { gateway, gatewayPid, lab } = stage;
  const others = await startRunner<LoadTask>(lab, 'load');
  const sessions = sessionsOf(() => stage.mint(SESSIONS));
  const prepare = async (seconds: number): Promise<Run> => {
    const requests = { kind: 'rotate', way: 'cookie', tokens: await sessions.take() } as const;
    const of = { url: gateway.url, seconds, leadInMs: LEAD_IN_MS };
    const refreshing = { ...of, requests, connections: REFRESHES, pauseMs: PAUSE_MS };
    const loggingIn = {
      ...{ ...of, requests: logins(stage), connections: LOGINS, isPatient: true },
      ...{ leadInMs: AROUND_SECONDS * 1000, seconds: seconds + LEAD_IN_MS / 1000 + AROUND_SECONDS },
    };
    return async () => {
      const begun = Promise.withResolvers<void>();
      const loggedIn = others.run(loggingIn, (edge) => edge === 'began' && begun.resolve());
      await Promise.race([begun.promise, loggedIn]);
      const cost = await loaded(stage, gatewayPid, refreshing, sessions.giveBack);
      const { answers, rate, medianMs, p99Ms, refused = 0 } = await loggedIn;
      if (answers === 0) throw new Error('no login was answered');
      return [
        { what: 'refresh next to 64 logins', connections: REFRESHES, ...cost },
        { what: 'login next to 16 refreshes', connections: LOGINS, rate, medianMs, p99Ms, refused },
      ];
    };
  };
  return { name: 'mixed', parts: [{ prepare }], stretch: PASSWORD_STRETCH };
}
