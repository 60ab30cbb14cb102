/** Interface 6: a signed request serves once, over all instances. */
import type { Experiment, Row } from '../experiment.js';
import { createApiKey, sendSigned, signAs } from '../lab/callers.js';
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
  mutants: [],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const key = await createApiKey(gateways, NO_LIMIT);

    const accepted: Row = {
      what: 'signed requests accepted more or less than once',
      trials: REQUESTS[size],
      least: REQUESTS[size],
      violations: 0,
      examples: [],
    };
    await inLanes(upTo(REQUESTS[size]), AT_ONCE, async () => {
      const signed = signAs(key);
      const present = (i: number) => sendSigned(instances[i % 3]?.url ?? '', signed);
      const answers = await Promise.all(upTo(PRESENTATIONS).map(present));
      if (answers.filter(({ status }) => status === 200).length === 1) return;
      accepted.violations += 1;
      accepted.examples?.push(answers.map(({ status }) => status).join());
    });
    return [accepted];
  },
};
