/** Refreshes while 64 others log in: what waits behind the hashing of passwords. They are few, so that logins go on. */
import type { LoadTask } from '../programs/load.js';
import { startRunner } from '../runner.js';
import type { Stage } from '../stage.js';
import { costOf, LEAD_IN_MS, type Work } from '../work.js';
import { logins, SESSIONS } from './gateway.js';

const LOGINS = 64;
const REFRESHES = 16;
/** Between two refreshes of a connection: so they are at most 160 a second, and logins have the core */
const PAUSE_MS = 100;
/** How long the logins go on before and after what is counted: seconds */
const AROUND_SECONDS = 1;

export async function mixedWork(stage: Stage): Promise<Work> {
  const { gateway, gatewayPid, lab, load } = stage;
  const others = await startRunner<LoadTask>(lab, 'load');
  const part = async (seconds: number) => {
    const tokens = await stage.mint(SESSIONS);
    const begun = Promise.withResolvers<void>();
    const loggingIn = others.run(
      {
        ...{ url: gateway.url, requests: logins(stage), connections: LOGINS, isPatient: true },
        ...{ leadInMs: AROUND_SECONDS * 1000, seconds: seconds + LEAD_IN_MS / 1000 + AROUND_SECONDS },
      },
      (edge) => edge === 'began' && begun.resolve(),
    );
    await Promise.race([begun.promise, loggingIn]);
    const requests = { kind: 'rotate', way: 'cookie', tokens } as const;
    const task = {
      url: gateway.url,
      requests,
      connections: REFRESHES,
      seconds,
      leadInMs: LEAD_IN_MS,
      pauseMs: PAUSE_MS,
    };
    const cost = await costOf(stage, gatewayPid, (onEdge) => load.run(task, onEdge));
    const { answers: _, ...ofLogins } = await loggingIn;
    return [
      { what: 'refresh beside 64 logins', connections: REFRESHES, ...cost },
      { what: 'login beside 16 refreshes', connections: LOGINS, ...ofLogins },
    ];
  };
  return { name: 'mixed', parts: [part] };
}
