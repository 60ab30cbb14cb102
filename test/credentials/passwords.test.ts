/** Hashing, its parameters and its queue. (Spec 4.1 step 3) */
import { availableParallelism } from 'node:os';
import argon2, { type HashOptions } from 'argon2';
import { Overloaded } from '../../src/credentials/passwords/password-queue.js';
import { createPasswords } from '../../src/credentials/passwords/passwords.js';

const MINIMUM = { memoryKib: 19_456, passes: 2, lanes: 1 };
const passwords = createPasswords(MINIMUM, 4);

const cheap = (password: string): Promise<string> =>
  argon2.hash(password, { memoryCost: 1024, timeCost: 1, parallelism: 1 });

test('Spec 4.1.3: a password matches only its own hash', async () => {
  const { hash, verify } = await passwords;
  const stored = await hash('päss word');
  expect(await verify(stored, 'päss word')).toEqual({ matches: true });
  for (const other of ['pass word', 'päss word ', 'PÄSS WORD', '', 'pa\u0308ss word']) {
    expect(await verify(stored, other)).toEqual({ matches: false });
  }
});

test('Spec 4.1.3: an invalid hash matches no password', async () => {
  const { verify } = await passwords;
  expect(await verify('', '')).toEqual({ matches: false });
  expect(await verify('', 'anything')).toEqual({ matches: false });
});

test('Spec 4.1.3: the placeholder costs what the live parameters cost', async () => {
  const { verify } = argon2;
  const checked: string[] = [];
  const watch = (hash: string, password: string): Promise<boolean> => {
    checked.push(hash);
    return verify(hash, password);
  };
  Object.assign(argon2, { verify: watch });
  try {
    await (await createPasswords({ memoryKib: 20_000, passes: 3, lanes: 2 }, 4)).verify('', 'password');
  } finally {
    Object.assign(argon2, { verify });
  }
  expect(checked).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=20000,(t=3,p=2|p=2,t=3)\$/)]);
});

test('Spec 4.1.3: logins that cannot be checked in time are refused until there is room again', async () => {
  const { verify, waiting } = await createPasswords(MINIMUM, 4);
  const cores = Math.min(availableParallelism(), 3); // one thread of the four stays free
  const stored = await cheap('password');
  const all = Promise.allSettled(Array.from({ length: 2_000 }, () => verify(stored, 'wrong')));
  expect(waiting()).toBeGreaterThan(0);
  const outcomes = await all;
  const refused = outcomes.findIndex(({ status }) => status === 'rejected');
  expect(refused).toBeGreaterThan(cores);
  for (const outcome of outcomes.slice(0, cores)) expect(outcome).toMatchObject({ value: { matches: false } });
  for (const outcome of outcomes.slice(refused)) expect(outcome).toMatchObject({ reason: expect.any(Overloaded) });
  expect(waiting()).toBe(0);
  expect(await verify(stored, 'password')).toMatchObject({ matches: true });
});

test('what a start computes meanwhile is not counted as its first hash', async () => {
  const starting = createPasswords(MINIMUM, 4);
  const began = process.threadCpuUsage();
  let computedMicros = 0;
  while (computedMicros < 500_000) computedMicros = process.threadCpuUsage(began).user;
  expect((await starting).hashCpuSeconds).toBeLessThan(0.5);
});

test('Spec 4.1.3: a machine that stands still during the start lets in as many logins as ever', async () => {
  const { now } = performance;
  let pauseMs = 0;
  Object.assign(performance, { now: () => now.call(performance) + pauseMs });
  try {
    const starting = createPasswords(MINIMUM, 4);
    pauseMs = 60_000;
    const { takeSlot } = await starting;
    for (let n = 0; n < 8; n += 1) takeSlot();
  } finally {
    Object.assign(performance, { now });
  }
});

test('Spec 4.1.3: nothing is checked for a client that has gone before its turn', async () => {
  const hashed: number[] = [];
  const { takeSlot, verify } = await createPasswords(MINIMUM, 4, (seconds) => hashed.push(seconds));
  const stored = await cheap('password');
  expect(
    await verify(
      stored,
      'password',
      takeSlot(() => true),
    ),
  ).toBeUndefined();
  expect(hashed).toEqual([]);
});

test('Spec 2.5: long passwords are not cut: the last of 1024 bytes counts', async () => {
  const { hash, verify } = await passwords;
  const long = 'x'.repeat(1023);
  expect(await verify(await hash(`${long}a`), `${long}b`)).toEqual({ matches: false });
});

test('Spec 2.5: a hash of other parameters matches and comes back renewed, a wrong password does not', async () => {
  const { verify } = await passwords;
  const outdated = await cheap('password');
  const { matches, renewedHash = '' } = (await verify(outdated, 'password')) ?? {};
  expect(matches).toBe(true);
  expect(renewedHash).toContain('m=19456');
  expect(await argon2.verify(renewedHash, 'password')).toBe(true);
  expect(await verify(outdated, 'wrong')).toEqual({ matches: false });
});

test('Spec 2.5: parameters in the order of the reference implementation are read too', async () => {
  const { hash, verify } = await passwords;
  const reordered = (await hash('password')).replace(/m=19456,[^$]+/, 'm=19456,t=2,p=1');
  expect(await verify(reordered, 'password')).toMatchObject({ matches: true });
});

const beyond: Array<[string, HashOptions]> = [
  ['of more than 256 MiB', { memoryCost: 262_145, timeCost: 1, parallelism: 1 }],
  ['of more than 16 passes', { memoryCost: 1024, timeCost: 17, parallelism: 1 }],
  ['of more than 16 lanes', { memoryCost: 1024, timeCost: 1, parallelism: 17 }],
  ['by argon2d', { memoryCost: 1024, timeCost: 1, parallelism: 1, type: argon2.argon2d }],
  ['of the old version', { memoryCost: 1024, timeCost: 1, parallelism: 1, version: 0x10 }],
];

test.each(beyond)(
  'Spec 2.5: an imported hash %s is never worked on: it does not match its own password',
  async (_what, options) => {
    const stored = await argon2.hash('password', options);
    expect(await argon2.verify(stored, 'password')).toBe(true);
    expect(await (await passwords).verify(stored, 'password')).toEqual({ matches: false });
  },
);

test('Spec 2.5: the configured parameters are within the bounds', async () => {
  const { hash, verify } = await createPasswords({ ...MINIMUM, passes: 17 }, 4);
  expect(await verify(await hash('password'), 'password')).toEqual({ matches: true });
});

test.each([
  '',
  'password',
  '$2b$10$abcdefghijklmnopqrstuuAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '$argon2id$v=19$c29tZXNhbHQ$',
])('Spec 2.5: an invalid or foreign hash never matches: %j', async (stored) => {
  expect(await (await passwords).verify(stored, 'password')).toEqual({ matches: false });
});
