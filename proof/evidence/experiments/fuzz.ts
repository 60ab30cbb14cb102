/** The fuzz of the whole gateway (`npm run fuzz`), as a row: what it found among hostile requests. */
import type { Experiment } from '../experiment.js';
import { runTests } from '../lab/tests.js';

const REQUESTS = { small: 1_000, full: 100_000 };

export const fuzz: Experiment = {
  name: 'fuzz',
  isTested: true,
  mutants: [
    {
      name: 'an error repeats what was sent',
      file: 'src/http/json-body.ts',
      from: "|| 'body', message }",
      to: "|| 'body', message: message + JSON.stringify(body) }",
      foundBy: /^kinds of findings/,
    },
  ],
  run: async (lab, size) => {
    const { tests, brokenFiles, said } = await runTests(lab, 'fuzz', { FUZZ_REQUESTS: String(REQUESTS[size]) });
    const [seed = 'no seed was printed'] = /FUZZ_SEED=\d+/.exec(said) ?? [];
    lab.say(`${seed} begins it again`);

    if (tests.length === 0) throw new Error('the fuzz did not come as far as its tests');
    const failed = tests.filter(({ status }) => status === 'failed');
    // A finding is a line such as `3 x 5xx: body: …`; a test that fails without one is a finding too.
    const messages = failed.map(({ failureMessages }) => failureMessages.join('\n'));
    for (const message of messages) lab.say(message);
    const findings = messages.map((message) => message.match(/^\d+ x /gm)?.length ?? 1);
    return [
      {
        what: 'kinds of findings of the fuzz',
        trials: REQUESTS[size],
        least: REQUESTS[size],
        violations: findings.reduce((sum, found) => sum + found, brokenFiles),
        figures: { checks: tests.length },
        examples: failed.map(({ title }) => `${title}; ${seed} begins it again`),
      },
    ];
  },
};
