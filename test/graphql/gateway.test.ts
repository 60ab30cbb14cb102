/** The query `gateway`: the running gateway, its keyring, and what `doctor` finds in it. (Interface 11) */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { rotateKeyring } from '../../src/admin/keyring.js';
import { variables } from '../../src/config/config.js';
import { PUBLISH_AHEAD_SECONDS } from '../../src/credentials/keyring/keyring.js';
import { CHECKS } from '../../src/doctor/examine.js';
import { addSeconds } from '../../src/platform/clock.js';
import { createExamination } from '../../src/start/examination.js';
import { handClock } from '../support/gateway/clock.js';
import { type Edge, ownKeyring, startEdge } from '../support/gateway/doctor.js';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey, newcomer, signIn } from '../support/gateway/graphql.js';
import { ticked } from '../support/ticks.js';
import { until } from '../support/until.js';

const cleanUp = new AsyncDisposableStack();
let gateway: TestGateway;
let keyring: Awaited<ReturnType<typeof ownKeyring>>;
/** At PUBLIC_URL; its requests show how often the gateway was examined */
let edge: Edge;
let admin: As;
let startedAt: string;

/** The PostgreSQL of the tests asks for none. */
const PASSWORD = 'secret-of-the-database';

beforeAll(async () => {
  keyring = await ownKeyring();
  cleanUp.defer(keyring.remove);
  edge = await startEdge();
  cleanUp.defer(edge.close);
  const env = { PUBLIC_URL: `http://localhost:${edge.port}`, KEYRING_FILE: keyring.file };
  gateway = await startGateway({ env });
  cleanUp.defer(gateway.close);
  edge.leadTo(gateway.url);
  startedAt = gateway.clock.now().toISOString();
});
afterAll(() => cleanUp.disposeAsync());
beforeEach(async () => {
  gateway.clock.advance(61); // so that each test has an examination of its own
  admin = (await newcomer(gateway, 'admin')).as;
});

const KEYS = '{ gateway { keys { kid purpose algorithm usedFrom usedUntil neededUntil isInUse } } }';
/** A key with which a keyring was created */
const FIRST = { kid: expect.any(String), usedFrom: null, usedUntil: null, neededUntil: null, isInUse: true };
const CHECKED = '{ gateway { checks { checkedAt findings { severity check seen remedy } } } }';
const EVERYTHING = `{ gateway {
  version nodeVersion startedAt publicUrl isDevelopment areWebhooksOn isMailOn areKnownDevicesOn
  settings { name value default isSet }
  keys { kid purpose algorithm usedFrom usedUntil neededUntil isInUse } mail { lag } checks { checkedAt findings { severity check seen remedy } }
} }`;

interface Checks {
  checkedAt: string;
  findings: Array<{ severity: string; check: string; seen: string; remedy: string | null }>;
}

async function checksOf(as: As = admin): Promise<Checks> {
  return (await dataOf(gateway, as, CHECKED)).gateway.checks;
}

test('Interface 11: an administrator sees the program, what is on, and the public side of the keyring', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  const { checks, keys, ...facts } = (await dataOf(gateway, admin, EVERYTHING)).gateway;
  expect(facts).toEqual({
    version,
    nodeVersion: process.versions.node,
    startedAt,
    publicUrl: gateway.config.publicUrl,
    isDevelopment: true,
    areWebhooksOn: false,
    isMailOn: false,
    mail: null,
    settings: expect.arrayContaining([{ name: 'PORT', value: '3000', default: '3000', isSet: false }]),
    areKnownDevicesOn: false,
  });
  expect(keys).toEqual([
    { ...FIRST, purpose: 'access', algorithm: 'EdDSA' },
    { ...FIRST, purpose: 'refresh', algorithm: 'HS256' },
    { ...FIRST, purpose: 'sealing', algorithm: 'A256GCM' },
  ]);
  expect(checks.checkedAt).toBe(gateway.clock.now().toISOString());
});

test('Interface 11: what is on follows the variables', async () => {
  const env = { WEBHOOK_HOSTS: 'hooks.example.com', MAIL: 'log', KNOWN_DEVICES: 'on', KEYRING_FILE: keyring.file };
  const other = await startInstance(gateway.database, { env, clock: gateway.clock });
  try {
    const { as } = await signIn(other, await gateway.user({ role: 'admin' }));
    const text = '{ gateway { startedAt areWebhooksOn isMailOn areKnownDevicesOn } }';
    expect((await dataOf(other, as, text)).gateway).toEqual({
      startedAt: gateway.clock.now().toISOString(), // its own, not that of the first instance
      areWebhooksOn: true,
      isMailOn: true,
      areKnownDevicesOn: true,
    });
  } finally {
    await other.close();
  }
});

test('Interface 11: it needs gateway:read, which keys can have and analysts do not', async () => {
  const { as: analyst } = await newcomer(gateway, 'analyst');
  expect(await ask(gateway, analyst, '{ gateway { checks { checkedAt } } caller { callerType } }')).toMatchObject({
    status: 200,
    data: { gateway: null, caller: { callerType: 'user' } },
    errors: [{ path: ['gateway'], extensions: { reason: 'scope_missing', requiredScope: 'gateway:read' } }],
  });
  const { as: key } = await newApiKey(gateway, ['gateway:read']);
  expect((await checksOf(key)).findings).not.toEqual([]);
});

test('Interface 11: a rotation is seen: new keys are published, then used', async () => {
  const own = await ownKeyring();
  const rotated = await startGateway({ env: { KEYRING_FILE: own.file } });
  try {
    const { as } = await newApiKey(rotated, ['gateway:read']);
    const listed = async (): Promise<Array<Record<string, unknown>>> => (await dataOf(rotated, as, KEYS)).gateway.keys;
    const before = await listed();
    const { added, usedFrom } = await rotateKeyring(rotated.app);
    await rotated.app.keyring.reload();
    const { accessTokenSeconds, refreshTokenSeconds } = rotated.config;
    const tokenSeconds: Record<string, number> = {
      access: accessTokenSeconds,
      refresh: refreshTokenSeconds,
      sealing: 0,
    };
    const expected = (isNewInUse: boolean) =>
      before.flatMap((key, i) => {
        const neededUntil = addSeconds(usedFrom, tokenSeconds[String(key['purpose'])] ?? 0).toISOString();
        return [
          { ...key, kid: added[i], usedFrom: usedFrom.toISOString(), isInUse: isNewInUse },
          { ...key, usedUntil: usedFrom.toISOString(), neededUntil, isInUse: !isNewInUse },
        ];
      });
    expect(await listed()).toEqual(expected(false));
    rotated.clock.advance(PUBLISH_AHEAD_SECONDS);
    expect(await listed()).toEqual(expected(true));
    // A rotation drops what is not needed any more, and nothing else.
    for (const seconds of [1, accessTokenSeconds + 7, 3, refreshTokenSeconds + 5, 2]) {
      rotated.clock.advance(seconds);
      const { as: key } = await newApiKey(rotated, ['gateway:read']);
      const { keys } = (await dataOf(rotated, key, KEYS)).gateway as {
        keys: Array<{ kid: string; neededUntil: string }>;
      };
      const over = keys.filter(({ neededUntil }) => neededUntil && new Date(neededUntil) < rotated.clock.now());
      const { dropped } = await rotateKeyring(rotated.app);
      expect(dropped.toSorted()).toEqual(over.map(({ kid }) => kid).toSorted());
      await rotated.app.keyring.reload();
    }
  } finally {
    await rotated.close();
    await own.remove();
  }
});

test('Interface 11: every check but that of the speed of passwords has run, as the gateway itself', async () => {
  const { findings } = await checksOf();
  const names = findings.map(({ check }) => check);
  const missing = CHECKS.map(([name]) => name).filter((name) => !names.includes(name));
  expect(missing).toEqual(['redis', 'password_speed', 'disk']); // there is no Redis, and the database is not embedded
  expect(findings).toContainEqual({
    severity: 'ok',
    check: 'public_url',
    seen: expect.stringMatching(/^this gateway answers there/),
    remedy: null,
  });
  const limit = findings.find(({ check }) => check === 'login_limits');
  expect(limit?.seen).toMatch(/^an address, .* \(LOGIN_RATE_LIMIT\)/); // and no shell's
});

test('Interface 11: a planted fault is found with its remedy, and gone a minute after it was fixed', async () => {
  const faults = async () => (await checksOf()).findings.filter(({ check }) => check === 'administrators');
  expect(await faults()).toMatchObject([{ severity: 'ok', remedy: null }]);
  await gateway.rows(`update users set is_active = false where role = 'admin'`);
  gateway.clock.advance(61);
  expect(await faults()).toEqual([
    {
      severity: 'fault',
      check: 'administrators',
      seen: 'there is no active administrator',
      remedy: 'run: auth-gateway user invite you@example.com --role admin',
    },
  ]);
  await gateway.rows(`update users set is_active = true where role = 'admin'`);
  gateway.clock.advance(61);
  expect(await faults()).toMatchObject([{ severity: 'ok', remedy: null }]);
});

test('Interface 11: one run is for everybody who asks at once, and for a minute', async () => {
  const { as: key } = await newApiKey(gateway, ['gateway:read']);
  const before = edge.asked();
  const [one] = await Promise.all([admin, key, admin, key].map((as) => checksOf(as)));
  const ofOneRun = edge.asked() - before;
  const at = gateway.clock.now().toISOString();
  expect(one?.checkedAt).toBe(at);
  gateway.clock.advance(59);
  expect((await checksOf(key)).checkedAt).toBe(at);
  expect(edge.asked() - before).toBe(ofOneRun);
  gateway.clock.advance(2);
  expect((await checksOf(key)).checkedAt).toBe(gateway.clock.now().toISOString());
  expect(edge.asked() - before).toBe(2 * ofOneRun);
});

test('Interface 11: nothing is examined for who does not ask for it', async () => {
  const before = edge.asked();
  await dataOf(gateway, admin, KEYS);
  expect(edge.asked()).toBe(before);
});

test('Interface 7: nine times the checks pass, ten times are too costly', async () => {
  const times = (n: number) => Array.from({ length: n }, (_, i) => `a${i}: checks { checkedAt }`).join(' ');
  expect((await ask(gateway, admin, `{ gateway { ${times(9)} } }`)).errors).toEqual([]);
  expect(await ask(gateway, admin, `{ gateway { ${times(10)} } }`)).toMatchObject({ reason: 'cost_above_limit' });
});

test('Interface 11: no secret of the keyring and no password is in the answer', async () => {
  const url = new URL(gateway.database.url);
  url.password = PASSWORD;
  const env = { DATABASE_URL: `postgresql://gateway:${PASSWORD}@localhost/gateway`, KEYRING_FILE: keyring.file };
  const smtp = { MAIL: 'smtp', SMTP_URL: `smtps://gateway:${PASSWORD}@mail.example.com`, MAIL_FROM: 'a@example.com' };
  const database = { ...gateway.database, url: url.href };
  const other = await startInstance(database, { env: { ...env, ...smtp }, clock: gateway.clock });
  try {
    const { as } = await signIn(other, await gateway.user({ role: 'admin' }));
    const { data, text } = await ask(other, as, EVERYTHING);
    expect(data.gateway.checks.findings.length).toBeGreaterThan(20);
    expect(text).not.toContain(PASSWORD);
    const { keys } = JSON.parse(await readFile(keyring.file, 'utf8'));
    for (const { d, k, kid } of keys) {
      expect(text).toContain(kid);
      expect(text).not.toContain(d ?? k);
    }
  } finally {
    await other.close();
  }
});

/** Takes connections and says nothing, as a firewall may. */
async function startSilent() {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    socket.resume(); // else it does not notice the end
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return { url, open, close: () => new Promise((resolve) => server.close(resolve)) };
}

test('Interface 11: a question does not wait for a slow check, and the next one gets its result', async () => {
  const silent = await startSilent();
  const slow = await startGateway({ env: { PUBLIC_URL: silent.url } });
  try {
    const { as } = await newcomer(slow, 'admin');
    const asked = async () => {
      const data = await dataOf(slow, as, `{ gateway { version checks { checkedAt findings { check severity } } } }`);
      expect(data.gateway.version).toEqual(expect.any(String));
      return data.gateway.checks;
    };
    expect(await asked()).toBeNull();
    const first = await asked(); // waits for the same run
    expect(first.findings).toContainEqual({ check: 'public_url', severity: 'warning' });
    slow.clock.advance(61);
    expect(await asked()).toEqual(first); // the next run takes as long
    expect((await asked()).checkedAt).toBe(slow.clock.now().toISOString());
  } finally {
    await slow.close();
    await silent.close();
  }
});

test('Interface 10: a run ends with the gateway, and so do its connections', async () => {
  const silent = await startSilent();
  const slow = await startGateway({ env: { PUBLIC_URL: silent.url } });
  const { as } = await newcomer(slow, 'admin');
  const asked = ask(slow, as, CHECKED).catch(() => undefined);
  await until('it is examined', () => silent.open.size > 0);
  const [, ms] = await ticked(slow.close);
  expect(ms).toBeLessThan(3_000); // PUBLIC_URL is given 4 s
  await asked;
  await silent.close(); // waits for its connections
});

test('Interface 11: a run that fails is an error for those who wait, and the next question begins another', async () => {
  const clock = handClock();
  let runs = 0;
  const { latest, stop } = createExamination(clock, async () => {
    runs += 1;
    if (runs === 1) throw new Error('it cannot be loaded');
    return [];
  });
  const both = await Promise.allSettled([latest(), latest()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await latest()).toEqual({ checkedAt: clock.now(), findings: [] });
  expect(runs).toBe(2);
  clock.advance(-3_600); // set back
  await latest();
  expect(runs).toBe(3);
  await stop();
  expect(await latest()).toBeUndefined();
  expect(runs).toBe(3);
});

test('Interface 11: settings are read with their defaults, and none of them with a password', async () => {
  const hidden = {
    DATABASE_URL: `postgresql://u:${PASSWORD}@db.example/x`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${PASSWORD}`,
  };
  const same = { PUBLIC_URL: gateway.config.publicUrl, KEYRING_FILE: keyring.file }; // which issued the token
  const env = { ...hidden, ...same, OTEL_SDK_DISABLED: 'true', LOGIN_RATE_LIMIT: '7', AUDIT_RETENTION_DAYS: '' };
  const instance = await startInstance(gateway.database, { env, clock: gateway.clock });
  const { text, data } = await ask(instance, admin, '{ gateway { settings { name value default isSet } } }');
  const settings: Array<{ name: string; isSet: boolean }> = data.gateway.settings;
  const named = (name: string) => settings.find((each) => each.name === name);
  expect(named('LOGIN_RATE_LIMIT')).toEqual({ name: 'LOGIN_RATE_LIMIT', value: '7', default: '5', isSet: true });
  const retention = { name: 'AUDIT_RETENTION_DAYS', value: '365', default: '365', isSet: false };
  expect(named('AUDIT_RETENTION_DAYS')).toEqual(retention);
  expect(named('REDIS_URL')).toEqual({ name: 'REDIS_URL', value: null, default: null, isSet: false });
  for (const name of Object.keys(hidden)) expect(named(name)).toMatchObject({ value: null, isSet: true });
  expect(text).not.toContain(PASSWORD);
  expect(settings.map(({ name }) => name)).toEqual(
    variables()
      .map(({ name }) => name)
      .toSorted(),
  );
  await instance.close();
});
