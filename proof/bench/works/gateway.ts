/** The works of the gateway itself. */
import { signAs } from '../../evidence/lab/callers.js';
import { upTo } from '../../evidence/lab/lanes.js';
import { PASSWORD } from '../../evidence/lab/users.js';
import type { LoadTask } from '../programs/load.js';
import { post, type Requests } from '../requests.js';
import type { Stage } from '../stage.js';
import { type CONNECTIONS, costOf, LEAD_IN_MS, type Work, workAt } from '../work.js';

/** That are rotated in turn */
export const SESSIONS = 1_000;
/** Until each of 64 waits as long as the queue makes it wait */
const LOGIN_LEAD_IN_MS = 1_500;
/** Sessions and signatures serve once. So many are prepared; if they run out, the time is shorter. */
const ONCE_PER_SECOND = { 1: 3_000, 16: 9_000, 64: 9_000 };

const JSON_TYPE = { 'content-type': 'application/json' };
const QUERY = JSON.stringify({ query: '{ caller { callerType } }' });

export function gatewayWorks(stage: Stage): Work[] {
  const once = async (
    connections: (typeof CONNECTIONS)[number],
    seconds: number,
    make: (count: number) => Promise<string[]> | string[],
  ): Promise<Requests> => {
    const count = Math.ceil(ONCE_PER_SECOND[connections] * (seconds + LEAD_IN_MS / 1000));
    return { kind: 'once', requests: await make(count) };
  };
  return [
    workOf(stage, 'refresh', async () => ({ kind: 'rotate', way: 'cookie', tokens: await stage.mint(SESSIONS) })),
    workOf(stage, 'login', () => logins(stage), { leadInMs: LOGIN_LEAD_IN_MS, isPatient: true }),
    workOf(stage, 'logout', (connections, seconds) =>
      once(connections, seconds, async (count) =>
        (await stage.mint(count)).map((token) => post('/auth/logout', { cookie: `refresh_token=${token}` })),
      ),
    ),
    workOf(stage, 'caller-token', () => ({
      kind: 'in-turn',
      requests: stage.accessTokens.map((token) =>
        post('/graphql', { ...JSON_TYPE, authorization: `Bearer ${token}` }, QUERY),
      ),
    })),
    workOf(stage, 'caller-signature', (connections, seconds) =>
      once(connections, seconds, (count) =>
        upTo(count).map(() => {
          const { headers, body, target } = signAs(stage.apiKey);
          return post(target, Object.fromEntries(headers), body.toString());
        }),
      ),
    ),
  ];
}

export function logins({ emails }: Stage): Requests {
  const requests = emails.map((email) => post('/auth/login', JSON_TYPE, JSON.stringify({ email, password: PASSWORD })));
  return { kind: 'in-turn', requests };
}

function workOf(
  stage: Stage,
  name: string,
  make: (connections: (typeof CONNECTIONS)[number], seconds: number) => Promise<Requests> | Requests,
  how: Partial<LoadTask> = {},
): Work {
  const { gateway, gatewayPid, load } = stage;
  const work = workAt(name, async (connections, seconds) => {
    const requests = await make(connections, seconds);
    const task = { url: gateway.url, requests, connections, seconds, leadInMs: LEAD_IN_MS, ...how };
    return costOf(stage, gatewayPid, (onEdge) => load.run(task, onEdge));
  });
  return { ...work, isGateways: true };
}
