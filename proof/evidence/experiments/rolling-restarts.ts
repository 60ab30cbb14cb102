/** No request fails while two instances behind a proxy are restarted in turn. (Interface 10, SIGTERM) */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hold, holdNewRecords } from '../../../test/support/postgres/hold.js';
import { until } from '../../../test/support/until.js';
import type { Experiment, Row } from '../experiment.js';
import { type Answer, ask, login, refresh } from '../lab/browser.js';
import { type Instance, prepareGateways } from '../lab/gateways.js';
import { openIdle } from '../lab/idle.js';
import type { Lab } from '../lab/lab.js';
import { startPostgres } from '../lab/postgres.js';
import { type Kind, startReverseProxy } from '../lab/reverse-proxy.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const ROUNDS = { small: 1, full: 5 };
const CLIENTS = 8;
const PAUSE_MS = 5;
/** How long after SIGTERM an idle connection asks again: milliseconds */
const IDLE_MS = [50, 250, 450, 650, 850];
/** Of so many steps of a client, one is a login. */
const LOGIN_EVERY = 50;
/** Requests before the first restart: the proxy has the connections then that it keeps. */
const WARM_UP = CLIENTS * 20;

/** What the clients have asked */
interface Work {
  row: Row;
  /** Logins and refreshes that have no answer yet */
  changing: number;
}

export const rollingRestarts = behind('nginx');
export const rollingRestartsHaproxy = behind('haproxy');

function behind(kind: Kind): Experiment {
  return {
    name: `rolling-restarts-${kind}`,
    isAlone: true,
    needs: [kind],
    mutants: [
      {
        name: 'a stop ends connections in flight',
        file: 'src/http/server/closing.ts',
        from: 'NetServer.prototype.close.call(server);',
        to: `NetServer.prototype.close.call(server);
  server.closeAllConnections();`,
        foundBy: /^requests failed in rolling restarts/,
      },
      {
        name: 'a stop ends idle connections after 100 ms',
        file: 'src/http/server/listener.ts',
        from: 'onItsWayMs: 1_000,',
        to: 'onItsWayMs: 100,',
        foundBy: /^idle connections without an answer/,
      },
    ],
    run: async (lab, size) => {
      const db = await startPostgres(lab);
      const gateways = await prepareGateways(lab, db.url);
      const instances = await Promise.all([gateways.start(), gateways.start()]);
      const emails = await createUsers(gateways, db, CLIENTS);
      const { url, errors } = await startReverseProxy(lab, kind, instances);
      const row: Row = {
        what: `requests failed in rolling restarts behind ${kind}`,
        trials: 0,
        least: WARM_UP + 2 * ROUNDS[size],
        violations: 0,
        examples: [],
      };
      const idle: Row = {
        what: `idle connections without an answer in the second after SIGTERM, ${kind}`,
        trials: 0,
        least: 2 * ROUNDS[size] * IDLE_MS.length,
        violations: 0,
      };
      const working = new AbortController();
      const asked: Work = { row, changing: 0 };
      const clients = Promise.all(emails.map((email) => work(url, email, asked, working.signal)));
      await until('the proxy has its connections', async () => row.trials >= WARM_UP);

      const stops: number[] = [];
      for (let round = 0; round < ROUNDS[size]; round += 1) {
        for (const instance of instances) {
          await using hold = await holdNewRecords({ database: db, rows: db.query });
          await until('each client waits for a login or a refresh', async () => asked.changing === CLIENTS);
          const startedMs = performance.now();
          await stopWhileIdle(lab, instance, idle, hold);
          stops.push(performance.now() - startedMs);
          await instance.start();
        }
      }
      working.abort();
      await clients;
      if (row.violations > 0) row.examples?.push(...errors());
      row.figures = { restarts: stops.length, slowest_stop_ms: Math.round(Math.max(...stops)) };
      return [row, idle];
    },
  };
}

/**
 * Stops an instance that has idle connections, each of which asks once more, and requests whose statements are held.
 * @returns when it has ended
 */
async function stopWhileIdle(lab: Lab, instance: Instance, row: Row, hold: Hold): Promise<void> {
  const connections = await Promise.all(IDLE_MS.map(() => openIdle(lab, instance.url)));
  const ended = instance.kill('SIGTERM');
  await Promise.all([
    sleep(IDLE_MS[0]).then(hold.release),
    ...connections.map(async ({ ask: askAgain }, i) => {
      await sleep(IDLE_MS[i]);
      row.trials += 1;
      if ((await askAgain()) !== 200) row.violations += 1;
    }),
  ]);
  await ended;
}

/** One client: logs in now and then, refreshes, and asks who it is with what it was given. */
async function work(url: string, email: string, asked: Work, signal: AbortSignal): Promise<void> {
  const { row } = asked;
  let session: { token: string; accessToken: string } | undefined;
  /** @returns whether the answer was the right one */
  const expect = async (what: string, asking: Promise<Answer>): Promise<boolean> => {
    row.trials += 1;
    const answer = await asking.catch(() => undefined);
    if (answer?.status === 200) {
      const { cookie, body } = answer;
      if (cookie) session = { token: cookie, accessToken: String(body['access_token']) };
      return true;
    }
    row.violations += 1;
    row.examples?.push(`${what}: ${answer?.status ?? 'no answer'} ${answer?.body['detail'] ?? ''}`);
    return false;
  };
  for (let step = 0; !signal.aborted; step += 1) {
    if (session !== undefined && step % 2 === 0 && step % LOGIN_EVERY > 0) {
      await expect('caller', whoAmI(url, session.accessToken));
    } else {
      asked.changing += 1;
      if (session === undefined || step % LOGIN_EVERY === 0) await expect('login', login(url, email, PASSWORD));
      else if (!(await expect('refresh', refresh(url, session.token)))) session = undefined; // it may have happened
      asked.changing -= 1;
    }
    await sleep(PAUSE_MS);
  }
}

function whoAmI(url: string, accessToken: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
  return ask(url, '/graphql', { headers, body: '{"query":"{ caller { callerType } }"}' });
}
