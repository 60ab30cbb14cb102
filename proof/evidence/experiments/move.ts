/** A database moves from embedded to external and back, and clients of the package stay signed in. (Interface 9) */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../../client/src/client.js';
import type { AuthClient } from '../../../client/src/types.js';
import { startBrowser } from '../../../test/support/browser/client-environment.js';
import { until } from '../../../test/support/until.js';
import type { Experiment, Row } from '../experiment.js';
import { type Gateways, type Instance, PUBLIC_URL, prepareGateways } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { upTo } from '../lab/lanes.js';
import { joinEmbedded, startPostgres } from '../lab/postgres.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const BROWSERS = 3;
const ROUND_TRIPS = { small: 1, full: 5 };
/** So that each client refreshes all the time: seconds */
const TOKEN_SECONDS = 2;
/** Between two requests of a client: milliseconds */
const THINK_MS = 50;
/** Good answers for each client, before each move and after the last */
const BETWEEN = 5;

export const move: Experiment = {
  name: 'move',
  mutants: [
    {
      name: 'an export leaves out the records of tokens',
      file: 'src/archive/tables.ts',
      from: `  refresh_tokens: 'jti',
`,
      to: '',
      foundBy: /^sessions lost by moves/,
    },
  ],
  run: async (lab, size) => {
    const embeddedIn = (name: string) => ({ DATABASE_URL: 'embedded', DATA_DIR: join(lab.folder, name) });
    const first = embeddedIn('data');
    const prepared = await prepareGateways(lab, 'embedded', { ACCESS_TOKEN_TTL_SECONDS: `${TOKEN_SECONDS}` });
    let gateways = prepared.with(first);
    const joined = joinEmbedded(lab, first.DATA_DIR);
    let instance = await gateways.start();
    const emails = await createUsers(gateways, await joined(), BROWSERS);

    const lost: Row = {
      what: 'sessions lost by moves of the database',
      trials: 0,
      least: 2 * ROUND_TRIPS[size] * BROWSERS,
      violations: 0,
      examples: [],
    };
    const users = await Promise.all(emails.map((email) => startUser(lab, email, () => instance.url)));
    const away: number[] = [];
    for (const trip of upTo(2 * ROUND_TRIPS[size])) {
      lab.say(`move ${trip + 1} of ${2 * ROUND_TRIPS[size]}`);
      await Promise.all(users.map((user) => user.work(BETWEEN)));
      const isOut = trip % 2 === 0;
      const target = prepared.with(
        isOut ? { DATABASE_URL: (await startPostgres(lab, `external-${trip}`)).url } : embeddedIn(`data-${trip}`),
      );
      const stoppedMs = performance.now();
      instance = await moved(lab, instance, gateways, target, join(lab.folder, `${trip}.export`));
      away.push((performance.now() - stoppedMs) / 1000);
      gateways = target;
      await Promise.all(users.map((user) => user.work(BETWEEN)));
      lost.trials += users.length;
      for (const fault of users.flatMap((user) => user.faults())) {
        lost.violations += 1;
        lost.examples?.push(fault);
      }
    }
    lost.figures = { moves: away.length, seconds_away_max: Math.max(...away) };
    for (const user of users) await user.stop();
    return [lost];
  },
};

/** As docs/backup.md says. */
async function moved(lab: Lab, from: Instance, gateways: Gateways, target: Gateways, file: string): Promise<Instance> {
  await from.kill('SIGTERM');
  await gateways.cli('database', 'export', '--out', file);
  await target.cli('database', 'import', file);
  const instance = await target.start();
  lab.say('moved');
  return instance;
}

interface User {
  /** Waits for so many more good answers, or for a fault. */
  work(answers: number): Promise<void>;
  /** What it has lost since it was asked last */
  faults(): string[];
  stop(): Promise<void>;
}

/** Somebody with a browser, whose page asks all the time. @param url that the proxy in front of the gateway leads to now */
async function startUser(lab: Lab, email: string, url: () => string): Promise<User> {
  const browser = startBrowser(PUBLIC_URL);
  lab.defer(browser.close);
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { headers, method, signal } = request;
    const body = method === 'GET' ? null : await request.arrayBuffer();
    return fetch(request.url.replace(PUBLIC_URL, url()), { headers, method, signal, body });
  };
  const client = createClient({ url: PUBLIC_URL }, browser.tab({}, send));
  await client.login({ email, password: PASSWORD });
  const sid = await sidOf(client);
  let [answers, isOver] = [0, false];
  let faults: string[] = [];
  client.on('signed-out', ({ reason }) => faults.push(`signed out: ${reason}`));
  const ask = async (): Promise<void> => {
    const { status } = await client.fetch(`${PUBLIC_URL}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ me { email } }' }),
    });
    if (status !== 200) return; // an outage, or a token that has expired while the gateway was away
    answers += 1;
    if ((await sidOf(client)) !== sid) faults.push('another session');
  };
  const working = (async () => {
    while (!isOver) {
      await ask().catch(() => undefined); // away
      await sleep(THINK_MS);
    }
  })();
  return {
    work: async (more) => {
      const before = answers;
      const isServed = (): boolean => answers >= before + more || faults.length > 0;
      await until('', isServed).catch(() => void faults.push(`${email} has no ${more} answers within a minute`));
    },
    faults: () => {
      const found = faults;
      faults = [];
      return found;
    },
    stop: async () => {
      isOver = true;
      await working;
    },
  };
}

async function sidOf(client: AuthClient): Promise<unknown> {
  const [, payload = ''] = (await client.getAccessToken())?.split('.') ?? [];
  return payload === '' ? undefined : JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')).sid;
}
