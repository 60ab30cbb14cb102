/** A stock JOSE library verifies access tokens by the JWKS, and signed requests go on, over rotations. (Interface 3) */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemoteJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from 'jose';
import { rotateKeyring } from '../../src/admin/keyring.js';
import { generateKeys } from '../../src/credentials/keyring/keyring-file.js';
import { ACCESS_ALGS, type AccessAlg } from '../../src/credentials/keyring/private-jwks.js';
import {
  type Answer,
  type Instance,
  logIn,
  refreshTokenOf,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { ask, bearer, newApiKey, newcomer, signed } from '../support/gateway/graphql.js';
import { refresh } from '../support/gateway/routes.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';

let folder: string;
let file: string;
let gateway: TestGateway;
/** Each makes a running instance look at the file, as it does by itself every two seconds. */
let looks: Array<() => void>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyring-test-'));
  file = join(folder, 'keyring.json');
  await cp(required(KEYRING_FILE), file);
  looks = [];
  const { setInterval } = globalThis;
  const caught = (work: () => void, milliseconds?: number): NodeJS.Timeout => {
    if (milliseconds === 2_000) looks.push(work);
    return setInterval(work, milliseconds === 2_000 ? 2 ** 30 : milliseconds);
  };
  globalThis.setInterval = caught as typeof globalThis.setInterval;
  try {
    gateway = await startGateway({ instances: 2, env: { KEYRING_FILE: file, REFRESH_TOKEN_TTL_SECONDS: '7200' } });
  } finally {
    globalThis.setInterval = setInterval;
  }
});
afterEach(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

const CALLER = '{ caller { callerType } }';
const PATH = '/.well-known/jwks.json';

async function jwksOf(on: Instance): Promise<Array<JWK & { kid: string }>> {
  const answer = await on.send('GET', PATH);
  expect(answer.status).toBe(200);
  return answer.json.keys;
}

/** Rotates, and has both instances pick it up without a restart. */
async function rotate(alg?: AccessAlg) {
  const rotation = await rotateKeyring(gateway.app, alg);
  await pickedUp(rotation.added[0]);
  return rotation;
}

/** Both instances have read the file again, which has this access key now. */
async function pickedUp(newKid: string | undefined): Promise<void> {
  for (const look of looks) look();
  for (const instance of gateway.instances) {
    const isNew = async () => (await jwksOf(instance)).some(({ kid }) => kid === newKid);
    for (let tries = 0; !(await isNew()); tries += 1) if (tries > 500) throw new Error('not picked up');
  }
}

async function fileKeys(): Promise<Array<JWK & { kid: string; alg: string }>> {
  return JSON.parse(await readFile(file, 'utf8')).keys;
}
const signerOf = ({ json }: Answer): [kid: unknown, alg: unknown] => {
  const { kid, alg } = decodeProtectedHeader(json.access_token);
  return [kid, alg];
};
const kidsOf = async (alg: string) => (await fileKeys()).filter((key) => key.alg === alg).map(({ kid }) => kid);

/** All that is published of a key, by its type. */
const PUBLISHED: Record<string, string> = {
  OKP: 'alg crv kid kty use x',
  EC: 'alg crv kid kty use x y',
  RSA: 'alg e kid kty n use',
};

/** Algorithms of the new keys if they are given, and all that sign. */
const ROTATIONS: Array<{ to: AccessAlg[]; signedBy: AccessAlg[] }> = [
  { to: [], signedBy: ['EdDSA'] },
  { to: ['ES256', 'RS256', 'EdDSA'], signedBy: ['EdDSA', 'ES256', 'RS256'] },
];
test.each(ROTATIONS)(
  'Interface 3: over three rotations, to $to, no token fails to verify',
  async ({ to, signedBy }) => {
    const [one, two] = gateway.two();
    // A verifier that reads the JWKS as seldom as Cache-Control allows, and not again for a key that it does not know.
    const url = new URL(PATH, one.url);
    const jwks = createRemoteJWKSet(url, {
      cooldownDuration: Number.POSITIVE_INFINITY,
      cacheMaxAge: Number.POSITIVE_INFINITY,
    });
    const maxAge = Number(/max-age=(\d+)/.exec(String((await one.send('GET', PATH)).headers['cache-control']))?.[1]);
    expect(maxAge).toBeLessThanOrEqual(900);
    const { answer, refreshToken } = await logIn(gateway, (await gateway.user()).email);
    let cookie = refreshToken;
    const alive: Array<{ token: string; until: number }> = [];
    const signers = new Map([signerOf(answer)]);
    const start = gateway.clock.now().getTime();
    for (let seconds = 0; seconds <= 4_500; seconds += 100) {
      gateway.clock.set(new Date(start + seconds * 1000));
      if (seconds % maxAge === 0) await jwks.reload();
      const rotation = [1_000, 1_100, 3_000].indexOf(seconds); // the second before the first new key is in use
      if (rotation !== -1) await rotate(to[rotation]);
      for (const on of [one, two]) {
        const rotated = await refresh(on, cookie);
        cookie = refreshTokenOf(rotated) ?? '';
        alive.push({ token: rotated.json.access_token, until: start + (seconds + 900) * 1000 });
        signers.set(...signerOf(rotated));
      }
      for (const { token } of alive.filter(({ until }) => until > gateway.clock.now().getTime())) {
        const options = { issuer: gateway.config.publicUrl, audience: gateway.config.publicUrl, typ: 'at+jwt' };
        await jwtVerify(token, jwks, { ...options, algorithms: [...ACCESS_ALGS], currentDate: gateway.clock.now() });
      }
      const last = alive.at(-1)?.token ?? '';
      for (const on of [one, two]) expect((await ask(on, bearer(last), CALLER)).status).toBe(200);
      for (const key of await jwksOf(two)) {
        expect(Object.keys(key).sort().join(' ')).toBe(PUBLISHED[String(key.kty)]);
        expect([key.use, signedBy]).toEqual(['sig', expect.arrayContaining([key.alg])]);
      }
    }
    expect(alive).toHaveLength(92);
    expect(signers.size).toBe(4);
    expect(new Set(signers.values())).toEqual(new Set(signedBy));
  },
);

test.each(ACCESS_ALGS)(
  'Interface 3: a new key of %s is used 900 s later, the old goes with its tokens',
  async (alg) => {
    const [first] = await kidsOf('EdDSA');
    const { email } = await gateway.user();
    const signer = async () => decodeProtectedHeader((await logIn(gateway, email)).answer.json.access_token).kid;
    const { added, usedFrom } = await rotate(alg);
    const [second] = added;
    expect(usedFrom.getTime()).toBe(gateway.clock.now().getTime() + 900_000);
    expect((await jwksOf(gateway)).map(({ kid }) => kid)).toEqual([second, first]);
    gateway.clock.advance(899);
    expect(await signer()).toBe(first);
    gateway.clock.advance(1);
    expect(await signer()).toBe(second);
    gateway.clock.advance(900); // tokens of the first live to this second
    expect((await rotate()).kept).toContain(first);
    gateway.clock.advance(1);
    const { dropped } = await rotate();
    expect(dropped).toContain(first);
    expect((await jwksOf(gateway)).map(({ kid }) => kid)).not.toContain(first);
    gateway.clock.advance(1_799); // the second is in use for 900 s more, and its tokens live for as many
    expect((await rotate()).kept).toContain(second);
    gateway.clock.advance(1);
    expect((await rotate()).dropped).toContain(second);
  },
);

test('Interface 3: a token is refused once its key is out of the file, even if it was valid a moment ago', async () => {
  const { as } = await newcomer(gateway);
  for (const on of gateway.two()) expect((await ask(on, as, CALLER)).status).toBe(200);
  const [leaked] = await kidsOf('EdDSA');
  const [access] = await generateKeys();
  const others = (await fileKeys()).filter(({ kid }) => kid !== leaked);
  await writeFile(file, JSON.stringify({ keys: [access, ...others] }));
  await pickedUp(access?.kid);
  for (const on of gateway.two()) {
    expect(await ask(on, as, CALLER)).toMatchObject({ status: 401, reason: 'invalid_token' });
  }
});

test('Interface 3: refresh tokens of an old key are taken as long as they live, then the key is dropped', async () => {
  const [first] = await kidsOf('HS256');
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  await rotate();
  gateway.clock.advance(3_000);
  await rotate();
  gateway.clock.advance(4_199);
  expect((await refresh(gateway, refreshToken)).status).toBe(200);
  expect(await kidsOf('HS256')).toContain(first);
  gateway.clock.advance(902); // 900 s until it was out of use, and 7,200 more
  await rotate();
  expect(await kidsOf('HS256')).not.toContain(first);
});

test('Interface 3: API keys, with both secrets, work over rotations; sealing keys that seal nothing are dropped', async () => {
  const [first = ''] = await kidsOf('A256GCM');
  const { keyId, secret, as } = await newApiKey(gateway, ['keys:write']);
  const text = `mutation { rotateApiKey(input: { id: "${keyId}", overlapSeconds: 86400 }) { secret } }`;
  const fresh = signed(gateway, keyId, (await ask(gateway, as, text)).data.rotateApiKey.secret);
  const work = async () => {
    for (const on of gateway.two()) {
      for (const caller of [as, fresh]) expect((await ask(on, caller, CALLER)).status).toBe(200);
    }
  };
  const sealedBy = async () => {
    const [row] = await gateway.rows('select sealed_secret, previous_sealed_secret from api_keys');
    const kid = (jwe: string) => decodeProtectedHeader(jwe).kid;
    return [kid(row?.['sealed_secret']), kid(row?.['previous_sealed_secret'])];
  };
  const one = await rotate();
  expect([one.resealed, await sealedBy()]).toEqual([0, [first, first]]); // the new key is not yet in use
  await work();
  gateway.clock.advance(900);
  await work();
  const two = await rotate();
  expect([two.resealed, await sealedBy()]).toEqual([2, [one.added[2], one.added[2]]]);
  expect(await kidsOf('A256GCM')).toEqual([two.added[2], one.added[2]]);
  expect(two.dropped).toContain(first);
  await work();
  gateway.clock.advance(900);
  const three = await rotate();
  expect([three.resealed, await kidsOf('A256GCM')]).toEqual([2, [three.added[2], two.added[2]]]);
  await work();
  expect(await gateway.rows('select * from api_keys where sealed_secret like $1', [`%${secret}%`])).toEqual([]);
});
