/** A signed request is accepted once, over all instances. (Interface 6) */
import { freshNonce } from '../../../test/support/independent/signer.js';
import { holdNew } from '../../../test/support/postgres/hold.js';
import type { Experiment, Row } from '../experiment.js';
import { type ApiKey, createApiKey, sendSigned, signAs } from '../lab/callers.js';
import { prepareGateways } from '../lab/gateways.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { startPostgres } from '../lab/postgres.js';

const REQUESTS = { small: 200, full: 5_000 };
/** Of a request to each instance */
const PRESENTATIONS = 2;
/** Each is three requests */
const HELD = { small: 10, full: 250 };
const AT_ONCE = 10;
/** The largest that a key can have */
const NO_LIMIT = 1_000_000;

export const replays: Experiment = {
  name: 'replays',
  isAlone: true,
  mutants: [
    {
      name: 'a request counts as new if another instance takes its nonce at the same time',
      file: 'src/callers/key-admission.ts',
      from: 'const isReused = key.is_used || (allowed && !key.is_taken);',
      to: 'const isReused = key.is_used;',
      foundBy: /while the same waits/,
    },
    {
      name: 'a batch passes nonces that another instance takes at the same time',
      file: 'src/callers/key-admission.ts',
      from: '(key_id, nonce) in (select key_id, nonce from taken) as is_taken',
      to: 'true as is_taken',
      foundBy: /accepted more or less than once/,
    },
    {
      name: 'the nonce forgets the key',
      file: 'src/callers/key-admission.ts',
      from: 'from signature_nonces where key_id = :key_id and nonce = :nonce)',
      to: 'from signature_nonces where nonce = :nonce)',
      foundBy: /accepted more or less than once/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const keys = await Promise.all([createApiKey(gateways, NO_LIMIT), createApiKey(gateways, NO_LIMIT)]);

    const urls = instances.map(({ url }) => url);
    const present = (key: ApiKey, nonce: string, times = 1): Promise<number[]> => {
      const signed = signAs(key, { nonce });
      return Promise.all(
        upTo(times * urls.length).map(async (i) => (await sendSigned(urls[i % urls.length] ?? '', signed)).status),
      );
    };
    const rowOf = (what: string, least: number): Row => ({ what, trials: 0, least, violations: 0, examples: [] });
    const note = (row: Row, statuses: number[]): void => {
      row.trials += 1;
      if (statuses.filter((status) => status === 200).length === 1) return;
      row.violations += 1;
      row.examples?.push(statuses.join());
    };

    const ACCEPTED = 'signed requests accepted more or less than once';
    const accepted = rowOf(`${ACCEPTED}, by two keys with the same nonce`, REQUESTS[size]);
    await inLanes(upTo(REQUESTS[size] / keys.length), AT_ONCE, async () => {
      const nonce = freshNonce();
      for (const statuses of await Promise.all(keys.map((key) => present(key, nonce, PRESENTATIONS))))
        note(accepted, statuses);
    });

    const [key] = keys;
    const held = rowOf(`${ACCEPTED}, while the same waits before its commit`, 3 * HELD[size]);
    lab.say(`${HELD[size]} requests that are held, each with itself and two others on every instance`);
    for (const _ of upTo(HELD[size])) {
      await using hold = await holdNew('signature_nonces', { database: db, rows: db.query });
      const alone = present(key, freshNonce());
      await hold.waiting(urls.length);
      const together = [present(key, freshNonce()), present(key, freshNonce())];
      await hold.waiting(2 * urls.length); // one for each instance: it sends both as one statement
      await hold.release();
      for (const statuses of await Promise.all([alone, ...together])) note(held, statuses);
    }
    return [accepted, held];
  },
};
