/** docs/verify-access-tokens.md: each example, by keys of each algorithm, and the table that is printed there is what comes out. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { importJWK, type JWK, SignJWT } from 'jose';
import { generateKeys } from '../../src/credentials/keyring/keyring-file.js';
import { ACCESS_ALGS, type AccessAlg } from '../../src/credentials/keyring/private-jwks.js';
import { listen } from '../../src/http/server/listener.js';
import { LIBRARIES, type Library } from '../support/documents/verify-libraries.js';
import { runningClock } from '../support/gateway/clock.js';
import { claimsOf, logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { keyringJwk } from '../support/independent/forge.js';
import { pythonWithJwt } from '../support/programs/python.js';
import { freePort } from '../support/programs/redis.js';

const run = promisify(execFile);
const AUDIENCE = 'https://api.example.com';
const RUN_PYTHON = `
import json, os, runpy, sys
verify = runpy.run_path(sys.argv[1])["verify"]
verdicts = {}
for name, token in json.loads(os.environ["TOKENS"]).items():
    try:
        verdicts[name] = verify(token)["sub"]
    except Exception:
        verdicts[name] = "refused"
print(json.dumps(verdicts))
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-verify-'));
});
afterAll(() => rm(folder, { recursive: true }));

const python = pythonWithJwt();
const hasPython = python !== undefined || process.env['REQUIRE_PROGRAMS'] === '1';
const TRIED = LIBRARIES.filter(({ language }) => language !== 'Python' || hasPython);

async function verdictsOf({ language, file }: Library, issuer: string, tokens: Record<string, string>) {
  const path = resolve('examples/verify-tokens', file);
  const env = { PATH: process.env['PATH'] ?? '', ISSUER: issuer, AUDIENCE, TOKENS: JSON.stringify(tokens) };
  const { stdout } =
    language === 'Python'
      ? await run(python ?? 'python3', ['-c', RUN_PYTHON, path], { env })
      : await run(process.execPath, [resolve('test/support/independent/verify-by-library.mjs'), path], { env });
  return JSON.parse(stdout);
}

describe.each(ACCESS_ALGS)('access tokens by %s', (alg) => {
  let gateway: TestGateway;
  let issuer: string;
  let close: () => Promise<void>;
  let tokens: Record<string, string>;
  let sub: unknown;
  beforeAll(async () => {
    const port = await freePort();
    issuer = `http://127.0.0.1:${port}`;
    const file = join(folder, `${alg}.json`);
    await writeFile(file, JSON.stringify({ keys: await generateKeys(alg) }));
    const env = { PUBLIC_URL: issuer, JWT_AUDIENCE: AUDIENCE, KEYRING_FILE: file };
    gateway = await startGateway({ env, clock: runningClock() }); // libraries go by the time of the machine
    const published = await listen(gateway.app, '127.0.0.1', port);
    close = () => published.stop({ graceMs: 0 });
    const { answer, refreshToken } = await logIn(gateway, (await gateway.user()).email);
    const good: string = answer.json.access_token;
    sub = claimsOf(good)['sub'];
    tokens = { good, 'a refresh token': refreshToken, ...(await badTokens(good, alg, file)) };
  });
  afterAll(async () => {
    await close();
    await gateway.close();
  });

  test.each(TRIED)('$name accepts the valid token alone, if the table has the algorithm', async (library) => {
    const verdicts = await verdictsOf(library, issuer, tokens);
    const allRefused = Object.fromEntries(Object.keys(tokens).map((name) => [name, 'refused']));
    expect(verdicts).toEqual(library.algs.includes(alg) ? { ...allRefused, good: sub } : allRefused);
  });
});

/** The same token but for one thing each. */
async function badTokens(good: string, alg: AccessAlg, file: string): Promise<Record<string, string>> {
  const jwk = keyringJwk(alg, file);
  const [stranger] = await generateKeys(alg);
  const signed = async (changes: Record<string, unknown>, key: JWK = jwk) =>
    new SignJWT({ ...claimsOf(good), ...changes })
      .setProtectedHeader({ typ: 'at+jwt', alg, kid: jwk.kid })
      .sign(await importJWK(key, alg));
  const nowSeconds = Math.floor(Date.now() / 1000);
  const [header, , signature] = good.split('.');
  const altered = Buffer.from(JSON.stringify({ ...claimsOf(good), role: 'admin' })).toString('base64url');
  return {
    'an expired one': await signed({ iat: nowSeconds - 7_200, exp: nowSeconds - 3_600 }),
    'one of another issuer': await signed({ iss: 'https://other.example.com' }),
    'one for another audience': await signed({ aud: 'https://other.example.com' }),
    'one for no audience': await signed({ aud: undefined }),
    'one by the key of somebody else': await signed({}, stranger),
    'an altered one': `${header}.${altered}.${signature}`,
  };
}
