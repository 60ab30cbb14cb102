/** Interface 6: a signed request serves once, over all instances. */
import { freshNonce } from '../../../test/support/independent/signer.js';
import type { Experiment, Row } from '../experiment.js';
import { type ApiKey, createApiKey, sendSigned, signAs } from '../lab/callers.js';
import { prepareGateways } from '../lab/gateways.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { startPostgres } from '../lab/postgres.js';

const REQUESTS = { small: 200, full: 10_000 };
const PRESENTATIONS = 6;
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
      foundBy: /accepted more or less than once/,
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

    const accepted: Row = {
      what: 'signed requests accepted more or less than once, by two keys with the same nonce',
      trials: 0,
      least: REQUESTS[size],
      violations: 0,
      examples: [],
    };
    const tryOnce = async (key: ApiKey, nonce: string): Promise<void> => {
      const signed = signAs(key, { nonce });
      const present = (i: number) => sendSigned(instances[i % 3]?.url ?? '', signed);
      const answers = await Promise.all(upTo(PRESENTATIONS).map(present));
      accepted.trials += 1;
      if (answers.filter(({ status }) => status === 200).length === 1) return;
      accepted.violations += 1;
      accepted.examples?.push(answers.map(({ status }) => status).join());
    };
    await inLanes(upTo(REQUESTS[size] / keys.length), AT_ONCE, async () => {
      const nonce = freshNonce();
      await Promise.all(keys.map((key) => tryOnce(key, nonce)));
    });
    return [accepted];
  },
};
