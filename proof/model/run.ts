/** Runs a schedule: pages with the real client in a browser of the model, against the real gateway. */
import { createHash } from 'node:crypto';
import { claimsOf, PASSWORD, type TestGateway } from '../../test/support/gateway/gateway.js';
import type { Act, Schedule } from './acts.js';
import { createShared } from './browser.js';
import { createNetwork, type Jar } from './network.js';
import { ask, createPages, ORIGIN, type Tab } from './pages.js';
import { type Answered, type Counts, createServer, type Sent, type Server, Violation } from './server.js';
import { createStory } from './story.js';
import { createVirtualTime } from './virtual-time.js';

const LIMIT_OF_PAGES = 4;
/** The network is well again for so long before anybody is asked: longer than the client's longest wait: milliseconds */
const REST_MS = 15 * 60_000;
/** An answer to a page over a network that is well: milliseconds */
const PROMPT_MS = 2 * 60_000;

export interface Run {
  gateway: Pick<TestGateway, 'rows' | 'instances' | 'clock'>;
  /** Who logs in; their password is that of the tests */
  users: ReadonlyArray<{ email: string }>;
  /** Whose login wants a second factor as well */
  owner: { id: string; email: string };
  counts: Counts;
  /** What of a request's fields does not reach the gateway, for the models that have to fail */
  withhold?: (headers: Record<string, string>) => Record<string, string>;
  /** What the browser's storage makes of what it is given */
  keep?: (value: string) => string;
}

/** @throws {Error} with the story of what happened, if something was wrong */
export async function runSchedule(
  { gateway, users, owner, counts, withhold = (headers) => headers, keep = (value) => value }: Run,
  schedule: Schedule,
): Promise<void> {
  const time = createVirtualTime();
  const story = createStory(time.now);
  const beginMs = gateway.clock.now().getTime();
  let sleptMs = 0;
  const serverNow = (): Date => new Date(beginMs + sleptMs + time.now());
  const server = createServer(gateway, serverNow, story, counts);
  const jar: Jar = { cookie: undefined };
  const network = createNetwork(time, { answer: serve }, jar, schedule, story);
  /** Of half logins, which no page may store */
  const challenges = new Set<string>();
  let isChallengeStored = false;
  const shared = createShared(time, (value) => {
    isChallengeStored ||= [...challenges].some((challenge) => value.includes(challenge));
    return keep(value);
  });
  const random = randomOf(schedule.seed);
  const pages = createPages(time, network, shared, random, story);
  /** Whether the browser must be signed in: undefined while a login or logout has no answer */
  const expected: { isSignedIn: boolean | undefined } = { isSignedIn: false };
  let changes = 0;
  /** Of the changes, the last logout that nothing else was under way with: undefined if there is none */
  let lastLogout: number | undefined;
  /** In which a login or a logout is under way */
  const changing = new Set<Tab>();
  /** The next call finds no favour */
  let isRefusedNext = false;
  let stolen: string | undefined;
  let hasThiefActed = false;

  async function serve(sent: Sent, instance: number): Promise<Answered> {
    gateway.clock.set(serverNow());
    if (sent.path === '/api') return callApi(sent);
    const answered = await server.answer({ ...sent, headers: withhold(sent.headers) }, instance);
    const { challenge } = JSON.parse(answered.body || '{}');
    if (challenge !== undefined) challenges.add(challenge);
    return answered;
  }

  /** An API of others, which believes a token until it expires. */
  function callApi({ headers }: Sent): Answered {
    const [, token = ''] = /^Bearer (.+)$/.exec(headers['authorization'] ?? '') ?? [];
    const isLive = token !== '' && Number(claimsOf(token)['exp']) * 1000 > serverNow().getTime();
    const isGood = isLive && !isRefusedNext;
    isRefusedNext = false;
    const body = JSON.stringify(isGood ? {} : { detail: 'no' });
    const status = isGood ? 200 : 401;
    story.add(`    api: ${status}`);
    return { status, headers: new Headers({ 'content-type': 'application/json' }), body, setsCookie: undefined };
  }

  function addEnd(tab: Tab, what: string, work: Promise<unknown>): void {
    const end = (how: string) => (): void => {
      if (!tab.isGone()) story.add(`${tab.name}: ${what} ${how}`);
    };
    work.then(end('is done'), end('fails'));
  }

  /** A login or a logout: nobody knows until it has ended, nor if two tabs do it at once. */
  function change(tab: Tab, what: string, becomes: boolean, work: () => Promise<unknown>): void {
    changes += 1;
    const mine = changes;
    const isAlone = [...changing].every((other) => other === tab || other.isGone());
    if (isAlone && !becomes) lastLogout = mine;
    changing.add(tab);
    expected.isSignedIn = undefined;
    story.add(`${tab.name}: ${what} begins`);
    const working = work();
    addEnd(tab, what, working);
    working
      .then(
        () => {
          if (isAlone && changes === mine && !tab.isGone()) expected.isSignedIn = becomes;
        },
        () => {
          if (!becomes) counts.logouts_failed += 1;
        },
      )
      .finally(() => changing.delete(tab));
  }

  function login(tab: Tab, user: number): void {
    const { email = '' } = users[user % users.length] ?? {};
    change(tab, `login as user ${user}`, true, () => tab.client.login({ email, password: PASSWORD }));
  }

  const isHalf = ({ client }: Tab): boolean => client.state().status === 'second-factor';

  /** Of those that wait for a second factor, counted round */
  function halfAt(index: number): Tab | undefined {
    const waiting = pages.open().filter(isHalf);
    return waiting[index % Math.max(1, waiting.length)];
  }

  /** By a recovery code that is good for one login */
  async function giveSecondFactor(page: Tab): Promise<void> {
    const recoveryCode = Buffer.from(random(16)).toString('hex').toUpperCase();
    const sha256 = createHash('sha256').update(recoveryCode).digest();
    await gateway.rows('insert into recovery_codes (user_id, code_sha256) values ($1, $2) on conflict do nothing', [
      owner.id,
      sha256,
    ]);
    if (page.isGone() || !isHalf(page)) return;
    change(page, 'a second factor', true, async () => {
      await page.client.secondFactor({ recoveryCode });
      counts.second_factors += 1;
    });
  }

  function giveUp({ name, client }: Tab): void {
    story.add(`${name} gives the half login up`);
    client.cancelSecondFactor();
    counts.half_given_up += 1;
  }

  const DO: { [K in Act['kind']]: (act: Extract<Act, { kind: K }>) => unknown } = {
    open: ({ asks }) => pages.open().length < LIMIT_OF_PAGES && pages.load(asks),
    close: ({ tab }) => {
      const closed = pages.at(tab);
      story.add(`${closed.name} is closed`);
      closed.close();
    },
    reload: ({ tab, asks }) => pages.reload(tab, asks),
    hammer: async ({ tab, backMs, times, everyMs }) => {
      network.delayNext(backMs);
      pages.reload(tab, 1);
      for (let i = 0; i < times; i += 1) {
        await time.pass(everyMs);
        pages.reload(tab, 1);
      }
    },
    ask: ({ tab }) => ask(pages.at(tab), story),
    call: ({ tab, isRefused }) => {
      isRefusedNext ||= isRefused;
      const caller = pages.at(tab);
      addEnd(caller, 'a call', caller.client.fetch(`${ORIGIN}/api`));
    },
    login: ({ tab, user }) => login(pages.at(tab), user),
    logout: ({ tab }) => {
      const leaving = pages.at(tab);
      change(leaving, 'logout', false, () => leaving.client.logout());
    },
    half: ({ tab, secondMs }) => {
      const page = pages.at(tab);
      story.add(`${page.name}: half a login begins`);
      const { email } = owner;
      const working = page.client.login({ email, password: PASSWORD });
      addEnd(page, 'half a login', working);
      working
        .then(() => {
          counts.half_logins += 1;
          if (secondMs !== undefined) time.after(secondMs, () => giveSecondFactor(page));
        })
        .catch(() => undefined);
    },
    second: ({ tab, isRight }) => {
      const page = halfAt(tab);
      if (page === undefined) return undefined;
      if (isRight) return giveSecondFactor(page);
      return addEnd(page, 'a wrong code', page.client.secondFactor({ recoveryCode: 'wrong' }));
    },
    cancel: ({ tab }) => {
      const page = halfAt(tab);
      if (page !== undefined) giveUp(page);
    },
    confirm: ({ tab }) => {
      const page = pages.at(tab);
      const working = page.client.confirm({ password: PASSWORD });
      addEnd(page, 'a confirmation', working);
      working.then(() => (counts.confirmations += 1)).catch(() => undefined);
    },
    offline: ({ ms }) => {
      story.add(`the network is away for ${ms} ms`);
      network.setOnline(false);
      time.after(ms, comeOnline);
    },
    sleep: ({ ms, isCounted }) => {
      story.add(`the computer sleeps for ${ms} ms`);
      network.dropAll();
      if (isCounted) time.skip(ms);
      else sleptMs += ms;
    },
    steal: () => {
      stolen = jar.cookie;
      story.add(`the thief copies ${story.cookie(stolen)}`);
    },
    use: async ({ withField }) => {
      if (stolen === undefined) return;
      hasThiefActed = true;
      const guess = (): string => Buffer.from(random(32)).toString('base64');
      const field = { 'refresh-retry': `this=:${guess()}:, previous=:${guess()}:` };
      story.add(`the thief presents ${story.cookie(stolen)}${withField ? ' with a guess' : ''}`);
      const headers = { origin: ORIGIN, ...(withField ? field : {}) };
      const sent = { method: 'POST', path: '/auth/refresh', headers, cookie: stolen, body: undefined };
      const { setsCookie } = await serve({ ...sent, by: 'thief' }, 0);
      if (setsCookie !== undefined && setsCookie !== '') stolen = setsCookie;
    },
  };

  function comeOnline(): void {
    story.add('the network is back');
    network.setOnline(true);
    pages.comeOnline();
  }

  async function isGivenToken(tab: Tab): Promise<boolean> {
    let token: string | undefined;
    let isDone = false;
    tab.client.getAccessToken().then(
      (given) => {
        token = given;
        isDone = true;
      },
      () => {
        isDone = true;
      },
    );
    if (!(await time.passUntil(() => isDone, PROMPT_MS))) throw new Violation(`${tab.name} is never answered`);
    return token !== undefined;
  }

  async function begin(): Promise<void> {
    await gateway.rows('update users set failed_login_attempts = 0, locked_until = null where id = $1', [owner.id]);
    login(pages.load(1), 0);
    await time.passUntil(() => expected.isSignedIn !== undefined, PROMPT_MS);
  }

  async function end(): Promise<void> {
    network.setWell(true);
    comeOnline();
    await time.pass(REST_MS);
    story.add('all is well again');
    const isHonest = !schedule.mayLose && !hasThiefActed;
    const mustHaveToken = isHonest && expected.isSignedIn === true;
    const mustBeOut = isHonest && lastLogout === changes;
    if (isChallengeStored) throw new Violation('a challenge is in storage');
    for (const tab of pages.open().filter(isHalf)) giveUp(tab);
    for (const tab of pages.open()) {
      const isGiven = await isGivenToken(tab);
      if (!isGiven && mustHaveToken) throw new Violation(`${tab.name} has lost its session`);
      if (isGiven && mustBeOut) throw new Violation(`${tab.name} is still logged in`);
    }
    for (const tab of pages.open()) tab.close();
    const presented = jar.cookie;
    const before = server.ownersRefreshes();
    const page = pages.load(0);
    const isGiven = await isGivenToken(page); // by a refresh: a new page has no token yet
    if (!isGiven && mustHaveToken) throw new Violation('the session is lost');
    if (mustBeOut) await expectLoggedOut(page);
    const { thefts, afterLogout } = await server.countThefts();
    counts.thefts_after_logout += afterLogout;
    if (isHonest && thefts > afterLogout) throw new Violation('an honest token_theft');
    counts.thefts += thefts;
    counts.schedules += 1;
    if (mustHaveToken) counts.sessions_kept += 1;
    if (presented !== undefined && server.ownersRefreshes() > before)
      await judgeStolen(server, claimsOf(presented)['sid'], serverNow());
  }

  /** A logout that nothing has confirmed is repeated until it is, whatever pages were closed or reloaded meanwhile. */
  async function expectLoggedOut({ client, name }: Tab): Promise<void> {
    const isOut = (): boolean => client.state().status === 'signed-out';
    if (!(await time.passUntil(isOut, PROMPT_MS))) throw new Violation(`${name} is still logged in`);
    counts.logouts_done += 1;
  }

  try {
    await begin();
    if (expected.isSignedIn !== true) throw new Violation('no login');
    network.setWell(false);
    for (const { afterMs, act } of schedule.acts) {
      await time.pass(afterMs);
      await (DO[act.kind] as (act: Act) => unknown)(act);
    }
    await end();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    throw new Error(`${error.message}\n${story.text()}`);
  } finally {
    gateway.clock.set(serverNow());
  }
}

/** Once the owner has refreshed, nothing lives of a session in which the thief was given a token. */
async function judgeStolen({ stolenSessions, records }: Server, session: unknown, now: Date): Promise<void> {
  if (!stolenSessions.has(session)) return;
  const living = (await records()).filter(
    ({ family_id, revoked, expires_at }) => family_id === session && !revoked && expires_at > now,
  );
  if (living.length > 0) throw new Violation('a stolen session lives on');
}

/** Bytes that follow from the seed. */
function randomOf(seed: number): (bytes: number) => Uint8Array {
  let block = 0;
  return (bytes) => {
    block += 1;
    return new Uint8Array(createHash('shake256', { outputLength: bytes }).update(`${seed} ${block}`).digest());
  };
}
