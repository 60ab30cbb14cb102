/**
 * The client for browsers and the gateway in random schedules (`npm run model`), one row for each kind.
 * (Interface 12 and 13)
 */
import type { Experiment, Row } from '../experiment.js';
import { runTests } from '../lab/tests.js';

const SCHEDULES = { small: 100, full: 4_000 };

/** What must not happen, by the name of the test that looks for it. */
const ROWS: Record<string, string> = {
  'without a thief no session is lost': 'sessions lost or taken for stolen, second successors, two live tokens',
  'a thief who has the cookie but not the key gains nothing':
    'live tokens after a theft, tokens for a thief by a retry',
  'the client alone loses no session': 'sessions lost without REFRESH_RETRY',
};

export const model: Experiment = {
  name: 'model',
  isTested: true,
  mutants: [
    {
      name: 'a retry is given a successor that was used',
      file: 'src/auth/retries.ts',
      from: 'and not successor.revoked and successor.expires_at >= :now',
      to: 'and successor.expires_at >= :now',
      foundBy: /^(sessions lost or taken for stolen|live tokens after a theft)/,
    },
  ],
  run: async (lab, size) => {
    const trials = SCHEDULES[size];
    const { tests, brokenFiles, said } = await runTests(lab, 'model', { MODEL_SCHEDULES: String(trials) });
    const [seed = 'no seed was printed'] = /MODEL_SEED=\d+/.exec(said) ?? [];
    lab.say(`${seed} begins it again`);
    if (brokenFiles > 0) throw new Error('the model did not come as far as its tests');

    return Object.entries(ROWS).map(([title, what]): Row => {
      const test = tests.find((test) => test.title === title);
      if (test === undefined) throw new Error(`there is no test '${title}'`);
      const [, figures = '{}'] = new RegExp(`^model: .*${title}: (.*)$`, 'm').exec(said) ?? [];
      // A run ends at the first schedule that fails, which is then shrunk and printed.
      const violations = test.status === 'passed' ? 0 : 1;
      return { what, trials, least: trials, violations, figures: JSON.parse(figures), examples: test.failureMessages };
    });
  },
};
