/** docs/forward-authentication.md and docs/behind-the-proxy.md: the examples that they name, in examples/forward-auth. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { importJWK, type JWK, SignJWT } from 'jose';
import { parseRule } from '../../src/callers/rule.js';
import { generateKeys } from '../../src/credentials/keyring/keyring-file.js';
import { ACCESS_ALGS, type AccessAlg } from '../../src/credentials/keyring/private-jwks.js';
import { ROLES } from '../../src/domain/roles.js';
import { listen } from '../../src/http/server/listener.js';
import { testedBlock } from '../documents/printed.js';
import { askAs, FORWARD_AUTH, identityOf, ORIGIN, signedOriginal } from '../support/gateway/authz.js';
import { runningClock } from '../support/gateway/clock.js';
import { claimsOf, type SendOptions, send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';
import { exchange } from '../support/gateway/raw.js';
import { keyringJwk } from '../support/independent/forge.js';
import { sha256Digest, sha512Digest } from '../support/independent/signer.js';
import { pythonWithJwt } from '../support/programs/python.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const FOLDER = resolve('examples/forward-auth');
const ANYBODY = 'caller=user,api_key,cron';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-behind-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A gateway that libraries find at its own PUBLIC_URL, and whose time is theirs. */
async function startPublished(alg: AccessAlg = 'EdDSA') {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const file = join(folder, `${alg}-${port}.json`);
  await writeFile(file, JSON.stringify({ keys: await generateKeys(alg) }));
  const env = { ...FORWARD_AUTH, PUBLIC_URL: issuer, JWT_AUDIENCE: ORIGIN, KEYRING_FILE: file };
  const gateway = await startGateway({ env, clock: runningClock() });
  const published = await listen(gateway.app, '127.0.0.1', port);
  return {
    gateway,
    issuer,
    file,
    [Symbol.asyncDispose]: async () => {
      await published.stop({ graceMs: 0 });
      await gateway.close();
    },
  };
}

/** Assertion, method and target */
type Case = [assertion: string, method: string, target: string];

const RUN_NODE = `
const { verify } = await import(process.argv[1]);
const verdicts = {};
for (const [name, given] of Object.entries(JSON.parse(process.env.CASES))) {
  verdicts[name] = await verify(...given).then(({ sub }) => sub, () => 'refused');
}
console.log(JSON.stringify(verdicts));
`;
const RUN_PYTHON = `
import json, os, runpy, sys
verify = runpy.run_path(sys.argv[1])["verify"]
verdicts = {}
for name, given in json.loads(os.environ["CASES"]).items():
    try:
        verdicts[name] = verify(*given)["sub"]
    except Exception:
        verdicts[name] = "refused"
print(json.dumps(verdicts))
`;

const python = pythonWithJwt();
const EXAMPLES: Array<[file: string, program: string, args: string[]]> = [
  ['verify-assertion.ts', process.execPath, ['--input-type=module', '-e', RUN_NODE]],
];
if (python !== undefined || process.env['REQUIRE_PROGRAMS'] === '1') {
  EXAMPLES.push(['verify_assertion.py', python ?? 'python3', ['-c', RUN_PYTHON]]);
}

describe.each(ACCESS_ALGS)('assertions by %s', (alg) => {
  let cases: Record<string, Case>;
  let issuer: string;
  let sub: unknown;
  let published: Awaited<ReturnType<typeof startPublished>>;
  beforeAll(async () => {
    published = await startPublished(alg);
    const { gateway, file } = published;
    issuer = published.issuer;
    const { accessToken } = await newcomer(gateway);
    const answer = await askAs(gateway, 'forward-auth', ANYBODY, {
      target: '/a?b=%20',
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const good = String(identityOf(answer)['x-auth-assertion']);
    sub = claimsOf(good)['sub'];
    const bad = await badAssertions(good, alg, file);
    cases = {
      good: [good, 'GET', '/a?b=%20'],
      'of another method': [good, 'POST', '/a?b=%20'],
      'of another target': [good, 'GET', '/a?b=+'],
      'an access token for the same audience': [accessToken, 'GET', '/a?b=%20'],
      nothing: ['-', 'GET', '/a?b=%20'],
      ...Object.fromEntries(Object.entries(bad).map(([name, assertion]) => [name, [assertion, 'GET', '/a?b=%20']])),
    };
  });
  afterAll(() => published[Symbol.asyncDispose]());

  test.each(EXAMPLES)('%s takes the valid one alone', async (file, program, args) => {
    const env = { PATH: process.env['PATH'] ?? '', ISSUER: issuer, ORIGIN, CASES: JSON.stringify(cases) };
    const { stdout } = await run(program, [...args, join(FOLDER, file)], { env });
    const allRefused = Object.fromEntries(Object.keys(cases).map((name) => [name, 'refused']));
    expect(JSON.parse(stdout)).toEqual({ ...allRefused, good: sub });
  });
});

/** The same assertion but for one thing each. */
async function badAssertions(good: string, alg: AccessAlg, file: string): Promise<Record<string, string>> {
  const jwk = keyringJwk(alg, file);
  const [stranger] = await generateKeys(alg);
  const signed = async (changes: Record<string, unknown>, typ = 'caller+jwt', key: JWK = jwk) =>
    new SignJWT({ ...claimsOf(good), ...changes })
      .setProtectedHeader({ typ, alg, kid: jwk.kid })
      .sign(await importJWK(key, alg));
  const nowSeconds = Math.floor(Date.now() / 1000);
  const [header, , signature] = good.split('.');
  const altered = Buffer.from(JSON.stringify({ ...claimsOf(good), role: 'admin' })).toString('base64url');
  return {
    'an expired one': await signed({ iat: nowSeconds - 7_200, exp: nowSeconds - 3_600 }),
    'one that never expires': await signed({ exp: undefined }),
    'one of another issuer': await signed({ iss: 'https://other.example.com' }),
    'one for another service': await signed({ aud: 'http://b.test:8080' }),
    'one for no service': await signed({ aud: undefined }),
    'one of another type': await signed({}, 'at+jwt'),
    'one without a method': await signed({ method: undefined }),
    'one by the key of somebody else': await signed({}, 'caller+jwt', stranger),
    'an altered one': `${header}.${altered}.${signature}`,
  };
}

describe('the services', () => {
  let published: Awaited<ReturnType<typeof startPublished>>;
  let gateway: TestGateway;
  const processes: ChildProcess[] = [];
  beforeAll(async () => {
    published = await startPublished();
    gateway = published.gateway;
  });
  afterAll(async () => {
    for (const each of processes) {
      if (each.exitCode !== null || each.signalCode !== null) continue;
      each.kill('SIGKILL');
      await once(each, 'exit');
    }
    await published[Symbol.asyncDispose]();
  });

  async function start(program: string, file: string, env: Record<string, string> = {}): Promise<{ url: string }> {
    const PORT = String(await freePort());
    const { issuer } = published;
    const given = { PATH: process.env['PATH'] ?? '', ISSUER: issuer, GATEWAY_URL: issuer, ORIGIN, PORT, ...env };
    processes.push(spawn(program, [join(FOLDER, file)], { env: given, stdio: 'ignore' }));
    const url = `http://127.0.0.1:${PORT}`;
    await until(`${file} listens`, () =>
      send(url, 'GET', '/').then(
        () => true,
        () => false,
      ),
    );
    return { url };
  }

  async function credentials() {
    const user = await newcomer(gateway);
    const [key, job] = [await newApiKey(gateway), await newCronKey(gateway)];
    return { user, key, job };
  }

  const hasPython = spawnSync('python3', ['--version']).status === 0 || process.env['REQUIRE_PROGRAMS'] === '1';
  const ASKING: Array<[file: string, program: string]> = [
    ['ask.ts', process.execPath],
    ['ask.py', 'python3'],
  ];
  describe.each(hasPython ? ASKING : ASKING.slice(0, 1))('%s asks by itself', (file, program) => {
    let url: string;
    beforeAll(async () => {
      ({ url } = await start(program, file));
    });
    const sent = async (method: string, target: string, options?: SendOptions) => {
      const { status, text, json, headers } = await send(url, method, target, options);
      return { status, said: json?.reason ?? text, asks: headers['www-authenticate'] };
    };

    test('each caller', async () => {
      const { user, key, job } = await credentials();
      const body = '{"a":1}';
      const { headers } = signedOriginal(gateway, key, { method: 'POST', target: '/pay?a=%20', body });
      const hello = (who: string) => ({ status: 200, said: `Hello ${who}\n` });
      expect(await sent('POST', '/pay?a=%20', { headers, body })).toMatchObject(hello(`api_key ${key.keyId}`));
      const withoutBody = signedOriginal(gateway, key, { target: '/' });
      expect(await sent('GET', '/', { headers: withoutBody.headers })).toMatchObject(hello(`api_key ${key.keyId}`));
      const authorization = `Bearer ${user.accessToken}`;
      expect(await sent('PUT', '/', { headers: { authorization }, body })).toMatchObject(hello(`user ${user.user.id}`));
      expect(await sent('GET', '/', { headers: { 'x-internal-key': job.secret } })).toMatchObject(
        hello(`cron ${job.keyId}`),
      );
    });

    test('refusals are passed on', async () => {
      const { user, key } = await credentials();
      const authorization = `Bearer ${user.accessToken}`;
      expect(await sent('GET', '/')).toMatchObject({
        status: 401,
        said: 'missing_credentials',
        asks: expect.stringContaining('Bearer realm="auth-gateway"'),
      });
      for (const name of ['X-Auth-Role', 'x_auth_role', 'X.Auth.Role']) {
        const answer = await sent('GET', '/', { headers: { authorization, [name]: 'admin' } });
        expect(answer).toMatchObject({ status: 403, said: 'identity_field' });
      }
      const forB = signedOriginal(gateway, key, { authority: 'b.test:8080' });
      const toB = { ...forB.headers, Host: 'b.test:8080' };
      expect(await sent('GET', forB.target, { headers: toB })).toMatchObject({
        status: 401,
        said: 'invalid_signature',
      });
      const twice = [`authorization: ${authorization}`, 'authorization: Bearer x', 'connection: close', '', ''];
      const answer = await exchange({ url }, `GET / HTTP/1.1\r\nhost: a\r\n${twice.join('\r\n')}`);
      expect(answer).toMatch(/^HTTP\/1\.[01] 40[13] /);
      const limited = await newApiKey(gateway, [], 1);
      const once = () => sent('GET', '/', { headers: signedOriginal(gateway, limited, { target: '/' }).headers });
      expect([(await once()).status, await once()]).toMatchObject([200, { status: 429, said: 'rate_limited' }]);
    });

    test('the body is that which is signed', async () => {
      const { key } = await credentials();
      const signedBody = (body: string) =>
        signedOriginal(gateway, key, { method: 'POST', target: '/pay', body }).headers;
      for (const [signed, given] of [
        ['{"a":1}', '{"a":2}'],
        ['{"a":1}', ''],
        ['', 'added'],
      ] as const) {
        expect((await sent('POST', '/pay', { headers: signedBody(signed), body: given })).status).toBe(401);
      }
      const large = 'x'.repeat(1_100_000);
      const answer = await sent('POST', '/pay', { headers: signedBody(large), body: large }).catch(() => undefined);
      expect([413, undefined]).toContain(answer?.status); // or the connection ends first
    });

    test('a gateway that is away, redirects or says nothing is no pass', async () => {
      const { user } = await credentials();
      const headers = { authorization: `Bearer ${user.accessToken}` };
      const state = { status: 200, headers: {} as Record<string, string> };
      const server = createServer((_req, res) => void res.writeHead(state.status, state.headers).end());
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const other = await start(program, file, { GATEWAY_URL: `http://127.0.0.1:${port}` });
      const statusOf = async () => (await send(other.url, 'GET', '/', { headers })).status;
      expect(await statusOf()).toBe(503);
      Object.assign(state, { headers: { 'x-auth-caller-type': 'user', 'x-auth-assertion': '-' } });
      expect(await statusOf()).toBe(503);
      Object.assign(state, { status: 307, headers: { location: `${published.issuer}/authz/forward-auth/${ANYBODY}` } });
      expect(await statusOf()).toBe(503);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      expect(await statusOf()).toBe(503);
    });
  });

  describe('service.ts behind a proxy', () => {
    let url: string;
    beforeAll(async () => {
      ({ url } = await start(process.execPath, 'service.ts'));
    });

    /** What a proxy sends on that has asked about this request. */
    async function fieldsFor(original: Parameters<typeof askAs>[3]): Promise<Record<string, string>> {
      const answer = await askAs(gateway, 'auth-request', ANYBODY, original);
      expect(answer.status).toBe(200);
      return identityOf(answer) as Record<string, string>;
    }

    test('it believes the assertion, and nothing else', async () => {
      const { user } = await credentials();
      const headers = await fieldsFor({ target: '/hello', headers: { authorization: `Bearer ${user.accessToken}` } });
      const said = async (target: string, sent: Record<string, string>) => {
        const { status, text } = await send(url, 'GET', target, { headers: sent });
        return [status, text];
      };
      expect(await said('/hello', headers)).toEqual([200, `Hello user ${user.user.id}\n`]);
      expect(await said('/hello', {})).toEqual([401, 'Come through the proxy\n']);
      expect(await said('/other', headers)).toEqual([401, 'The assertion is of another request\n']);
      expect((await said('/hello', { ...headers, 'x-auth-assertion': '-' }))[0]).toBe(401);
      expect((await said('/hello', { 'x-auth-caller-type': 'user', 'x-auth-caller-id': 'u' }))[0]).toBe(401);
    });

    test('it compares the body with the digest that is signed', async () => {
      const { user, key } = await credentials();
      const body = '{"a":1}';
      const digests = `${sha256Digest(body)}, ${sha512Digest(body)}`;
      const statusOf = async (signed: string, given: string) => {
        const original = signedOriginal(gateway, key, { method: 'POST', target: '/pay', body: signed });
        return (await send(url, 'POST', '/pay', { headers: await fieldsFor(original), body: given })).status;
      };
      expect(await statusOf(body, body)).toBe(200);
      expect(await statusOf(body, '{"a":2}')).toBe(401);
      expect(await statusOf(body, '')).toBe(401);
      expect(await statusOf('', '')).toBe(200);
      expect(await statusOf('', 'added')).toBe(401);
      const authorization = `Bearer ${user.accessToken}`;
      const ofUser = await fieldsFor({ method: 'POST', target: '/pay', headers: { authorization } });
      expect((await send(url, 'POST', '/pay', { headers: ofUser, body })).status).toBe(200);

      const module = join(FOLDER, 'verify-body.ts');
      const code = `const { isSignedBody } = await import(${JSON.stringify(module)});
        const [claims, bytes] = [JSON.parse(process.argv[1]), Buffer.from(${JSON.stringify(body)})];
        console.log(JSON.stringify(claims.map((each) => isSignedBody(each, bytes))));`;
      const claims = [
        { body: 'digest', content_digest: digests },
        { body: 'digest', content_digest: `${sha256Digest(body)}, ${sha512Digest('x')}` },
        { body: 'digest', content_digest: `${sha256Digest('x')}, ${sha512Digest(body)}` },
        { body: 'digest', content_digest: 'md5=:eA==:' },
        { body: 'digest' },
        {},
      ];
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code, JSON.stringify(claims)]);
      expect(JSON.parse(stdout)).toEqual([true, false, false, false, false, false]);
    });
  });
});

test('the rule on the page is one, and the file of scopes gives what the page says', async () => {
  const PAGE = 'docs/forward-authentication.md';
  expect(parseRule(testedBlock(PAGE, 'rule'))).toMatchObject({
    callers: ['user', 'api_key'],
    roles: ['analyst', 'admin'],
  });
  const file = join(folder, 'role-scopes.json');
  await writeFile(file, testedBlock(PAGE, 'role-scopes'));
  const gateway = await startGateway({ env: { ...FORWARD_AUTH, ROLE_SCOPES_FILE: file } });
  const statuses = await Promise.all(
    ROLES.map(async (role) => {
      const headers = { authorization: `Bearer ${(await newcomer(gateway, role)).accessToken}` };
      return [role, (await askAs(gateway, 'auth-request', 'caller=user;scope=invoices:read', { headers })).status];
    }),
  );
  await gateway.close();
  expect(Object.fromEntries(statuses)).toEqual({ viewer: 200, analyst: 200, admin: 403 });
});

test('the examples in TypeScript compile', async () => {
  const options = ['--ignoreConfig', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
  const more = ['--skipLibCheck', '--noEmit', '--allowImportingTsExtensions', '--verbatimModuleSyntax'];
  const target = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  const files = ['service.ts', 'ask.ts'].map((name) => join(FOLDER, name));
  await run('node_modules/.bin/tsc', [...options, ...more, ...target, ...files]).catch(({ stdout }) => {
    throw new Error(stdout);
  });
});
