/**
 * The hosts that webhooks may send to, against a thief with the token of an administrator: at the creation of a webhook
 * and at each call. (Interface 17)
 */
import type { LookupAddress } from 'node:dns';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook, pauseWebhook, resumeWebhook } from '../../src/admin/webhooks.js';
import { readConfig } from '../../src/config/config.js';
import { createSender } from '../../src/outbox/webhooks/send.js';
import {
  type AddressRefused,
  checkedLookup,
  faultOfTarget,
  mayCall,
  type Resolve,
  type TargetFault,
} from '../../src/outbox/webhooks/target.js';
import { createWebhookConsumer } from '../../src/outbox/webhooks/webhook-consumer.js';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';
import { type Receiver, startReceiver } from './receiver.js';

/** Addresses that answer with credentials of the machine, that are on no route, or that are everybody. */
const NEVER = [
  ...['169.254.169.254', '169.254.170.2', '169.254.0.23', '169.254.1.1'], // most clouds; ECS; Tencent; a neighbour
  ...['168.63.129.16', '100.100.100.200', '192.0.0.192'], // Azure, Alibaba, Oracle
  ...['[fd00:ec2::254]', '[fd00:ec2::23]', '[fd20:ce::254]', '[fd00:42::42]', '[fd00:c1::a9fe:a9fe]'],
  ...['[fe80::a9fe:a9fe]', '[fe80::1]', '[febf::1]', '0.0.0.0', '0.0.0.1', '[::]'],
  ...['224.0.0.1', '239.255.255.250', '[ff02::1]', '255.255.255.255'],
  ...['240.0.0.1', '192.0.2.1', '[2001:db8::1]'], // for documents, or for nothing
  ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]'], // IPv4-mapped
  '[::169.254.169.254]', // IPv4-compatible
  '[::ffff:0:169.254.169.254]', // IPv4-translated, RFC 6145
  ...['[64:ff9b::a9fe:a9fe]', '[64:ff9b::169.254.169.254]', '[64:ff9b::127.0.0.1]', '[64:ff9b::100.100.100.200]'], // NAT64
  ...['[64:ff9b:1:a9fe:a9:fe00::1]', '[64:ff9b:1:ffa9:fe:a9fe::1]', '[64:ff9b:1:7f00:0:100:808:808]'],
  '[64:ff9b:1::a9fe:a9fe]', // NAT64 of RFC 8215, by each length of its prefix
  ...['[64:ff9b:1:a9fe:a9:fe00::]', '[64:ff9b:1:ffa9:fe:a9fe::]', '[64:ff9b:1:ffff:a9:fea9:fe00:0]'],
  ...['[2002:a9fe:a9fe::1]', '[2002:7f00:1::]'], // 6to4
  '[2001:0:1::1]', // Teredo
  ...['2852039166', '0xa9fea9fe', '0xA9.0xFE.0xA9.0xFE', '0251.0376.0251.0376', '169.254.43518', '169.16689662'],
  ...['0251.254.169.254', '１６９.254.169.254', '169。254。169。254', '169.254.169.254.'],
];

/** The list of an operator who was talked into everything: each target is refused by what it is. */
const LISTED = [
  ...['hooks.example.com', 'hooks.example.com:8443', '127.0.0.1', 'localhost', '[::1]'],
  ...NEVER.map((host) => new URL(`https://${host}`).host),
];

const schemes = [
  ...['file:///etc/passwd', 'file://hooks.example.com/a', 'ftp://hooks.example.com/', 'gopher://hooks.example.com/_a'],
  ...[
    'ws://hooks.example.com/',
    'wss://hooks.example.com/',
    'unix:/run/docker.sock',
    'blob:https://hooks.example.com/a',
  ],
  ...['javascript:fetch(1)', 'data:text/plain,a', 'dict://hooks.example.com/', 'about:blank'],
];

const HOSTILE: Array<[what: string, url: string, fault: TargetFault]> = [
  ['another host', 'https://evil.example.com/', 'host_not_listed'],
  ['a host below', 'https://a.hooks.example.com/', 'host_not_listed'],
  ['a host above', 'https://example.com/', 'host_not_listed'],
  ['a host that begins with it', 'https://hooks.example.com.evil.example/', 'host_not_listed'],
  ['a host that ends with it', 'https://evilhooks.example.com/', 'host_not_listed'],
  ['another port', 'https://hooks.example.com:8080/', 'host_not_listed'],
  ['the port of http', 'https://hooks.example.com:80/', 'host_not_listed'],
  ['a trailing dot', 'https://hooks.example.com./', 'host_not_listed'],
  ['two trailing dots', 'https://hooks.example.com../', 'host_not_listed'],
  ['letters that look alike', 'https://hooks.examp\u04cfe.com/', 'host_not_listed'],
  ['a punycode that looks alike', 'https://hooks.xn--exampe-3ve.com/', 'host_not_listed'],
  ['a wildcard', 'https://*.example.com/', 'host_not_listed'],
  ['another loopback address', 'https://127.0.0.2/', 'host_not_listed'],
  ['a name of loopback that is not listed', 'https://a.localhost/', 'host_not_listed'],
  ['a user', 'https://user@hooks.example.com/', 'credentials_in_url'],
  ['a user and a password', 'https://user:secret@hooks.example.com/', 'credentials_in_url'],
  ['the listed host as the user', 'https://hooks.example.com@evil.example/', 'credentials_in_url'],
  ['the listed host as user and password', 'https://hooks.example.com:443@evil.example/', 'credentials_in_url'],
  ['an empty user', 'https://@hooks.example.com/', 'credentials_in_url'],
  ['an @ in the path', 'https://hooks.example.com/@evil.example', 'credentials_in_url'],
  ['a fragment', 'https://hooks.example.com/#@evil.example', 'url_invalid'],
  ['a backslash', 'https://evil.example\\.hooks.example.com/', 'url_invalid'],
  ['a space', 'https://hooks.example.com/ HTTP/1.1', 'url_invalid'],
  ['a line break in the path', 'https://hooks.example.com/\r\nX-A: b', 'url_invalid'],
  ['a line break in the scheme', 'ht\ntps://evil.example/', 'url_invalid'],
  ['a tab in the host', 'https://hooks.example.com\t.evil.example/', 'url_invalid'],
  ['NUL at the end', 'https://hooks.example.com/\0', 'url_invalid'],
  ['a control character in front', '\u0001https://hooks.example.com/', 'url_invalid'],
  ['no host', 'https:///', 'url_invalid'],
  ['no scheme', 'hooks.example.com/', 'url_invalid'],
  ['no scheme but slashes', '//hooks.example.com/', 'url_invalid'],
  ['an escaped slash in the host', 'https://hooks.example.com%2f.evil.example/', 'url_invalid'],
  ['a zone', 'https://[fe80::1%25eth0]/', 'url_invalid'],
  ['half of an address', 'https://[::1/', 'url_invalid'],
  ['nothing', '', 'url_invalid'],
  ['too many characters', `https://hooks.example.com/${'a'.repeat(2048)}`, 'url_too_long'],
  ['http to another machine', 'http://hooks.example.com/', 'scheme_not_allowed'],
  ['http on the port of https', 'http://hooks.example.com:443/', 'scheme_not_allowed'],
  ['http to metadata', 'http://169.254.169.254/latest/meta-data/', 'scheme_not_allowed'],
  ['http to a name that begins like loopback', 'http://localhost.evil.example/', 'scheme_not_allowed'],
  ...schemes.map((url): [string, string, TargetFault] => [url, url, 'scheme_not_allowed']),
  ...NEVER.map((host): [string, string, TargetFault] => [host, `https://${host}/`, 'address_refused']),
];

const EVENT = {
  ...{ id: '019ab000-0000-7000-8000-000000000001', event_type: 'logout', entity_type: 'user', user_id: null },
  ...{
    ip_address: 'unknown',
    user_agent: '',
    metadata: {},
    created_at: new Date(0),
    written_at: '1970-01-01T00:00:00.000000Z',
  },
  user_email: null,
};

describe('Interface 17: a target that is refused', () => {
  let gateway: TestGateway;
  let id: string;
  let consumer: ReturnType<typeof createWebhookConsumer>;
  beforeAll(async () => {
    gateway = await startGateway({ env: { WEBHOOK_HOSTS: LISTED.join(',') } });
    const valid = { url: 'https://hooks.example.com/', eventTypes: ['logout'] };
    id = (await createWebhook(gateway.app, COMMAND_LINE, valid)).webhook.id;
    consumer = createWebhookConsumer(gateway.app);
  });
  afterAll(async () => {
    await consumer.close();
    await gateway.close();
  });

  test.each(HOSTILE)('%s, when it is created', async (_what, url, fault) => {
    expect(faultOfTarget(url, gateway.config)).toBe(fault);
    const created = createWebhook(gateway.app, COMMAND_LINE, { url });
    await expect(created).rejects.toMatchObject({ reason: 'webhook_target_refused' });
    expect(await gateway.rows('select from webhooks')).toHaveLength(1);
  });

  // PostgreSQL stores no NUL, and the table no longer URL.
  const storable = HOSTILE.filter(([, url]) => !url.includes('\0') && url.length <= 2048);
  test.each(storable)('%s, when it has come into the table in another way', async (_what, url) => {
    await gateway.rows('update webhooks set url = $1', [url]);
    const receiver = await consumer.open(id);
    const delivery = await receiver?.deliver(EVENT, new AbortController().signal, 0);
    expect(delivery).toEqual({ kind: 'failed', outcome: 'target_refused' });
  });

  test.each([
    ...['https://hooks.example.com', 'https://HOOKS.Example.COM/a', 'HTTPS://hooks.example.com:443/?a=b'],
    ...['https://hooks.example.com:8443/', 'https://hooks。example。com/', 'https://127.0.0.1/', 'https://2130706433/'],
    ...['https://[::1]/', 'https://[0:0::1]/', 'https://localhost/'],
  ])('but not %s: a listed host may be written in any way', (url) => {
    expect(faultOfTarget(url, gateway.config)).toBeUndefined();
  });
});

test('Interface 17: http leads to this machine in development, and nowhere in production', () => {
  const base = {
    DATABASE_URL: 'postgresql://unused',
    WEBHOOK_HOSTS: '127.0.0.1:8080,localhost:8080,[::1]:8080,10.0.0.1:8080',
  };
  const development = readConfig(base);
  const production = readConfig({ ...base, NODE_ENV: 'production' });
  const published = readConfig({ ...base, PUBLIC_URL: 'https://auth.example.com' });
  for (const host of ['127.0.0.1:8080', 'localhost:8080', '[::1]:8080', '2130706433:8080']) {
    expect(faultOfTarget(`http://${host}/`, development)).toBeUndefined();
    expect(faultOfTarget(`http://${host}/`, production)).toBe('scheme_not_allowed');
    expect(faultOfTarget(`http://${host}/`, published)).toBe('scheme_not_allowed');
    expect(faultOfTarget(`https://${host}/`, production)).toBeUndefined();
  }
  expect(faultOfTarget('http://10.0.0.1:8080/', development)).toBe('scheme_not_allowed');
});

test('Interface 17: without WEBHOOK_HOSTS nothing can be created', async () => {
  const gateway = await startGateway();
  try {
    const created = createWebhook(gateway.app, COMMAND_LINE, { url: 'https://hooks.example.com/' });
    await expect(created).rejects.toMatchObject({ reason: 'webhooks_off' });
  } finally {
    await gateway.close();
  }
});

test('Interface 17: a webhook whose host is no longer listed is not called', async () => {
  const receiver = await startReceiver();
  const gateway = await startGateway({ env: { WEBHOOK_HOSTS: receiver.authority }, outboxPollMs: 20 });
  const { webhook } = await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  await pauseWebhook(gateway.app, COMMAND_LINE, webhook.id);
  for (const instance of gateway.instances.splice(0)) await instance.close();
  const count = receiver.received.length;
  const changed = { env: { WEBHOOK_HOSTS: 'hooks.example.com' }, clock: gateway.clock, outboxPollMs: 20 };
  const instance = await startInstance(gateway.database, changed);
  try {
    await resumeWebhook(instance.app, COMMAND_LINE, webhook.id);
    await until('it was refused', async () => {
      const [cursor] = await gateway.rows('select last_outcome from outbox_cursors where id = $1', [webhook.id]);
      return cursor?.['last_outcome'] === 'target_refused';
    });
    expect(receiver.received).toHaveLength(count);
  } finally {
    await instance.close();
    await gateway.close();
    await receiver.close();
  }
});

describe('Interface 17: the address that is called is the one that was checked', () => {
  /** A resolver whose answers a test writes down, one for each question. The last one stays. */
  function resolver(...answers: string[][]): { resolve: Resolve; asked(): number } {
    let asked = 0;
    const resolve: Resolve = (_hostname, _options, callback) => {
      const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
      asked += 1;
      const found = addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
      setImmediate(() => callback(null, found));
    };
    return { resolve, asked: () => asked };
  }

  const lookUp = (resolve: Resolve, hostname: string, all: boolean) =>
    new Promise<{ error: unknown; address: unknown }>((done) => {
      checkedLookup(resolve)(hostname, { all }, (error, address) => done({ error, address }));
    });

  /** Outcomes of requests, one after the other */
  async function post(url: string, resolve: Resolve, times = 1): Promise<string[]> {
    const sender = createSender(checkedLookup(resolve), 3_000, 100);
    const outcomes: string[] = [];
    for (let i = 0; i < times; i += 1) {
      const request = { url, headers: {}, body: '{}' };
      const { delivery } = await sender.post(request, new Date(), new AbortController().signal);
      outcomes.push(delivery.outcome);
    }
    await sender.close();
    return outcomes;
  }

  let receiver: Receiver;
  let port: string;
  beforeAll(async () => {
    receiver = await startReceiver();
    receiver.reply(() => ({ status: 204, headers: { connection: 'close' } }));
    port = new URL(receiver.url).port;
  });
  afterAll(() => receiver.close());

  test('a resolver that changes its answer is asked once for a connection, and its first answer is called', async () => {
    const { resolve, asked } = resolver(['127.0.0.1'], ['169.254.169.254']);
    expect(await post(`http://localhost:${port}/`, resolve)).toEqual(['delivered']);
    expect(asked()).toBe(1);
  });

  test('what it answers for the next connection is checked too', async () => {
    const { resolve } = resolver(['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']);
    const outcomes = await post(`http://localhost:${port}/`, resolve, 3);
    expect(outcomes).toEqual(['delivered', 'address_refused', 'delivered']);
  });

  const bare = NEVER.map((host) => new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, ''));
  const here = ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '::127.0.0.1'];
  test.each([...new Set(bare), 'fe80::1%eth0', ...here])(
    'a public name that leads to %s is refused, alone or among others',
    async (address) => {
      const count = receiver.received.length;
      for (const answer of [[address], ['10.0.0.1', address], [address, '10.0.0.1']]) {
        const { resolve } = resolver(answer);
        expect(await post(`https://hooks.example.com:${port}/`, resolve)).toEqual(['address_refused']);
        for (const all of [true, false]) {
          const { error } = await lookUp(resolve, 'metadata.google.internal', all);
          expect((error as AddressRefused).code).toBe('ADDRESS_REFUSED');
        }
      }
      expect(receiver.received).toHaveLength(count);
    },
  );

  test.each(['10.0.0.1', '93.184.216.34', '169.254.169.254', '::ffff:10.0.0.1', '64:ff9b::7f00:1'])(
    'localhost that leads to %s is refused, since plain http would leave this machine',
    async (address) => {
      const { resolve } = resolver([address]);
      for (const host of ['localhost', 'a.localhost'])
        expect(await post(`http://${host}:${port}/`, resolve)).toEqual(['address_refused']);
    },
  );

  test('no address at all is refused, and a name that does not exist is a connection that failed', async () => {
    const unknown: Resolve = (_hostname, _options, callback) =>
      callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), []);
    expect(await post('https://hooks.example.com/', resolver([]).resolve)).toEqual(['address_refused']);
    expect(await post('https://hooks.example.com/', unknown)).toEqual(['connection_failed']);
  });

  test.each([true, false])('an answer is handed on as it came (all: %s)', async (all) => {
    const { resolve } = resolver(['10.0.0.1', '10.0.0.2']);
    const { error, address } = await lookUp(resolve, 'hooks.example.com', all);
    expect(error).toBeNull();
    const both = ['10.0.0.1', '10.0.0.2'].map((one) => ({ address: one, family: 4 }));
    expect(address).toEqual(all ? both : '10.0.0.1');
  });

  test.each(NEVER)('the sender refuses %s itself, for which no name is looked up', async (host) => {
    const { resolve, asked } = resolver(['10.0.0.1']);
    expect(await post(`https://${host}/`, resolve)).toEqual(['address_refused']);
    expect(asked()).toBe(0);
  });

  test.each([
    ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '93.184.216.34', 'fd12:3456::1', '2606:4700::1111'],
    ...[
      '64:ff9b::8.8.8.8',
      '64:ff9b:1::8.8.8.8',
      '64:ff9b:1:fffe::8.8.8.8',
      '64:ff9b:1:808:8:800::',
      '2002:808:808::1',
      '::ffff:10.0.0.1',
    ],
  ])('%s may be called, since the operator has listed the name that leads there', (address) => {
    expect(mayCall(address, 'hooks.example.com')).toBe(true);
  });
});
