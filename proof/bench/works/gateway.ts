/** The works of the gateway itself. */
import { enter } from '../../../test/support/gateway/gate.js';
import { sha256 } from '../../../test/support/gateway/trusted-documents.js';
import { signAs } from '../../evidence/lab/callers.js';
import { asked } from '../../evidence/lab/gate.js';
import { upTo } from '../../evidence/lab/lanes.js';
import { copyAccessToken } from '../../evidence/lab/minted.js';
import { PASSWORD } from '../../evidence/lab/users.js';
import type { LoadTask } from '../programs/load.js';
import { post, type Requests } from '../requests.js';
import { SERVICE_ORIGIN, type Stage, WHO_IS_CALLING } from '../stage.js';
import { CONNECTIONS, type Connections, LEAD_IN_MS, PASSWORD_STRETCH, sessionsOf, type Work, workAt } from '../work.js';
import { loaded } from './loaded.js';

/** That are rotated in turn: more than there are connections */
export const SESSIONS = 1_000;
/** Until each of 64 waits as long as the queue makes it wait */
const LOGIN_LEAD_IN_MS = 1_500;
/** Sessions, signatures and new tokens serve once. So many are prepared; if they run out, the time is shorter. */
const ONCE_PER_SECOND = 12_000;
/** What is prepared takes longer than its slice, and few connections are measured by what is not. */
export const ONCE_AT: readonly Connections[] = [64];
/** A timer of Node is at most 24 days long. */
const NO_LIMIT_SECONDS = 86_400;
const LOGINS_AT: readonly Connections[] = [16, 64];

const JSON_TYPE = { 'content-type': 'application/json' };
const QUERY = JSON.stringify({ query: WHO_IS_CALLING });

export function gatewayWorks(stage: Stage): Work[] {
  return [
    refresh(stage, 'refresh'),
    login(stage),
    logout(stage),
    callerToken(stage),
    callerByDocument(stage),
    callerTokenFirst(stage),
    callerSignature(stage),
    ...proxyTokens(stage),
  ];
}

export function refresh(stage: Stage, name: string, numbers = CONNECTIONS as readonly Connections[]): Work {
  const sessions = sessionsOf(() => stage.mint(SESSIONS));
  const make = async (): Promise<Requests> => ({ kind: 'rotate', way: 'cookie', tokens: await sessions.take() });
  return workOf(stage, name, make, { numbers, giveBack: sessions.giveBack });
}

function login(stage: Stage): Work {
  const how = { leadInMs: LOGIN_LEAD_IN_MS, isPatient: true };
  return { ...workOf(stage, 'login', () => logins(stage), { numbers: LOGINS_AT, how }), stretch: PASSWORD_STRETCH };
}

export function logins({ emails }: Stage): Requests {
  const requests = emails.map((email) => post('/auth/login', JSON_TYPE, JSON.stringify({ email, password: PASSWORD })));
  return { kind: 'in-turn', requests };
}

function logout(stage: Stage): Work {
  return workOnce(stage, 'logout', async (count) => {
    const tokens = await stage.mint(count);
    return tokens.map((token) => post('/auth/logout', { cookie: `refresh_token=${token}` }));
  });
}

/** The gateway remembers these tokens: it has checked their signatures before. */
function callerToken(stage: Stage): Work {
  const requests = stage.accessTokens.map((token) => askByToken(token));
  return workOf(stage, 'caller-token', () => ({ kind: 'in-turn', requests }));
}

/** The same question, by the id of a trusted document. */
function callerByDocument(stage: Stage): Work {
  const body = JSON.stringify({ documentId: sha256(WHO_IS_CALLING) });
  const requests = stage.accessTokens.map((token) => askByToken(token, body));
  return workOf(stage, 'caller-document', () => ({ kind: 'in-turn', requests }), { numbers: ONCE_AT });
}

/** Each is presented once, so that the gateway has to check its signature. */
function callerTokenFirst(stage: Stage): Work {
  return workOnce(stage, 'caller-token-first', (count) =>
    copyAccessToken(stage.gateways, stage.accessTokens[0] ?? '', count).map((token) => askByToken(token)),
  );
}

function askByToken(token: string, body = QUERY): string {
  return post('/graphql', { ...JSON_TYPE, authorization: `Bearer ${token}` }, body);
}

/**
 * Interface 18: a proxy asks, with an assertion in the answer, without, and by tokens that are new to the gateway; Interface 22
 * and 23: by the cookie of a page, and by tokens whose session is read. A preflight of the same size has no caller to check: it
 * is what every question costs.
 */
function proxyTokens(stage: Stage): Work[] {
  const about = (rule: string, method: string, headers: Record<string, string>) =>
    post(`/authz/auth-request/${rule}`, {
      ...headers,
      'x-original-method': method,
      'x-original-url': `${SERVICE_ORIGIN}/invoices?year=2026`,
    });
  const ask = (rule: string) => (token: string) => about(rule, 'GET', { authorization: `Bearer ${token}` });
  const askPreflight = (token: string) =>
    about('caller=user;preflight=allow', 'OPTIONS', {
      origin: SERVICE_ORIGIN,
      'access-control-request-method': 'GET',
      cookie: `filler=${token}`,
    });
  let cookies: Promise<string[]> | undefined;
  const askByCookie = async (): Promise<Requests> => {
    cookies ??= cookiesOf(stage);
    const requests = (await cookies).map((cookie) => about('caller=user;pages=on', 'GET', { cookie }));
    return { kind: 'in-turn', requests };
  };
  const numbers = ONCE_AT;
  const inTurn = (name: string, make: (token: string) => string): Work => {
    const requests = stage.accessTokens.map(make);
    return workOf(stage, name, () => ({ kind: 'in-turn', requests }), { numbers });
  };
  return [
    inTurn('proxy-token', ask('caller=user')),
    inTurn('proxy-token-plain', ask('caller=user;assertion=off')),
    inTurn('proxy-token-live', ask('caller=user;live=on')),
    workOf(stage, 'proxy-cookie', askByCookie, { numbers }),
    inTurn('proxy-preflight', askPreflight),
    workOnce(stage, 'proxy-token-first', (count) =>
      copyAccessToken(stage.gateways, stage.accessTokens[0] ?? '', count).map(ask('caller=user')),
    ),
  ];
}

/** Of as many pages as there are access tokens, each of a session of its own */
async function cookiesOf(stage: Stage): Promise<string[]> {
  const on = asked(stage.lab, stage.gateway);
  const found: string[] = [];
  for (const refreshToken of await stage.mint(stage.accessTokens.length)) {
    const { cookies } = await enter(on, { refreshToken });
    found.push(
      Object.entries(cookies)
        .map(([name, value]) => `${name}=${value}`)
        .join('; '),
    );
  }
  return found;
}

function callerSignature(stage: Stage): Work {
  return workOnce(stage, 'caller-signature', (count) =>
    upTo(count).map(() => {
      const { headers, body, target } = signAs(stage.apiKey);
      return post(target, Object.fromEntries(headers), body.toString());
    }),
  );
}

/** @param make so many requests, each for one use */
function workOnce(stage: Stage, name: string, make: (count: number) => Promise<string[]> | string[]): Work {
  const all = async (seconds: number): Promise<Requests> => {
    const count = Math.ceil(ONCE_PER_SECOND * (seconds + LEAD_IN_MS / 1000));
    return { kind: 'once', requests: await make(count) };
  };
  return workOf(stage, name, all, { numbers: ONCE_AT });
}

export function workOf(
  stage: Stage,
  name: string,
  make: (seconds: number) => Promise<Requests> | Requests,
  {
    numbers = CONNECTIONS,
    how = {},
    giveBack,
  }: { numbers?: readonly Connections[]; how?: Partial<LoadTask>; giveBack?: (tokens: string[]) => void } = {},
): Work {
  const { gateway, gatewayPid } = stage;
  const work = workAt(
    name,
    async (connections, seconds) => {
      const requests = await make(seconds);
      const task = { url: gateway.url, requests, connections, seconds, leadInMs: LEAD_IN_MS, ...how };
      return () => loaded(stage, gatewayPid, task, giveBack);
    },
    numbers,
  );
  const send = async (connections: number, requestsAtMost: number) => {
    const requests = await make(requestsAtMost / ONCE_PER_SECOND);
    const task = { url: gateway.url, requests, connections, requestsAtMost, seconds: NO_LIMIT_SECONDS, leadInMs: 0 };
    return async () => {
      const { tokens } = await stage.load.run({ ...task, ...how, leadInMs: 0 });
      if (tokens !== undefined) giveBack?.(tokens);
    };
  };
  return { ...work, send };
}
