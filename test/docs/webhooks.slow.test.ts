/** docs/webhooks.md: a real gateway delivers to both receivers of examples/webhooks, and the page's commands work. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook, replayWebhook, rotateWebhookSecret } from '../../src/admin/webhooks.js';
import { testedBlock } from '../documents/printed.js';
import { startReceiver } from '../outbox/receiver.js';
import { runHere } from '../support/gateway/cli.js';
import { runningClock } from '../support/gateway/clock.js';
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newApiKey } from '../support/gateway/graphql.js';
import { freePort } from '../support/programs/redis.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';

const PAGE = 'docs/webhooks.md';
type Example = 'receiver.mts' | 'receiver.py';

let folder: string;
let gateway: TestGateway;
let port: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
  port = await freePort();
  const env = { WEBHOOK_HOSTS: `127.0.0.1:${port}` };
  gateway = await startGateway({ env, clock: runningClock(), outboxPollMs: 20 }); // receivers go by the time of the machine
});
afterEach(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

interface Running extends AsyncDisposable {
  /** What it has printed: `new` or `double`, type and sequence of each event */
  events(): Array<[what: string, type: string, sequence: string]>;
}

async function startExample(name: Example, secret: string): Promise<Running> {
  const file = resolve('examples/webhooks', name);
  const [program, words] = name === 'receiver.py' ? ['python3', [file]] : [process.execPath, ['--no-warnings', file]];
  const env = { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: String(port) };
  const child: ChildProcess = spawn(program, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, faults] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    faults += text;
  });
  const ended = once(child, 'close');
  await until('it listens', async () => {
    if (child.exitCode !== null) throw new Error(`it has ended: ${faults}`);
    return isListening();
  });
  return {
    events: () =>
      printed
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split(' ') as [string, string, string]),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
      expect(faults).toBe('');
    },
  };
}

function isListening(): Promise<boolean> {
  return new Promise((resolved) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolved(true)).on('error', () => resolved(false));
    socket.on('connect', () => socket.destroy());
  });
}

/** What somebody sends who is not the gateway, and what is answered. */
async function post(headers: Record<string, string>, body: string): Promise<number> {
  const sent = { headers: { 'content-type': 'application/json', ...headers }, body };
  return (await send(`http://127.0.0.1:${port}`, 'POST', '/auth-events', sent)).status;
}

const EVENT = { type: 'token_theft', timestamp: '2026-09-06T23:06:40.000Z', data: { id: 'a', sequence: 'b' } };

/** Signed by the package, not by the gateway. */
function signed(secret: string, at: Date, body: string, id = 'a'): Record<string, string> {
  const signature = new Webhook(secret).sign(id, at, body);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

describe.each(['receiver.mts', 'receiver.py'] as const)('%s', (name) => {
  const receives = async () => {
    const { webhook, secret } = await createWebhook(gateway.app, COMMAND_LINE, {
      url: `http://127.0.0.1:${port}/auth-events`,
    });
    await using receiver = await startExample(name, secret); // too late for the first event, which comes all the same
    for (let i = 0; i < 3; i += 1) await gateway.user();
    await until('everything has come', () => receiver.events().length === 4);
    const types = receiver.events().map(([what, type]) => `${what} ${type}`);
    expect(types.toSorted()).toEqual([
      'new user_created',
      'new user_created',
      'new user_created',
      'new webhook_created',
    ]);

    const since = new Date(Date.now() - 3_600_000);
    await replayWebhook(gateway.app, COMMAND_LINE, webhook.id, since);
    await until('everything has come again, and the replay', () => receiver.events().length === 9);
    const again = receiver.events().slice(4);
    const sequences = again.map(([, , sequence]) => sequence);
    expect(sequences).toEqual(sequences.toSorted());
    expect(again.map(([what, type]) => `${what} ${type}`)).toEqual([
      'double webhook_created',
      ...Array(3).fill('double user_created'),
      'new webhook_replayed',
    ]);

    await rotateWebhookSecret(gateway.app, COMMAND_LINE, webhook.id); // the receiver has the previous secret
    await until('both secrets sign', () => receiver.events().length === 10);
    expect(receiver.events().at(-1)?.slice(0, 2)).toEqual(['new', 'webhook_secret_rotated']);
  };

  const refuses = async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const stranger = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    await using receiver = await startExample(name, secret);
    const body = JSON.stringify(EVENT);
    const now = new Date();
    const good = signed(secret, now, body);
    const off = (seconds: number) => signed(secret, new Date(now.getTime() + seconds * 1000), body);
    for (const [headers, text] of [
      [signed(stranger, now, body), body],
      [good, body.replace('token_theft', 'login_failure')],
      [{ ...good, 'webhook-id': 'c' }, body],
      [{ ...good, 'webhook-timestamp': String(Number(good['webhook-timestamp']) + 1) }, body],
      [{ ...good, 'webhook-timestamp': 'now' }, body],
      [{ ...good, 'webhook-signature': '' }, body],
      [{ ...good, 'webhook-signature': good['webhook-signature']?.replace('v1,', 'v2,') ?? '' }, body],
      [off(-360), body],
      [off(360), body],
      [{}, body],
    ] as Array<[Record<string, string>, string]>) {
      expect([headers, await post(headers, text)]).toEqual([headers, 401]);
    }
    expect(await post(good, 'x'.repeat(300_000)).catch(() => 413)).toBe(413); // or the connection is cut
    expect(await post(off(-240), body)).toBe(204);
    const two = `${signed(stranger, now, body)['webhook-signature']} ${good['webhook-signature']}`;
    expect(await post({ ...good, 'webhook-signature': two }, body)).toBe(204);
    await until('both are printed', () => receiver.events().length === 2);
    expect(receiver.events()).toEqual([
      ['new', 'token_theft', 'b'],
      ['double', 'token_theft', 'b'],
    ]);
  };

  const programs = name === 'receiver.py' ? ['python3'] : [];
  testWith(programs, 'takes each event once, in order, also while the secret rotates', receives);
  testWith(programs, 'refuses what the gateway has not signed lately, and ignores a double', refuses);
});

test('the receiver in TypeScript has no faults of types', async () => {
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--skipLibCheck',
  ];
  const tsc = spawn(resolve('node_modules/.bin/tsc'), ['--ignoreConfig', ...options, 'examples/webhooks/receiver.mts']);
  let printed = '';
  tsc.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [code] = await once(tsc, 'close');
  expect([code, printed]).toEqual([0, '']);
});

test('docs/webhooks.md: what is printed of an event has the fields that are sent', async () => {
  await using cleanUp = new AsyncDisposableStack();
  const receiver = await startReceiver(port);
  cleanUp.defer(receiver.close);
  await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  const [{ headers, json } = { headers: {}, json: undefined }] = receiver.received;
  const said = JSON.parse(testedBlock(PAGE, 'body'));
  expect([Object.keys(said), Object.keys(said.data)]).toEqual([Object.keys(json), Object.keys(json.data)]);
  const head = testedBlock(PAGE, 'headers');
  expect(Object.keys(headers)).toEqual(expect.arrayContaining(namesIn(head)));
  const { id, sequence } = said.data;
  expect(sequence).toMatch(new RegExp(`^2026-09-06T23:06:40\\.\\d{6}Z_${id}$`));
  expect(head).toContain(`webhook-id: ${id}`);
});

const namesIn = (text: string): string[] => Array.from(text.matchAll(/^([a-z-]+): /gm), ([, name = '']) => name);

test('docs/webhooks.md: each command does what is said', async () => {
  await using cleanUp = new AsyncDisposableStack();
  const receiver = await startReceiver(port);
  cleanUp.defer(receiver.close);
  const { webhook } = await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  const commands = ['create', 'try', 'rotate', 'pause'].flatMap((name) => testedBlock(PAGE, name).split('\n'));
  for (const command of commands) {
    const words = command
      .replace('npm run --silent cli -- ', '')
      .replace(/https:\/\/hooks\.example\.com\/\S+/, receiver.url)
      .split(' ')
      .map((word) => (word === 'ID' ? webhook.id : word));
    const config = { ...gateway.config, databaseUrl: gateway.database.url };
    expect([command, await runHere(words, () => config)]).toEqual([command, expect.objectContaining({ code: 0 })]);
  }
});

test('docs/webhooks.md: the mutation is answered with an id and a secret', async () => {
  const { as } = await newApiKey(gateway, ['webhooks:write', 'audit:read']);
  const variables = { url: `http://127.0.0.1:${port}/` };
  const { data, errors } = await ask(gateway, as, testedBlock(PAGE, 'create-by-graphql'), variables);
  expect(errors).toEqual([]);
  expect(data.createWebhook).toEqual({ webhook: { id: expect.any(String) }, secret: expect.stringMatching(/^whsec_/) });
});
