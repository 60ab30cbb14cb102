/** A service without a proxy asks the gateway who sent a request to it. (Interface 13) */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { constants, createServer as createHttp2Server, connect as http2Connect } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { type Answer, type Question, whoIsCalling } from '../../client/src/server.js';
import { FORWARD_AUTH, ORIGIN, type Original, signedOriginal } from '../support/gateway/authz.js';
import {
  claimsOf,
  type Answer as HttpAnswer,
  type SendOptions,
  send,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';
import { exchange } from '../support/gateway/raw.js';
import { sha256Digest, sha512Digest, signByHand } from '../support/independent/signer.js';
import { ticked } from '../support/ticks.js';
import { until } from '../support/until.js';

const OTHER_ORIGIN = 'http://b.test:8080';
const ANYBODY = 'caller=user,api_key,cron';
const MAX_BYTES = 1_000;

let gateway: TestGateway;
let service: Service;
let token: string;
beforeAll(async () => {
  gateway = await startGateway({ env: FORWARD_AUTH });
  service = await serve();
  token = (await newcomer(gateway)).accessToken;
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await gateway.close();
});

interface Service extends AsyncDisposable {
  url: string;
  send(method: string, path: string, options?: SendOptions): Promise<HttpAnswer>;
  /** What it was told of the latest request */
  latest(): Answer | Error | undefined;
  /** Number of requests so far */
  arrived(): number;
}

const questionOf = (changes: Partial<Question>): Question => ({
  ...{ url: gateway.url, origin: ORIGIN, rule: ANYBODY, maxBodyBytes: MAX_BYTES },
  ...changes,
});

/** A service as users of the package write it. @param changes of its configuration */
async function serve(changes: Partial<Question> = {}): Promise<Service> {
  let latest: Answer | Error | undefined;
  let arrived = 0;
  const { url, ...server } = await listenWith(async (req, res) => {
    latest = undefined;
    arrived += 1;
    try {
      latest = await whoIsCalling(req, questionOf(changes));
    } catch (error) {
      latest = error as Error;
      return void res.writeHead(500).end();
    }
    if (latest.kind === 'refused') return void res.writeHead(latest.status, latest.headers).end(latest.json);
    const body = latest.kind === 'caller' && latest.body === undefined ? await text(req) : '';
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ body }));
  });
  return { ...server, url, send: (...args) => send(url, ...args), latest: () => latest, arrived: () => arrived };
}

async function listenWith(handle: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server: Server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const linesOf = ({ headers }: Original): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

/** Sends a signed request. @param body if it is not the one that was signed */
function sendSigned(to: Service, { method, target, headers }: Original, body?: string): Promise<HttpAnswer> {
  return to.send(method, target, { headers, ...(body !== undefined && { body }) });
}

const bearer = () => ({ authorization: `Bearer ${token}` });

describe('Interface 13: who is calling', () => {
  test('a user, whose body is left to the service', async () => {
    const { accessToken, user } = await newcomer(gateway, 'analyst');
    const headers = { authorization: `Bearer ${accessToken}`, cookie: 'refresh_token=x' };
    const { status, json } = await service.send('POST', '/invoices?a=1', { headers, body: 'a body' });
    expect([status, json]).toEqual([200, { body: 'a body' }]);
    expect(service.latest()).toEqual({
      kind: 'caller',
      caller: {
        callerType: 'user',
        id: user.id,
        role: 'analyst',
        scopes: ['users:read', 'sessions:read', 'audit:read'],
      },
      assertion: expect.any(String),
    });
    const { assertion } = service.latest() as { assertion: string };
    expect(claimsOf(assertion)).toMatchObject({ aud: ORIGIN, sub: user.id, method: 'POST', uri: '/invoices?a=1' });
  });

  test('a signed request, with the bytes that are signed', async () => {
    const key = await newApiKey(gateway, ['invoices:read']);
    const body = '{"é":1}';
    const answer = await sendSigned(
      service,
      signedOriginal(gateway, key, { method: 'POST', target: '/pay?x=%7e', body }),
      body,
    );
    expect(answer.status).toBe(200);
    expect(service.latest()).toMatchObject({
      caller: { callerType: 'api_key', id: key.keyId, serviceName: 'reports', scopes: ['invoices:read'] },
      body: Buffer.from(body),
    });
  });

  test('a signed request without a body', async () => {
    const answer = await sendSigned(service, signedOriginal(gateway, await newApiKey(gateway)));
    expect([answer.status, service.latest()]).toEqual([200, expect.objectContaining({ body: new Uint8Array() })]);
  });

  test('a cron job', async () => {
    const { keyId, secret } = await newCronKey(gateway, ['a:b']);
    expect((await service.send('POST', '/', { headers: { 'x-internal-key': secret } })).status).toBe(200);
    expect(service.latest()).toMatchObject({
      caller: { callerType: 'cron', id: keyId, serviceName: 'nightly', scopes: ['a:b'] },
    });
  });

  test('a preflight is nobody, and only if the rule allows it', async () => {
    await using open = await serve({ rule: 'caller=user;preflight=allow' });
    const headers = { origin: 'https://page.test', 'access-control-request-method': 'PUT' };
    expect((await open.send('OPTIONS', '/a', { headers })).status).toBe(200);
    expect(open.latest()).toEqual({ kind: 'preflight' });
    expect((await service.send('OPTIONS', '/a', { headers })).status).toBe(401);
    expect((await open.send('GET', '/a', { headers })).status).toBe(401);
  });

  test('the gateway gets what it needs, the trace, and no cookie', async () => {
    let asked: string[] = [];
    await using gate = await listenWith((req, res) => {
      asked = [
        `${req.method} ${req.url}`,
        ...req.rawHeaders.flatMap((name, i, all) => (i % 2 === 0 ? [`${name}: ${all[i + 1]}`] : [])),
      ];
      res.end();
    });
    await using asking = await serve({ url: `${gate.url}/` });
    const known = {
      'x-request-id': 'r1',
      traceparent: 't1',
      tracestate: 's1',
      x_auth_role: 'admin',
      'content-type': 'text/plain',
    };
    const others = {
      cookie: 'a=b',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-uri': '/evil',
      forwarded: 'host=evil.test',
    };
    await asking.send('DELETE', '/a//b/..%2f?c', { headers: { ...bearer(), ...known, ...others } });
    // Without the token: its random letters may spell any word.
    const lines = asked.map((line) => line.toLowerCase()).filter((line) => !line.startsWith('authorization: '));
    expect(lines[0]).toBe(`get /authz/forward-auth/${ANYBODY}`);
    for (const [name, value] of Object.entries(known)) expect(lines).toContain(`${name}: ${value}`);
    expect(lines.filter((line) => line.startsWith('x-forwarded-')).toSorted()).toEqual([
      'x-forwarded-host: app.example.com',
      'x-forwarded-method: delete',
      'x-forwarded-proto: https',
      'x-forwarded-uri: /a//b/..%2f?c',
    ]);
    expect(lines.filter((line) => /cookie|evil/.test(line))).toEqual([]);
  });
});

describe('Interface 13: a refusal is that of the gateway, ready to be sent', () => {
  test('401 asks for what the rule allows', async () => {
    const { status, headers, json } = await service.send('GET', '/');
    expect([status, json.reason, headers['content-type']]).toEqual([401, 'missing_credentials', 'application/json']);
    expect(headers['www-authenticate']).toBe(
      'Bearer realm="auth-gateway", Signature realm="auth-gateway", InternalKey realm="auth-gateway"',
    );
    expect(headers['accept-signature']).toContain('"@authority"');
  });

  test('401 shows the signature base that was expected', async () => {
    const key = await newApiKey(gateway);
    const { status, json } = await sendSigned(service, signedOriginal(gateway, { ...key, secret: 'aks_other' }));
    expect([status, json.reason]).toEqual([401, 'invalid_signature']);
    expect(json.signature_base).toContain('"@authority": app.example.com\n');
  });

  test.each([
    ['caller=cron', 'caller_not_allowed'],
    ['caller=user;role=admin', 'role_missing'],
    ['caller=user;scope=a:b', 'scope_missing'],
  ])('403: %s', async (rule, reason) => {
    await using strict = await serve({ rule });
    const { status, json } = await strict.send('GET', '/', { headers: bearer() });
    expect([status, json.reason]).toEqual([403, reason]);
  });

  test('429 says when to try again', async () => {
    const key = await newApiKey(gateway, [], 1);
    const again = () => sendSigned(service, signedOriginal(gateway, key));
    expect((await again()).status).toBe(200);
    const { status, json, headers } = await again();
    expect([status, json.reason]).toEqual([429, 'rate_limited']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  test.each(['X-Auth-Role', 'x_auth_role', 'X.Auth.Caller-Type', 'x-auth-assertion'])(
    '403: the request has a field %s',
    async (name) => {
      const { status, json } = await service.send('GET', '/', { headers: { ...bearer(), [name]: 'admin' } });
      expect([status, json.reason]).toEqual([403, 'identity_field']);
    },
  );

  test.each([
    'authorization',
    'x-internal-key',
    'content-type',
    'content-digest',
    'origin',
    'access-control-request-method',
  ])('403: %s is sent twice', async (name) => {
    const of = (value: string) => `${name}: ${value}`;
    const lines = name === 'authorization' ? [] : [`authorization: Bearer ${token}`];
    const both = name === 'authorization' ? [of('Bearer x'), of(`Bearer ${token}`)] : [of('a'), of('b')];
    for (const twice of [both, both.toReversed()]) {
      const request = ['GET / HTTP/1.1', 'host: a', ...lines, ...twice, 'connection: close', '', ''].join('\r\n');
      const answer = await exchange(service, request);
      expect([answer.split(' ')[1], answer]).toEqual(['403', expect.stringContaining('"repeated_field"')]);
    }
  });

  test('401: a second signature is refused by the gateway', async () => {
    const key = await newApiKey(gateway);
    const { headers } = signedOriginal(gateway, key);
    const [input, signature] = ['Signature-Input', 'Signature'].map((name) => String(headers[name]));
    const twice = { 'Signature-Input': [`${input}`, `b${input}`], Signature: [`${signature}`, `b${signature}`] };
    const { status, json } = await service.send('GET', '/invoices?year=2026', { headers: { ...headers, ...twice } });
    expect([status, json.reason]).toEqual([401, 'malformed_signature']);
  });

  test('401: what was signed for another service', async () => {
    const key = await newApiKey(gateway);
    const forB = signedOriginal(gateway, key, { authority: 'b.test:8080' });
    const headers = { ...forB.headers, Host: 'b.test:8080', 'X-Forwarded-Host': 'b.test:8080' };
    const { status, json } = await service.send(forB.method, forB.target, { headers });
    expect([status, json.reason]).toEqual([401, 'invalid_signature']);
    await using b = await serve({ origin: OTHER_ORIGIN });
    expect((await sendSigned(b, forB)).status).toBe(200); // it was not used up
  });

  test.each([
    ['GET', '/invoices?year=2025'],
    ['DELETE', '/invoices?year=2026'],
    ['GET', '/a/../invoices?year=2026'],
  ])('401: what was signed is not %s %s', async (method, target) => {
    const original = signedOriginal(gateway, await newApiKey(gateway));
    const { status, json } = await service.send(method, target, { headers: original.headers });
    expect([status, json.reason]).toEqual([401, 'invalid_signature']);
  });

  test.each(['http://app.example.com/a', '/a\\b'])('403: the target %s', async (target) => {
    const answer = await exchange(
      service,
      `GET ${target} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
    );
    expect([answer.split(' ')[1], answer]).toEqual(['403', expect.stringContaining('"original_request_invalid"')]);
  });
});

describe('Interface 13: the body of a signed request', () => {
  const posted = async (body: string, more: object = {}) =>
    signedOriginal(gateway, await newApiKey(gateway), { method: 'POST', target: '/pay', body, ...more });

  test.each<[string, string | undefined]>([
    ['another', '{"a":2}'],
    ['none', undefined],
    ['an empty one', ''],
    ['a longer one', '{"a":1} '],
  ])('401: %s than the digest says', async (_, body) => {
    const { status, json, headers } = await sendSigned(service, await posted('{"a":1}'), body);
    expect([status, json.reason]).toEqual([401, 'content_digest_mismatch']);
    expect(headers['www-authenticate']).toBe('Signature realm="auth-gateway", error="content_digest_mismatch"');
  });

  test('401: a body that the signature does not cover', async () => {
    const key = await newApiKey(gateway);
    const unsigned = () => signedOriginal(gateway, key, { method: 'POST', target: '/pay' });
    const added = await sendSigned(service, unsigned(), 'added');
    expect([added.status, added.json.reason]).toEqual([401, 'insufficient_coverage']);
    const chunked = ['host: a', 'connection: close', 'transfer-encoding: chunked', ...linesOf(unsigned())];
    const answer = await exchange(service, `POST /pay HTTP/1.1\r\n${chunked.join('\r\n')}\r\n\r\n1\r\na\r\n0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 401 .*"insufficient_coverage"/s);
    expect((await sendSigned(service, unsigned(), '')).status).toBe(200);
  });

  test('200: sha-512, and both; 401 if one of both differs', async () => {
    const body = '{"a":1}';
    const [one, other] = [sha256Digest(body), sha512Digest(body)];
    const statusOf = async (contentDigest: string) => {
      const key = await newApiKey(gateway);
      const nowSeconds = Math.floor(gateway.clock.now().getTime() / 1000);
      const { headers } = signByHand({
        ...key,
        authority: 'app.example.com',
        nowSeconds,
        target: '/pay',
        body,
        contentDigest,
      });
      return (await service.send('POST', '/pay', { headers: Object.fromEntries(headers), body })).status;
    };
    expect(await statusOf(other)).toBe(200);
    expect(await statusOf(`${one}, ${other}`)).toBe(200);
    expect(await statusOf(`${one}, ${sha512Digest('x')}`)).toBe(401);
    expect(await statusOf(`${sha256Digest('x')}, ${other}`)).toBe(401);
    expect(await statusOf(`md5=:${Buffer.from('x').toString('base64')}:, ${other}`)).toBe(200);
    expect(await statusOf(`md5=:${Buffer.from('x').toString('base64')}:, ${sha512Digest('x')}`)).toBe(401);
  });

  test('200: chunked, and in pieces', async () => {
    const body = 'x'.repeat(MAX_BYTES);
    const lines = linesOf(await posted(body));
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const begin = [
      'POST /pay HTTP/1.1',
      'host: a',
      'connection: close',
      'transfer-encoding: chunked',
      ...lines,
      '',
      '',
    ];
    socket.write(begin.join('\r\n'));
    for (let sent = 0; sent < body.length; sent += 250) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      socket.write(`fa\r\n${body.slice(sent, sent + 250)}\r\n`);
    }
    socket.write('0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(service.latest()).toMatchObject({ body: Buffer.from(body) });
  });

  test('413: too large, and the connection goes on', async () => {
    const body = 'x'.repeat(500_000);
    const first = [
      'POST /pay HTTP/1.1',
      'host: a',
      `content-length: ${body.length}`,
      ...linesOf(await posted(body)),
      '',
      body,
    ].join('\r\n');
    const second = ['GET / HTTP/1.1', 'host: a', `authorization: Bearer ${token}`, 'connection: close', '', ''].join(
      '\r\n',
    );
    const answers = await exchange(service, first + second);
    expect(Array.from(answers.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => status)).toEqual(['413', '200']);
    expect(answers).toContain('"body_too_large"');
    const justTooLarge = 'x'.repeat(MAX_BYTES + 1);
    expect((await sendSigned(service, await posted(justTooLarge), justTooLarge)).status).toBe(413);
  });

  test('401: one that breaks off', async () => {
    for (const original of [
      await posted('{"a":1}'),
      signedOriginal(gateway, await newApiKey(gateway), { method: 'POST', target: '/pay' }),
    ]) {
      const before = service.arrived();
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      socket.write(['POST /pay HTTP/1.1', 'host: a', 'content-length: 7', ...linesOf(original), '', ''].join('\r\n'));
      await until('it has arrived', () => service.arrived() > before);
      socket.destroy();
      await until('it is answered', () => service.latest() !== undefined);
      expect(service.latest()).toMatchObject({ status: 401, reason: 'content_digest_mismatch' });
    }
  });

  test('one that something has read is given, or the developer is told', async () => {
    const body = '{"a":1}';
    await using forgetful = await listenExpress((app) => {
      app.use(express.json());
      app.use(asking());
    });
    await using careful = await listenExpress((app) => {
      app.use(express.raw({ type: () => true, inflate: false }));
      app.use(asking((req) => ({ body: (req as express.Request).body })));
    });
    const sent = async (to: string, given?: string) => {
      const { method, target, headers } = await posted(body);
      return send(to, method, target, { headers, body: given ?? body });
    };
    const answer = await sent(forgetful.url);
    expect([answer.status, answer.text]).toEqual([500, expect.stringContaining('The body has been read already')]);
    expect((await send(forgetful.url, 'POST', '/pay', { headers: bearer(), body: {} })).status).toBe(200);
    expect((await sent(careful.url)).text).toBe(`api_key ${body}`);
    expect((await sent(careful.url, '{"a":2}')).json.reason).toBe('content_digest_mismatch');
    const empty = signedOriginal(gateway, await newApiKey(gateway));
    expect((await send(careful.url, empty.method, empty.target, { headers: empty.headers })).text).toBe('api_key ');
  });
});

/** Express, whose errors are shown. */
function listenExpress(add: (app: express.Express) => void): Promise<AsyncDisposable & { url: string }> {
  const app = express();
  add(app);
  app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    res.status(500).send(error.message);
  });
  return listenWith(app);
}

/** Answers with the kind of caller and the body. */
function asking(more: (req: express.Request) => Partial<Question> = () => ({})): express.RequestHandler {
  return async (req, res) => {
    const answer = await whoIsCalling(req, questionOf(more(req)));
    if (answer.kind === 'refused') return void res.writeHead(answer.status, answer.headers).end(answer.json);
    if (answer.kind === 'preflight') return void res.status(204).end();
    const { caller, body } = answer;
    res.send(`${caller.callerType} ${Buffer.from(body ?? new Uint8Array())}`);
  };
}

describe('Interface 13: requests of other kinds', () => {
  test('Express below a path: what was sent is what is asked about', async () => {
    await using below = await listenExpress((app) => {
      app.use('/below', express.Router().use('/deeper', asking()));
    });
    const key = await newApiKey(gateway);
    const { method, target, headers } = signedOriginal(gateway, key, { target: '/below/deeper/a?b' });
    expect((await send(below.url, method, target, { headers })).text).toBe('api_key ');
    const inner = signedOriginal(gateway, key, { target: '/a?b' });
    expect((await send(below.url, method, target, { headers: inner.headers })).json.reason).toBe('invalid_signature');
  });

  test('a Request of the web, with its body', async () => {
    const key = await newApiKey(gateway);
    const requestOf = (target: string, init: RequestInit, signed = target) => {
      const body = String(init.body ?? '');
      const { headers } = signedOriginal(gateway, key, { method: init.method ?? 'GET', target: signed, body });
      return new Request(`http://10.0.0.1:8080${target}`, { ...init, headers: headers as Record<string, string> });
    };
    const post = { method: 'POST', body: '{"a":1}' };
    const answer = await whoIsCalling(requestOf('/pay?', post), questionOf({}));
    expect(answer).toMatchObject({ caller: { callerType: 'api_key' }, body: Buffer.from('{"a":1}') });
    expect(claimsOf((answer as { assertion: string }).assertion)['uri']).toBe('/pay?');
    expect(await whoIsCalling(requestOf('/pay', {}), questionOf({}))).toMatchObject({
      kind: 'caller',
      body: new Uint8Array(),
    });

    const reasonOf = async (request: Request) => {
      const refusal = await whoIsCalling(request, questionOf({}));
      return refusal.kind === 'refused' ? [refusal.status, refusal.reason] : refusal.kind;
    };
    const { headers } = requestOf('/pay', post);
    expect(await reasonOf(new Request('http://a/pay', { ...post, body: '{"a":2}', headers }))).toEqual([
      ...[401, 'content_digest_mismatch'],
    ]);
    const none = requestOf('/pay', { method: 'POST' });
    expect(await reasonOf(new Request(none, { body: 'added' }))).toEqual([401, 'insufficient_coverage']);
    expect(await reasonOf(requestOf('/pay', { ...post, body: 'x'.repeat(MAX_BYTES + 1) }))).toEqual([
      413,
      'body_too_large',
    ]);
    expect(await reasonOf(requestOf('/b', {}, '/a/../b'))).toEqual([401, 'invalid_signature']); // it has normalised the target
    expect(
      await reasonOf(
        new Request('http://a/', {
          headers: [
            ['authorization', 'Bearer x'],
            ['authorization', `Bearer ${token}`],
          ],
        }),
      ),
    ).toEqual([...[401, 'invalid_request']]);
    const read = requestOf('/pay', post);
    await read.text();
    await expect(whoIsCalling(read, questionOf({}))).rejects.toThrow('The body has been read already');
  });

  test('a user by a Request of the web has the body unread', async () => {
    const request = new Request('http://a/b', { method: 'POST', body: 'x', headers: bearer() });
    expect(await whoIsCalling(request, questionOf({}))).toMatchObject({ caller: { callerType: 'user' } });
    expect(await request.text()).toBe('x');
  });

  test('HTTP/2', async () => {
    const server = createHttp2Server(async (req, res) => {
      const answer = await whoIsCalling(req, questionOf({}));
      if (answer.kind === 'refused') return void res.writeHead(answer.status, answer.headers).end(answer.json);
      res.end(JSON.stringify(answer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = http2Connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const body = '{"a":1}';
    const sent = async (given: string) => {
      const { method, target, headers } = signedOriginal(gateway, await newApiKey(gateway), {
        method: 'POST',
        target: '/pay',
        body,
      });
      const stream = client.request({
        [constants.HTTP2_HEADER_METHOD]: method,
        [constants.HTTP2_HEADER_PATH]: target,
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      });
      stream.end(given);
      return JSON.parse(await text(stream));
    };
    expect(await sent(body)).toMatchObject({ kind: 'caller', caller: { callerType: 'api_key' } });
    expect(await sent('{"a":2}')).toMatchObject({ reason: 'content_digest_mismatch' });
    client.close();
    server.close();
    await once(server, 'close');
  });
});

describe('Interface 13: without a clear answer of the gateway it is 503', () => {
  const told = async (changes: Partial<Question>) => {
    await using asking = await serve(changes);
    const { status, json, headers } = await asking.send('GET', '/a', { headers: bearer() });
    return { status, reason: json?.reason, retryAfter: headers['retry-after'], latest: asking.latest() };
  };
  const UNAVAILABLE = { status: 503, reason: 'unavailable', retryAfter: '5' };

  test('it is away', async () => {
    const { url, ...gone } = await listenWith(() => undefined);
    await gone[Symbol.asyncDispose]();
    expect(await told({ url })).toMatchObject({ ...UNAVAILABLE, latest: { cause: expect.any(TypeError) } });
  });

  test('it is slow, or its answer does not end', async () => {
    await using silent = await listenWith(() => undefined);
    await using endless = await listenWith(
      (_req, res) => void res.writeHead(200, { 'x-auth-caller-type': 'user' }).write('x'),
    );
    for (const { url } of [silent, endless]) {
      for (const limit of [{ timeoutMs: 100 }, { timeoutMs: 60_000, signal: AbortSignal.timeout(100) }]) {
        const [answer, ms] = await ticked(() => told({ url, ...limit }));
        expect(answer).toMatchObject(UNAVAILABLE);
        expect(ms).toBeLessThan(4_000);
      }
    }
  });

  test('it redirects, even to one that says yes', async () => {
    await using yes = await listenWith((req, res) => {
      res
        .writeHead(200, {
          'x-auth-caller-type': 'user',
          'x-auth-assertion': assertionFor({ uri: String(req.headers['x-forwarded-uri']) }),
        })
        .end();
    });
    expect((await told({ url: yes.url })).status).toBe(200);
    await using redirecting = await listenWith((req, res) => res.writeHead(307, { location: yes.url + req.url }).end());
    expect(await told({ url: redirecting.url })).toMatchObject(UNAVAILABLE);
  });

  const assertionFor = (claims: object) => {
    const all = {
      aud: ORIGIN,
      sub: 'u',
      caller_type: 'user',
      role: 'viewer',
      scopes: [],
      method: 'GET',
      uri: '/a',
      body: '-',
    };
    return `e30.${Buffer.from(JSON.stringify({ ...all, ...claims })).toString('base64url')}.x`;
  };
  const USER = { 'x-auth-caller-type': 'user', 'x-auth-assertion': assertionFor({}) };

  test.each<[string, number, Record<string, string | string[]>, string]>([
    ['200 without fields', 200, {}, ''],
    ['200 without a caller type', 200, { 'x-auth-assertion': USER['x-auth-assertion'] }, ''],
    ['200 for nobody', 200, { 'x-auth-caller-type': '-', 'x-auth-assertion': '-' }, ''],
    ['200 without an assertion', 200, { 'x-auth-caller-type': 'user', 'x-auth-assertion': '-' }, ''],
    ['200 with two callers', 200, { ...USER, 'x-auth-caller-type': ['user', 'user'] }, ''],
    [
      '200 for an unknown kind',
      200,
      { 'x-auth-caller-type': 'device', 'x-auth-assertion': assertionFor({ caller_type: 'device' }) },
      '',
    ],
    ['200 for two kinds', 200, { ...USER, 'x-auth-caller-type': 'cron' }, ''],
    ['200 for another service', 200, { ...USER, 'x-auth-assertion': assertionFor({ aud: OTHER_ORIGIN }) }, ''],
    ['200 for another method', 200, { ...USER, 'x-auth-assertion': assertionFor({ method: 'PUT' }) }, ''],
    ['200 for another target', 200, { ...USER, 'x-auth-assertion': assertionFor({ uri: '/b' }) }, ''],
    ['204', 204, USER, ''],
    ['500', 500, USER, '{"reason":"internal_error","detail":"x"}'],
    ['401 of something else', 401, { ...USER, 'www-authenticate': 'Basic' }, '<html>'],
    ['403 of something else', 403, USER, '{"message":"no"}'],
    ['400 of something else', 400, USER, 'Bad Request'],
  ])('it answers %s', async (_, status, headers, body) => {
    await using other = await listenWith((_req, res) => res.writeHead(status, headers).end(body));
    expect(await told({ url: other.url })).toMatchObject({ ...UNAVAILABLE, latest: { cause: expect.any(Error) } });
  });

  test('the answers above fail by what they name: with the right fields there is a caller', async () => {
    await using other = await listenWith((_req, res) => res.writeHead(200, USER).end());
    expect((await told({ url: other.url })).latest).toMatchObject({ kind: 'caller', caller: { id: 'u' } });
  });

  test.each([
    [{ body: 'digest', content_digest: 'md5=:eA==:' }],
    [{ body: 'digest' }],
    [{ body: 'verified', content_digest: sha256Digest('') }],
    [{ body: '-' }],
    [{}],
  ])('what it says of the body of a signed request cannot be compared: %j', async (says) => {
    const claims = { caller_type: 'api_key', service_name: 's', body: undefined, ...says };
    const fields = { 'x-auth-caller-type': 'api_key', 'x-auth-assertion': assertionFor(claims) };
    await using other = await listenWith((_req, res) => res.writeHead(200, fields).end());
    expect(await told({ url: other.url })).toMatchObject({ status: 401, reason: 'content_digest_mismatch' });
  });

  test('its own 503 is passed on', async () => {
    const refusal = JSON.stringify({ detail: 'Down', reason: 'unavailable' });
    await using down = await listenWith((_req, res) => res.writeHead(503, { 'retry-after': '7' }).end(refusal));
    expect(await told({ url: down.url })).toMatchObject({
      ...UNAVAILABLE,
      retryAfter: '7',
      latest: { detail: 'Down' },
    });
  });
});

describe('Interface 13: what the developer must correct is thrown', () => {
  test.each<[string, Partial<Question>, string]>([
    [
      'a rule with an unknown word',
      { rule: 'caller=user;rank=1' },
      'does not understand the rule: The rule must be NAME=VALUE',
    ],
    ['a rule that leaves the path', { rule: '..' }, 'There is no http'],
    ['a rule that is none', { rule: 'caller=user/role=admin' }, 'rule must be such as'],
    ['a rule with a query', { rule: 'caller=user?role=admin' }, 'rule must be such as'],
    ['a rule without the assertion', { rule: 'caller=user;assertion=off' }, 'assertion=off'],
    [
      'an origin that is not listed',
      { origin: 'https://evil.example.com' },
      'FORWARD_AUTH_ORIGINS of the gateway does not have https://evil',
    ],
    ['an origin with a path', { origin: 'https://app.example.com/' }, 'origin must be an exact origin'],
    ['an origin with its default port', { origin: 'https://app.example.com:443' }, 'origin must be an exact origin'],
    ['a url without a scheme', { url: 'localhost:3000' }, 'url must begin with http'],
    ['a parsed body', { body: {} as Uint8Array }, 'body must be the bytes'],
  ])('%s', async (_, changes, message) => {
    await using asking = await serve(changes);
    expect((await asking.send('GET', '/a', { headers: bearer() })).status).toBe(500);
    expect(String(asking.latest())).toContain(message);
  });

  test('a gateway without forward authentication, and one that does not list this service', async () => {
    for (const [env, message] of [
      [{}, 'set FORWARD_AUTH_PROXIES and FORWARD_AUTH_ORIGINS of the gateway'],
      [{ ...FORWARD_AUTH, FORWARD_AUTH_PROXIES: '192.0.2.1' }, 'peer_ip'],
    ] as const) {
      const other = await startGateway({ env });
      await using asking = await serve({ url: other.url });
      await asking.send('GET', '/a', { headers: bearer() });
      expect(String(asking.latest())).toContain(message);
      await other.close();
    }
  });
});
