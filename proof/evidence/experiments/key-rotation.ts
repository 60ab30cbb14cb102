/**
 * A rotation of the keyring disturbs nobody: neither services that cache the JWKS for ten minutes, nor callers. The
 * experiment waits for nothing: step by step it moves back what depends on time, the `nbf` of keys and the age of what
 * a service caches. (Interface 3)
 */
import { decodeProtectedHeader } from 'jose';
import type { Experiment, Row } from '../experiment.js';
import { refresh } from '../lab/browser.js';
import { askAs, createApiKey, sendSigned, signAs } from '../lab/callers.js';
import { prepareGateways, QUICK_TIMERS } from '../lab/gateways.js';
import { letPass, untilRead } from '../lab/keyring-time.js';
import { upTo } from '../lab/lanes.js';
import { mintSessions } from '../lab/minted.js';
import { startPostgres } from '../lab/postgres.js';
import { createUsers } from '../lab/users.js';
import { createVerifier } from '../lab/verifier.js';

const TOKEN_SECONDS = 900;
const CACHE_SECONDS = 600;
/** A new key is published this long before it signs (docs/keyring.md). */
const AHEAD_SECONDS = 900;
/** How long a key signs before the next rotation, in turn: while tokens of the older key live, which is kept, and after that */
const AFTER_SECONDS = [600, 300, TOKEN_SECONDS];
/** After the last rotation: in small while tokens of older keys live */
const AT_THE_END_SECONDS = { small: 300, full: AHEAD_SECONDS + TOKEN_SECONDS };
const STEP_SECONDS = 100;
/** What is rotated to, one after the other: EdDSA unless it says otherwise. Every second rotation is done twice. */
const ROTATIONS = { small: [[], []], full: [[], [], ['--alg', 'ES256'], [], ['--alg', 'EdDSA'], []] };

export const keyRotation: Experiment = {
  name: 'key-rotation',
  mutants: [
    {
      name: 'a key is dropped 400 s before its last token expires',
      file: 'src/admin/keyring.ts',
      from: 'supersededAt(jwk, all) + tokenSecondsOf(kind, config) >=',
      to: 'supersededAt(jwk, all) + tokenSecondsOf(kind, config) - 400 >=',
      foundBy: /^failed verifications/,
    },
    {
      name: 'keys sign after 550 s instead of 900',
      file: 'src/credentials/keyring/keyring.ts',
      from: 'PUBLISH_AHEAD_SECONDS = 900',
      to: 'PUBLISH_AHEAD_SECONDS = 550',
      foundBy: /^failed verifications/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url, QUICK_TIMERS);
    const instances = await Promise.all([gateways.start(), gateways.start()]);
    const [email = ''] = await createUsers(gateways, db, 1);
    const sessions = await mintSessions(gateways, db, email, instances.length);
    const [untouched = ''] = await mintSessions(gateways, db, email, 1);
    const apiKey = await createApiKey(gateways, 1_000_000);
    // Time jumps from step to step: what is cached for ten minutes is still cached in the first step after them.
    const keptSeconds = CACHE_SECONDS + STEP_SECONDS;
    const verifiers = upTo((instances.length * keptSeconds) / STEP_SECONDS).map((i) =>
      createVerifier(instances[i % instances.length]?.url ?? '', keptSeconds),
    );

    const failed: Row = {
      what: 'failed verifications during key rotations, the JWKS being kept for ten minutes',
      ...{
        trials: 0,
        least: (ROTATIONS[size].length * TOKEN_SECONDS) / STEP_SECONDS,
        violations: 0,
        examples: [],
      },
    };
    const refused: Row = {
      what: 'callers and sessions refused during key rotations',
      trials: 0,
      least: failed.least,
      violations: 0,
    };
    const count = (row: Row, isGood: boolean): void => {
      row.trials += 1;
      if (!isGood) row.violations += 1;
    };
    const kids = new Set<string>();
    let issued: Array<{ token: string; step: number }> = [];
    let step = 0;

    /** Each instance issues a token, and every token that has not expired is presented everywhere. */
    const look = async (): Promise<void> => {
      for (const [i, { url }] of instances.entries()) {
        const { status, cookie = '', body } = await refresh(url, sessions[i] ?? '');
        count(refused, status === 200);
        sessions[i] = cookie;
        const token = String(body['access_token']);
        kids.add(String(decodeProtectedHeader(token).kid));
        issued.push({ token, step });
        count(refused, (await sendSigned(url, signAs(apiKey))).status === 200);
      }
      issued = issued.filter((token) => (step - token.step) * STEP_SECONDS < TOKEN_SECONDS);
      for (const { token, step: issuedAt } of issued) {
        // In the first steps one more for each instance, so that there are key sets of every age.
        for (const verifier of verifiers.slice(0, instances.length * (step + 1))) {
          const fault = await verifier.verify(token).then(() => undefined, String);
          count(failed, fault === undefined);
          if (fault !== undefined) failed.examples?.push(`at step ${step}, a token of step ${issuedAt}: ${fault}`);
        }
        for (const { url } of instances) {
          count(refused, (await askAs(url, { authorization: `Bearer ${token}` })).status === 200);
        }
      }
    };
    const forward = async (seconds: number): Promise<void> => {
      for (let passed = 0; passed < seconds; passed += STEP_SECONDS) {
        await untilRead(instances, () => letPass(gateways.keyringFile, STEP_SECONDS));
        for (const verifier of verifiers) verifier.age(STEP_SECONDS);
        step += 1;
        await look();
      }
    };
    const rotate = (words: string[]): Promise<void> =>
      untilRead(instances, () => gateways.cli('keyring', 'rotate', ...words), look);

    await look();
    await forward(CACHE_SECONDS);
    for (const [i, words] of ROTATIONS[size].entries()) {
      lab.say(`rotation ${i + 1} of ${ROTATIONS[size].length}`);
      await rotate(words);
      if (i % 2 === 1) {
        await forward(STEP_SECONDS);
        await rotate(words);
      }
      const isLast = i === ROTATIONS[size].length - 1;
      await forward(isLast ? AT_THE_END_SECONDS[size] : AHEAD_SECONDS + (AFTER_SECONDS[i % AFTER_SECONDS.length] ?? 0));
    }
    count(refused, (await refresh(instances[0].url, untouched)).status === 200);
    if (kids.size < ROTATIONS[size].length) throw new Error('a new key was never used: nothing was tried');
    failed.figures = {
      rotations: ROTATIONS[size].length,
      keys_that_signed: kids.size,
      minutes: (step * STEP_SECONDS) / 60,
    };
    return [failed, refused];
  },
};
