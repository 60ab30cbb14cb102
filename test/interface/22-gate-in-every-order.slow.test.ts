/** Whatever happens in whatever order, over two instances: the gate opens if and only if the session lives. (Interface 22) */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserActive, setUserPassword } from '../../src/admin/user-changes.js';
import { ORIGIN } from '../support/gateway/authz.js';
import { ask, askWayBack, cookiesOf, GATE, leadOf, verdictOf, visit } from '../support/gateway/gate.js';
import { type Instance, PASSWORD, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, logout, refresh } from '../support/gateway/routes.js';

const ORIGINS = [ORIGIN, 'https://other.example.com'];
const SESSION_SECONDS = 1_209_600;
const COOKIE_SECONDS = 43_200;
const CODE_SECONDS = 30;

let gateway: TestGateway;
let turn = 0;
beforeAll(async () => {
  const FORWARD_AUTH_ORIGINS = ORIGINS.join();
  gateway = await startGateway({ instances: 2, env: { ...GATE, FORWARD_AUTH_ORIGINS, KNOWN_DEVICES: 'off' } });
});
afterAll(() => gateway.close());

/** Each request goes to the other instance. */
function on(): Instance {
  turn += 1;
  return gateway.instances[turn % 2] ?? gateway;
}

const now = (): number => gateway.clock.now().getTime() / 1000;

interface Session {
  isEnded: boolean;
  endsAt: number;
}

/** A browser at one service */
interface Tab {
  cookies: Record<string, string>;
  /** Of the cookie that the gate has set */
  entered: { session: Session; endsAt: number } | undefined;
  /** The address of the gate, where the last visit has led */
  gate: URL | undefined;
  /** Codes that were not used yet, the newest last */
  codes: Array<{ path: string; session: Session; endsAt: number }>;
}

interface Browser {
  session: Session | undefined;
  /** What the browser has now, and what somebody has stolen */
  refreshToken: string | undefined;
  stolen: string | undefined;
  tabs: Tab[];
}

interface Model {
  user: { id: string; email: string };
  password: string;
  browsers: Browser[];
}

const lives = (session: Session | undefined): session is Session =>
  session !== undefined && !session.isEnded && session.endsAt >= now();

const isInside = ({ entered }: Tab): boolean =>
  entered !== undefined && entered.endsAt > now() && lives(entered.session);

const endAll = ({ browsers }: Model): void => {
  for (const { session, tabs } of browsers) {
    for (const ended of [
      session,
      ...tabs.flatMap((tab) => [tab.entered?.session, ...tab.codes.map((code) => code.session)]),
    ]) {
      if (ended !== undefined) ended.isEnded = true;
    }
  }
};

interface Step {
  act: keyof typeof ACTS;
  browser: number;
  tab: number;
}

type Act = (at: { model: Model; browser: Browser; tab: Tab; origin: string }) => Promise<void>;

const ACTS = {
  'a visit': async ({ tab, origin }) => {
    const answer = await visit(on(), { origin, cookies: tab.cookies });
    expect(verdictOf(answer)).toBe(isInside(tab) ? 'in' : 'gate');
    if (isInside(tab)) return;
    Object.assign(tab.cookies, cookiesOf(answer));
    tab.gate = leadOf(answer);
  },
  'a script': async ({ tab, origin }) => {
    const answer = await ask(on(), { origin, cookies: tab.cookies });
    expect(verdictOf(answer)).toBe(isInside(tab) ? 'in' : '401 missing_credentials');
  },
  'a login': async ({ model, browser }) => {
    const answer = await login(on(), model.user.email, model.password);
    expect(answer.status).toBe(200);
    browser.session = { isEnded: false, endsAt: now() + SESSION_SECONDS };
    browser.refreshToken = refreshTokenOf(answer);
    browser.stolen = undefined;
  },
  'a refresh': async ({ browser }) => {
    const answer = await refresh(on(), browser.refreshToken);
    expect(answer.status).toBe(lives(browser.session) ? 200 : 401);
    if (answer.status !== 200 || browser.session === undefined) return;
    browser.stolen = browser.refreshToken;
    browser.refreshToken = refreshTokenOf(answer);
    browser.session.endsAt = now() + SESSION_SECONDS;
  },
  'a way back': async ({ browser, tab }) => {
    if (tab.gate === undefined) return;
    const answer = await askWayBack(on(), tab.gate, browser.refreshToken);
    expect(answer.status).toBe(lives(browser.session) ? 200 : 401);
    if (answer.status !== 200 || browser.session === undefined) return;
    const { pathname, search } = new URL(answer.json.location);
    tab.codes.push({ path: pathname + search, session: browser.session, endsAt: now() + CODE_SECONDS });
  },
  'a return': async ({ tab, origin }) => {
    const code = tab.codes.pop();
    if (code === undefined) return;
    const isGood = code.endsAt > now() && lives(code.session);
    const answer = await visit(on(), { origin, target: code.path, cookies: tab.cookies });
    expect(verdictOf(answer)).toBe(isGood ? 'back' : 'gate, with a problem');
    if (!isGood) return;
    Object.assign(tab.cookies, cookiesOf(answer));
    tab.entered = { session: code.session, endsAt: now() + COOKIE_SECONDS };
    const again = await visit(on(), { origin, target: code.path, cookies: tab.cookies });
    expect(verdictOf(again)).toBe('gate, with a problem');
  },
  'a logout': async ({ browser }) => {
    expect((await logout(on(), browser.refreshToken)).status).toBe(200);
    if (browser.session !== undefined) browser.session.isEnded = true;
    browser.refreshToken = undefined;
  },
  'a logout at the service': async ({ tab, origin }) => {
    const { cookies, entered } = tab;
    const asked = { origin, cookies, method: 'POST', target: '/.auth-gateway/logout', headers: { Origin: origin } };
    const answer = await visit(on(), asked);
    expect(verdictOf(answer)).toBe(entered === undefined ? '401 missing_credentials' : 'back');
    if (entered !== undefined) entered.session.isEnded = true;
  },
  'a theft': async ({ browser }) => {
    if (browser.stolen === undefined) return;
    expect((await refresh(on(), browser.stolen)).status).toBe(401);
    if (browser.session !== undefined) browser.session.isEnded = true;
  },
  'a deactivation and an activation': async ({ model }) => {
    await setUserActive(on().app, COMMAND_LINE, model.user.id, false);
    endAll(model);
    for (const { tabs } of model.browsers) {
      for (const [i, { cookies }] of tabs.entries()) {
        const answer = await ask(on(), { origin: ORIGINS[i] ?? ORIGIN, cookies });
        expect(verdictOf(answer)).toBe('401 missing_credentials');
      }
    }
    await setUserActive(on().app, COMMAND_LINE, model.user.id, true);
  },
  'a new password': async ({ model }) => {
    model.password = `a phrase of ${randomUUID()}`;
    await setUserPassword(on().app, COMMAND_LINE, model.user.id, model.password);
    endAll(model);
  },
  'some seconds': async () => gateway.clock.advance(20),
  'half a day': async () => gateway.clock.advance(COOKIE_SECONDS),
  'a week': async () => gateway.clock.advance(SESSION_SECONDS / 2 + 1),
} satisfies Record<string, Act>;

const newTab = (): Tab => ({ cookies: {}, entered: undefined, gate: undefined, codes: [] });
const newBrowser = (): Browser => ({
  ...{ session: undefined, refreshToken: undefined, stolen: undefined, tabs: ORIGINS.map(newTab) },
});

async function tryInOrder(steps: Step[]): Promise<void> {
  const model: Model = { user: await gateway.user(), password: PASSWORD, browsers: [newBrowser(), newBrowser()] };
  const take = async ({ act, browser: who, tab: which }: Step): Promise<void> => {
    const browser = model.browsers[who] ?? newBrowser();
    await ACTS[act]({ model, browser, tab: browser.tabs[which] ?? newTab(), origin: ORIGINS[which] ?? ORIGIN });
  };
  for (const step of steps) await take(step);
  for (const browser of [0, 1]) for (const tab of [0, 1]) await take({ act: 'a script', browser, tab });
}

const at = (browser: number, tab: number, ...acts: Array<Step['act']>): Step[] =>
  acts.map((act) => ({ act, browser, tab }));
const ENTERED = ['a login', 'a visit', 'a way back', 'a return'] as const;
/** From where most acts have something to do */
const BEGINNINGS: Step[][] = [
  [],
  [...at(0, 0, ...ENTERED), ...at(0, 1, ...ENTERED.slice(1))],
  [...at(0, 0, ...ENTERED, 'a refresh'), ...at(1, 1, ...ENTERED), ...at(1, 0, 'a visit', 'a way back')],
];

const act = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Step['act']>('a visit', 'a way back', 'a return') },
  { weight: 2, arbitrary: fc.constantFrom<Step['act']>('a login', 'a refresh', 'a script', 'some seconds') },
  { weight: 2, arbitrary: fc.constantFrom(...(Object.keys(ACTS) as Array<Step['act']>)) },
);
const step = fc.record({ act, browser: fc.nat(1), tab: fc.nat(1) });

test.each([0, 1, 2])(
  'Interface 22: whatever happens in whatever order, after the beginning %i, the gate opens if and only if the session lives',
  async (beginning) => {
    const steps = fc.array(step, { minLength: 4, maxLength: 40, size: 'max' });
    const run = (rest: Step[]) => tryInOrder([...(BEGINNINGS[beginning] ?? []), ...rest]);
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: 30 });
  },
  300_000,
);
