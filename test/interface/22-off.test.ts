/** Where there are no pages behind the gate, nothing of it is there; and nothing secret of it is ever written down. (Interface 22) */
import { FAMILIES } from '../support/gateway/authz.js';
import {
  ask,
  askWayBack,
  enter,
  GATE,
  leadOf,
  STATE_COOKIE,
  type Step,
  takeWay,
  verdictOf,
  visit,
} from '../support/gateway/gate.js';
import { type Answer, type Setup, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { logout } from '../support/gateway/routes.js';
import { lacksColumn, lacksTable, refusesRows, whileAway, withFault } from '../support/postgres/faults.js';

const HTTP_ORIGIN = 'http://b.test:8080';
const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://auth.example.com' };
const OWN_PATHS = ['/.auth-gateway/callback', '/.auth-gateway/logout'];

async function on<T>(setup: Setup, act: (gateway: TestGateway) => Promise<T>): Promise<T> {
  const gateway = await startGateway(setup);
  try {
    return await act(gateway);
  } finally {
    await gateway.close();
  }
}

test('Interface 22: without the two variables its paths are those of any unknown address', async () => {
  await on({}, async (gateway) => {
    const { refreshToken } = await newcomer(gateway);
    const headers = { Cookie: `refresh_token=${refreshToken}` };
    for (const path of [
      '/gate',
      '/gate?origin=https://app.example.com&target=/',
      '/gate/assets/x.js',
      '/auth/gate',
      ...OWN_PATHS,
    ]) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const body =
          method === 'POST' ? { origin: 'https://app.example.com', target: '/', state: 'A'.repeat(43) } : undefined;
        const answer = await gateway.send(method, path, { headers, body });
        const unknown = await gateway.send(method, '/unknown', { headers, body });
        expect([method, path, answer.status, answer.text]).toEqual([method, path, unknown.status, unknown.text]);
      }
    }
    expect((await gateway.send('GET', '/metrics')).text).not.toContain('outcome="gate_');
  });
});

test.each(FAMILIES)(
  'Interface 22: %s: a rule without pages=on knows no cookie, page or path of its own',
  async (family) => {
    await on({ env: GATE }, async (gateway) => {
      const { cookies } = await enter(gateway, await newcomer(gateway), { family });
      await gateway.rows('alter table gate_codes rename to unread');
      const step: Step = { family, cookies, rule: 'caller=user,api_key,cron' };
      for (const target of ['/', ...OWN_PATHS]) {
        for (const method of ['GET', 'POST']) {
          const answer = await visit(gateway, {
            ...step,
            target,
            method,
            headers: { Origin: 'https://app.example.com' },
          });
          expect([target, verdictOf(answer), answer.cookies]).toEqual([target, '401 missing_credentials', []]);
          expect(answer.headers['www-authenticate']).not.toContain('Cookie realm=');
        }
      }
    });
  },
);

test('Interface 22: in development an http origin has cookies without prefix and Secure', async () => {
  await on({ env: GATE }, async (gateway) => {
    const step = { origin: HTTP_ORIGIN, target: '/a' };
    const { asked, entered, cookies } = await enter(gateway, await newcomer(gateway), step);
    expect(asked.cookies).toEqual([
      expect.stringMatching(/^auth-gate-state=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(entered.cookies).toEqual([expect.stringMatching(/^auth-gate=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax$/)]);
    expect(leadOf(entered).href).toBe(`${HTTP_ORIGIN}/a`);
    expect(verdictOf(await ask(gateway, { ...step, cookies }))).toBe('in');
    const prefixed = Object.fromEntries(Object.entries(cookies).map(([name, value]) => [`__Host-${name}`, value]));
    expect(verdictOf(await ask(gateway, { ...step, cookies: prefixed }))).toBe('401 missing_credentials');
    expect(verdictOf(await ask(gateway, { cookies: prefixed }))).toBe('401 missing_credentials'); // at the https origin
    const left = await visit(gateway, {
      ...{
        origin: HTTP_ORIGIN,
        cookies,
        method: 'POST',
        target: '/.auth-gateway/logout',
        headers: { Origin: HTTP_ORIGIN },
      },
    });
    expect(left.cookies).toEqual(['auth-gate=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax']);
    expect(verdictOf(await ask(gateway, { ...step, cookies }))).toBe('401 missing_credentials');
  });
});

test('Interface 22: in production an http origin has no pages, and is served without them', async () => {
  await on({ env: { ...GATE, ...PRODUCTION } }, async (gateway) => {
    const { accessToken } = await newcomer(gateway);
    const headers = { Authorization: `Bearer ${accessToken}` };
    for (const family of FAMILIES) {
      for (const step of [{}, { headers }, { target: OWN_PATHS[0] ?? '' }, { cookies: { 'auth-gate': 'x' } }]) {
        const answer = await visit(gateway, { family, origin: HTTP_ORIGIN, ...step });
        expect([family, step, verdictOf(answer)]).toEqual([family, step, '403 origin_not_secure']);
      }
      expect(verdictOf(await visit(gateway, { family, origin: HTTP_ORIGIN, rule: 'caller=user', headers }))).toBe('in');
      const asked = await visit(gateway, { family });
      expect([verdictOf(asked), leadOf(asked).origin]).toEqual(['gate', PRODUCTION.PUBLIC_URL]);
    }
  });
});

test('Interface 5 and 22: no code, state or cookie is in a line of any level, in a metric or in an error', async () => {
  const captured = captureLog();
  await on({ env: GATE, log: captured.log }, async (gateway) => {
    const who = await newcomer(gateway);
    const secrets = new Set<string>([who.refreshToken]);
    const answers: Answer[] = [];
    const tried = async (asking: Promise<Answer>): Promise<Answer> => {
      const answer = await asking;
      answers.push(answer);
      return answer;
    };
    const newWay = async () => {
      const way = await takeWay(gateway, who);
      for (const secret of [way.state[STATE_COOKIE], way.callback.searchParams.get('code')]) secrets.add(secret ?? '');
      return way;
    };
    const goBack = ({ path, state }: Awaited<ReturnType<typeof newWay>>, step: Step = {}) =>
      tried(visit(gateway, { target: path, cookies: state, ...step }));
    const inside = await enter(gateway, who);
    for (const [name, value] of Object.entries(inside.cookies))
      secrets.add(name === STATE_COOKIE ? value : (value.split('.')[2] ?? ''));
    secrets.add(inside.callback.searchParams.get('code') ?? '');
    const way = await newWay();
    await goBack(way, { cookies: {} });
    await goBack(way, { method: 'POST' });
    await goBack(way, { headers: { 'Sec-Purpose': 'prefetch' } });
    await goBack(way);
    await goBack(way);
    await tried(askWayBack(gateway, leadOf(way.asked), `${who.refreshToken}x`));
    await tried(
      gateway.send('GET', `${way.path}&x=1`, { headers: { Cookie: `${STATE_COOKIE}=${way.state[STATE_COOKIE]}` } }),
    );
    await tried(gateway.send('GET', `/gate/${way.path}`));
    await tried(
      visit(gateway, { method: 'POST', cookies: inside.cookies, headers: { Origin: 'https://evil.example' } }),
    );
    await tried(visit(gateway, { cookies: inside.cookies, target: '/a#b' }));
    const faults = [lacksTable('gate_codes'), lacksColumn('gate_codes', 'target'), refusesRows('gate_codes')];
    for (const fault of faults) {
      const failing = await newWay();
      await withFault(gateway, fault, async () => {
        await goBack(failing);
        await tried(askWayBack(gateway, leadOf(failing.asked), who.refreshToken));
      });
    }
    const away = await newWay();
    await whileAway(gateway.database, async () => {
      await goBack(away);
      await tried(askWayBack(gateway, leadOf(away.asked), who.refreshToken));
      for (const family of FAMILIES) await tried(visit(gateway, { family, cookies: inside.cookies }));
    });
    await logout(gateway, who.refreshToken);
    await tried(visit(gateway, { cookies: inside.cookies }));
    await tried(
      visit(gateway, {
        cookies: inside.cookies,
        method: 'POST',
        target: OWN_PATHS[1] ?? '',
        headers: { Origin: 'https://app.example.com' },
      }),
    );
    const metrics = (await gateway.send('GET', '/metrics')).text;
    const written = [captured.text(), metrics, ...answers.map(({ text }) => text)];
    expect(answers.filter(({ status }) => status >= 500).length).toBeGreaterThanOrEqual(6);
    expect([...secrets].filter((secret) => secret.length < 40)).toEqual([]);
    for (const secret of secrets) {
      expect(written.filter((text) => text.includes(secret))).toEqual([]);
    }
    expect(metrics).toContain('outcome="gate_entered"');
  });
});
