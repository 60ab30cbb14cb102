/** docs/verify-access-tokens.md: each example as it is printed, by keys of each algorithm, and its table is what comes out. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { importJWK, type JWK, SignJWT } from 'jose';
import { generateKeys } from '../../src/credentials/keyring/keyring-file.js';
import { ACCESS_ALGS, type AccessAlg } from '../../src/credentials/keyring/private-jwks.js';
import { listen } from '../../src/http/server/listener.js';
import { runningClock } from '../support/gateway/clock.js';
import { claimsOf, logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { keyringJwk } from '../support/independent/forge.js';
import { pythonWithJwt } from '../support/programs/python.js';
import { freePort } from '../support/programs/redis.js';

const run = promisify(execFile);
const PAGE = 'docs/verify-access-tokens.md';
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
let page: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-verify-'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  page = await readFile(PAGE, 'utf8');
});
afterAll(() => rm(folder, { recursive: true }));

/** The block under the heading of a library. */
function exampleOf(library: string): { language: string; text: string } {
  const section = page.split(`\n## ${library}\n`)[1]?.split('\n## ')[0] ?? '';
  const [, language = '', text = ''] = /```(\w+)\n(.*?)\n```/s.exec(section) ?? [];
  if (text === '') throw new Error(`${PAGE} has no example for ${library}`);
  return { language, text };
}

/** What the page says of a library. */
function rowOf(library: string): { tried: string[]; works: Record<string, string> } {
  const row = page.split('\n').find((line) => line.startsWith(`| [${library}](`)) ?? '';
  const [, names = '', , tried = '', ...works] = row.split('|').map((cell) => cell.trim());
  const packages = names.replace(/\[|\]\(.*?\)/g, '').split(', with ');
  const versions = tried.split(', ');
  return {
    tried: versions.map((version, i) => `${packages[i]}@${version}`),
    works: Object.fromEntries(ACCESS_ALGS.map((alg, i) => [alg, works[i] ?? ''])),
  };
}

const python = pythonWithJwt();
const LIBRARIES = ['jose', 'express-oauth2-jwt-bearer', 'express-jwt', 'openid-client', 'fast-jwt'];
if (python !== undefined || process.env['REQUIRE_PROGRAMS'] === '1') LIBRARIES.push('PyJWT');

async function verdictsOf(library: string, issuer: string, tokens: Record<string, string>) {
  const { language, text } = exampleOf(library);
  const file = join(folder, `${library}.${language === 'python' ? 'py' : 'mjs'}`);
  await writeFile(file, text);
  const env = { PATH: process.env['PATH'] ?? '', ISSUER: issuer, AUDIENCE, TOKENS: JSON.stringify(tokens) };
  const { stdout } =
    language === 'python'
      ? await run(python ?? 'python3', ['-c', RUN_PYTHON, file], { env })
      : await run(process.execPath, [resolve('test/support/independent/verify-by-library.mjs'), file], { env });
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

  test.each(LIBRARIES)(
    '%s accepts the valid token alone, if the page says that it supports the algorithm',
    async (library) => {
      const verdicts = await verdictsOf(library, issuer, tokens);
      const allRefused = Object.fromEntries(Object.keys(tokens).map((name) => [name, 'refused']));
      const works = rowOf(library).works[alg];
      expect(['yes', 'no']).toContain(works);
      expect(verdicts).toEqual(works === 'yes' ? { ...allRefused, good: sub } : allRefused);
    },
  );
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

test.each(LIBRARIES.filter((library) => library !== 'PyJWT'))(
  '%s is tried in the version that the page names',
  async (library) => {
    const { devDependencies, dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
    const pinned: Record<string, string> = { ...dependencies, ...devDependencies };
    const { tried } = rowOf(library);
    expect(tried).toEqual(tried.map((name) => name.replace(/@[^@]*$/, '')).map((name) => `${name}@${pinned[name]}`));
  },
);
