/** The keyring file, and its rotation over time. (Interface 3) */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { rotateKeyring } from '../../src/admin/keyring.js';
import { openKeyring } from '../../src/credentials/keyring/keyring.js';
import { KeyringError } from '../../src/credentials/keyring/keyring-error.js';
import { generateKeys, readKeyringFile, writeKeyringFile } from '../../src/credentials/keyring/keyring-file.js';
import type { PrivateJwk } from '../../src/credentials/keyring/private-jwks.js';
import { createLogger } from '../../src/platform/create-logger.js';
import { watchClock } from '../../src/platform/watched-clock.js';
import { handClock } from '../support/gateway/clock.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { keyringJwk } from '../support/independent/forge.js';
import { asUser, isRoot, rootTest } from '../support/programs/as-user.js';

let folder: string;
let file: string;
let gateway: TestGateway;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-keyring-'));
  file = join(folder, 'keyring.json');
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

const [access, refresh, sealing] = [keyringJwk('EdDSA'), keyringJwk('HS256'), keyringJwk('A256GCM')];
const SECRETS = [access.d, refresh.k, sealing.k];
const clock = handClock();
const now = (): number => Math.floor(clock.now().getTime() / 1000);

/** Why a keyring with these keys is refused; undefined if it is accepted. */
async function refusal(keys: unknown, text = JSON.stringify({ keys })): Promise<string | undefined> {
  await writeFile(file, text);
  try {
    (await openKeyring(file, clock, createLogger('silent'))).close();
    return undefined;
  } catch (error) {
    const { name, message } = error as Error;
    for (const secret of SECRETS) expect(message).not.toContain(secret);
    return name === 'KeyringError' ? message : `${name} ${message}`;
  }
}

test('Interface 3: a keyring has one key of each kind at least, in any order', async () => {
  expect(await refusal([], `\uFEFF${JSON.stringify({ keys: [access, refresh, sealing] })}`)).toBeUndefined();
  expect(await refusal([sealing, refresh, access])).toBeUndefined();
  expect(await refusal([refresh, sealing])).toMatch(/no access key/);
  expect(await refusal([access, sealing])).toMatch(/no refresh key/);
  expect(await refusal([access, refresh])).toMatch(/no sealing key/);
  expect(await refusal([])).toMatch(/no access key/);
});

test('Interface 3: a key that may not be used yet is not enough', async () => {
  expect(await refusal([access, { ...refresh, nbf: now() + 1 }, sealing])).toMatch(
    /no refresh key that may be used now/,
  );
  expect(await refusal([access, { ...refresh, nbf: now() }, sealing])).toBeUndefined();
});

test.each<[string, unknown[]]>([
  ['Ed448', [{ ...access, crv: 'Ed448' }, refresh, sealing]],
  ['an X25519 key', [{ ...access, crv: 'X25519' }, refresh, sealing]],
  ['an HMAC key of 128 bits', [access, { ...refresh, k: randomBytes(16).toString('base64url') }, sealing]],
  ['an HMAC key of 512 bits', [access, { ...refresh, k: randomBytes(64).toString('base64url') }, sealing]],
  ['HS512', [access, { ...refresh, alg: 'HS512' }, sealing]],
  ['a signing key for encryption', [access, { ...refresh, use: 'enc' }, sealing]],
  ['a sealing key for signing', [access, refresh, { ...sealing, use: 'sig' }]],
  ['a key without kid', [access, refresh, (({ kid: _kid, ...rest }) => rest)(sealing)]],
  ['two keys of one kid', [access, refresh, { ...sealing, kid: refresh.kid }]],
  ['an nbf that is no number', [access, { ...refresh, nbf: 'soon' }, sealing]],
])('Interface 3: refuses %s', async (_what, keys) => {
  expect(await refusal(keys)).toMatch(/^the keyring .* is refused: /);
});

test('Interface 3: refuses a file that is not a keyring', async () => {
  const restore =
    '; restore it from another instance or a backup; with a new one every session would end and no API key would work';
  const half = JSON.stringify({ keys: [access, refresh, sealing] }).slice(0, 100);
  expect(await refusal(undefined, half)).toBe(`the keyring ${file} is not JSON, or cut short${restore}`);
  expect(await refusal(undefined, '[]')).toBe(`the keyring ${file} is refused: keyring: must be an object${restore}`);
  expect(await refusal(undefined, '{}')).toBe(`the keyring ${file} is refused: keys: must be a list of keys${restore}`);
  await rm(file);
  await expect(openKeyring(file, clock, createLogger('silent'))).rejects.toThrow(/^cannot read the keyring /);
});

test('Interface 3: the current key is the first whose nbf has passed, even after a future one', async () => {
  const future = { ...refresh, kid: 'future', k: randomBytes(32).toString('base64url'), nbf: now() + 100 };
  const older = { ...refresh, kid: 'older', k: randomBytes(32).toString('base64url') };
  await writeFile(file, JSON.stringify({ keys: [future, access, refresh, older, sealing] }));
  const keyring = await openKeyring(file, clock, createLogger('silent'));
  keyring.close();
  const used = (seconds: number): string => keyring.inUse('refresh', new Date((now() + seconds) * 1000)).kid;
  expect([used(0), used(99), used(100)]).toEqual([refresh.kid, refresh.kid, 'future']);
  const kids = ['future', refresh.kid, 'older'];
  expect(kids.map((kid) => keyring.byKid('refresh', kid)?.kid)).toEqual(kids); // all are used to check
  expect(keyring.byKid('refresh', access.kid)).toBeUndefined();
});

test('Interface 3: rotation: new keys wait 900 s, old ones stay while their tokens live, and go after', async () => {
  await writeFile(file, JSON.stringify({ keys: [access, refresh, sealing] }));
  const config = { ...gateway.config, keyringFile: file, accessTokenSeconds: 600, refreshTokenSeconds: 5000 };
  const rotate = async () => {
    const keyring = await openKeyring(file, clock, createLogger('silent'));
    keyring.close();
    return rotateKeyring({ ...gateway.app, clock: watchClock(clock), config, keyring });
  };
  const kids = async (): Promise<string[]> =>
    (JSON.parse(await readFile(file, 'utf8')).keys as JWK[]).map(({ kid = '' }) => kid);

  const first = await rotate();
  expect(first.usedFrom.getTime()).toBe((now() + 900) * 1000);
  expect([first.added.length, first.kept, first.dropped]).toEqual([3, [access.kid, refresh.kid, sealing.kid], []]);
  expect(await kids()).toEqual([...first.added, ...first.kept]);

  clock.advance(900 + 600 + 1); // the last access token by the old key has just expired, its refresh tokens live
  const second = await rotate();
  expect(second.dropped).toEqual([access.kid, sealing.kid]);
  expect(second.kept).toEqual([...first.added, refresh.kid]);

  clock.advance(5000);
  const third = await rotate();
  expect(third.dropped).toContain(refresh.kid);
  expect(third.kept).toEqual(expect.arrayContaining(second.added));
});

describe('Interface 3: a keyring that is replaced', () => {
  let keys: PrivateJwk[];
  let place: string;
  let target: string;
  beforeEach(async () => {
    keys = await generateKeys();
    place = await mkdtemp(join(folder, 'place-'));
    target = join(place, 'keyring.json');
    await writeFile(target, 'old');
  });
  const ownership = async (path: string) => {
    const { uid, gid, mode } = await stat(path);
    return [uid, gid, mode & 0o777];
  };
  /** The message, once it is sure that nothing has changed. */
  async function replacementRefused(uid: number): Promise<string> {
    const before = await ownership(target);
    const replace = () => writeKeyringFile(target, keys, 'replace');
    const refused = await (isRoot ? asUser(uid, replace) : replace()).catch((error: Error) => error);
    expect(refused).toMatchObject({ name: 'KeyringError' });
    expect([await readdir(place), await readFile(target, 'utf8')]).toEqual([['keyring.json'], 'old']);
    expect(await ownership(target)).toEqual(before);
    return String(refused);
  }

  test('keeps its mode, also one that the umask would take from it', async () => {
    for (const mode of [0o640, 0o600, 0o660, 0o444]) {
      await chmod(target, mode);
      const before = await ownership(target);
      await writeKeyringFile(target, keys, 'replace');
      expect(await ownership(target)).toEqual(before);
    }
    expect(JSON.parse(await readFile(target, 'utf8'))).toEqual({ keys });
    expect(await readdir(place)).toEqual(['keyring.json']);
  });

  test('is the file that links lead to, as of a mounted volume, and the links stay', async () => {
    await mkdir(join(place, '..2026'));
    await writeFile(join(place, '..2026', 'keyring.json'), 'old', { mode: 0o640 });
    await rm(target);
    await symlink('..2026', join(place, '..data'));
    await symlink('..data/keyring.json', target);
    await writeKeyringFile(target, keys, 'replace');
    expect((await lstat(target)).isSymbolicLink()).toBe(true);
    expect((await lstat(join(place, '..data'))).isSymbolicLink()).toBe(true);
    expect((await lstat(join(place, '..2026', 'keyring.json'))).mode & 0o777).toBe(0o640);
    expect(JSON.parse(await readFile(target, 'utf8'))).toEqual({ keys });
    expect(await readdir(join(place, '..2026'))).toEqual(['keyring.json']);
  });

  rootTest('by root stays with the account of the gateway, which reads it still', async () => {
    await chmod(folder, 0o711);
    await chmod(place, 0o755);
    for (const [uid, gid] of [[65_534, 65_534] as const, [0, 65_534] as const]) {
      await chown(target, uid, gid);
      await chmod(target, 0o640);
      await writeKeyringFile(target, keys, 'replace');
      expect(await ownership(target)).toEqual([uid, gid, 0o640]);
      expect(JSON.parse(await asUser(65_534, () => readFile(target, 'utf8')))).toEqual({ keys });
    }
  });

  rootTest('is left alone by a user who cannot keep its owner or its group', async () => {
    await chmod(folder, 0o711);
    await chown(place, 1234, 1234);
    for (const [uid, gid] of [[0, 0] as const, [65_534, 1234] as const, [1234, 65_534] as const]) {
      await chown(target, uid, gid);
      await chmod(target, 0o644);
      expect(await replacementRefused(1234)).toMatch(`cannot keep the owner ${uid}:${gid} of the keyring ${target}`);
    }
  });

  test('stays as it is if its folder cannot be written, with the reason', async () => {
    await chmod(folder, 0o711);
    await chmod(place, 0o555);
    try {
      expect(await replacementRefused(1234)).toMatch(/cannot replace the keyring .* if it is mounted/);
    } finally {
      await chmod(place, 0o755); // or the folder could not be removed
    }
  });

  test('is not there for create, which refuses also a link that leads nowhere', async () => {
    await symlink(join(place, 'nowhere'), join(place, 'link'));
    for (const taken of [target, join(place, 'link')]) {
      await expect(writeKeyringFile(taken, keys, 'create')).rejects.toMatchObject({ code: 'EEXIST' });
    }
    expect((await readdir(place)).sort()).toEqual(['keyring.json', 'link']);
    expect(await readFile(target, 'utf8')).toBe('old');
  });

  test('has a folder that is there, which create does not make', async () => {
    const file = join(place, 'nowhere', 'keyring.json');
    const created = writeKeyringFile(file, keys, 'create');
    await expect(created).rejects.toEqual(new KeyringError(`cannot write the keyring ${file} (ENOENT)`));
  });
});

describe('Interface 3: what others may do with a keyring', () => {
  let keys: PrivateJwk[];
  let place: string;
  let target: string;
  beforeEach(async () => {
    keys = await generateKeys();
    place = await mkdtemp(join(folder, "it's here "));
    target = join(place, 'keyring.json');
    await writeKeyringFile(target, keys, 'create');
  });

  /** What is said of it at the start: the refusal or the warning. */
  async function said(of: string): Promise<string> {
    const { log, lines } = captureLog();
    const opened = await openKeyring(of, clock, log).catch((error: Error) => error);
    if ('message' in opened) {
      expect([opened.name, lines()]).toEqual(['KeyringError', []]);
      return `refused: ${opened.message}`;
    }
    opened.close();
    return lines()
      .map(({ level, msg }) => `${level}: ${msg}`)
      .join();
  }

  test.each([
    ['600', '700', /^$/],
    ['660', '2770', /^$/],
    ['640', '755', /^$/],
    ['600', '1777', /^$/],
    ['644', '1777', /^warn: .*others may read .*keyring\.json; run: chmod o-r .*keyring\.json'$/],
    ['444', '755', /^warn: /],
    ['602', '700', /^refused: .*others may write .*keyring\.json; run: chmod o-w .*keyring\.json'$/],
    ['666', '1777', /^refused: .*others may write .*keyring\.json; run: chmod o-w .*keyring\.json'$/],
    ['600', '777', /^refused: .*others may replace what is in .*; run: chmod o-w .*, or .*: chmod \+t /],
    ['600', '702', /^refused: .*others may replace what is in /],
  ])('a file of mode %s in a folder of mode %s', async (fileMode, folderMode, expected) => {
    await chmod(target, Number.parseInt(fileMode, 8));
    await chmod(place, Number.parseInt(folderMode, 8));
    const message = await said(target);
    expect(message).toMatch(expected);
    const [command] = /chmod o-.*?'(?=, or|$)/.exec(message) ?? [];
    if (command === undefined) return;
    execFileSync('sh', ['-c', command]); // as it was printed
    expect(await said(target)).not.toContain(command);
    expect(await said(target)).not.toMatch(/^refused/);
  });

  test('a link: the folder that it is in counts, and the folder of the file', async () => {
    const links = await mkdtemp(join(folder, 'links-'));
    const name = join(links, 'keyring.json');
    await symlink(target, name);
    expect(await said(name)).toBe('');
    await chmod(links, 0o777);
    expect(await said(name)).toMatch(`others may replace what is in ${links};`);
    await chmod(links, 0o755);
    await chmod(place, 0o777);
    expect(await said(name)).toMatch(`others may replace what is in ${place};`);
    await expect(readKeyringFile(name)).rejects.toMatchObject({ name: 'KeyringError' });
  });

  test('none is created in a folder in which others may replace it', async () => {
    await chmod(place, 0o777);
    const created = writeKeyringFile(join(place, 'new.json'), keys, 'create');
    await expect(created).rejects.toThrow(/others may replace what is in .*; run: chmod o-w /);
    expect(await readdir(place)).toEqual(['keyring.json']);
  });

  test('a running instance refuses a file that others may write, logs that once, and loads it once fixed', async () => {
    const { log, lines } = captureLog();
    const { setInterval } = globalThis;
    let look = async (): Promise<void> => undefined;
    globalThis.setInterval = ((work: () => Promise<void>) => {
      look = work;
      return setInterval(() => undefined, 2 ** 30);
    }) as typeof globalThis.setInterval;
    const keyring = await openKeyring(target, clock, log).finally(() => {
      globalThis.setInterval = setInterval;
    });
    let reported = 0;
    const kidInUse = () => keyring.inUse('access', clock.now()).kid;
    const atStart = kidInUse();
    /** Looks three times. @returns what was newly logged, and whether the keys are still those of the start */
    const seen = async () => {
      for (let looks = 0; looks < 3; looks += 1) await look();
      const fresh = lines().slice(reported);
      reported += fresh.length;
      return [fresh.map(({ reason, msg }) => String(reason ?? msg)), kidInUse() === atStart];
    };
    const changed = JSON.stringify({ keys: await generateKeys() });
    const mayWrite = expect.stringMatching(/others may write .*; run: chmod o-w /);

    expect(await seen()).toEqual([[], true]);
    await chmod(target, 0o606); // not yet changed, but from now on anybody may
    expect(await seen()).toEqual([[mayWrite], true]);
    await writeFile(target, changed);
    expect(await seen()).toEqual([[mayWrite], true]);
    await chmod(place, 0o777);
    await chmod(target, 0o604);
    expect(await seen()).toEqual([[expect.stringMatching(/others may replace what is in .*; run: chmod o-w /)], true]);
    await chmod(place, 0o700);
    expect(await seen()).toEqual([
      [expect.stringMatching(/others may read .*; run: chmod o-r /), 'keyring read again'],
      false,
    ]);
    await writeFile(target, '{"keys":[]}'); // refused for its keys: not warned about as well
    expect(await seen()).toEqual([[expect.stringMatching(/no access key/)], false]);
    keyring.close();
  });
});
