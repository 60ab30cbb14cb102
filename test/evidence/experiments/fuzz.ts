/** The fuzz of the whole gateway (`npm run fuzz`), as a row: what it found among hostile requests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { clearLeftovers, clusterDirOf } from '../../../src/db/embedded/postmaster.js';
import type { Experiment } from '../experiment.js';

const REQUESTS = { small: 1_000, full: 200_000 };

/** Of Jest's report, with `--json` */
interface Report {
  numTotalTests: number;
  numFailedTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: Array<{ assertionResults: Array<{ status: string; title: string; failureMessages: string[] }> }>;
}

export const fuzz: Experiment = {
  name: 'fuzz',
  run: async (lab, size) => {
    const file = join(lab.folder, 'fuzz.json');
    const child = spawn('npm', ['run', 'fuzz', '--', '--json', '--outputFile', file], {
      env: { ...process.env, TMPDIR: lab.folder, FUZZ_REQUESTS: String(REQUESTS[size]) },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true, // a group of its own, which is ended whole
    });
    lab.defer(async () => {
      if (child.exitCode !== null || child.pid === undefined) return;
      process.kill(-child.pid, 'SIGKILL');
      await once(child, 'exit');
      // Its PostgreSQL is of another group.
      const dataDirs = readdirSync(lab.folder).filter((name) => name.startsWith('gateway-test-'));
      for (const name of dataDirs) await clearLeftovers(clusterDirOf(join(lab.folder, name)), lab.folder);
    });
    const said = await text(child.stderr);
    const [seed = 'no seed was told'] = /FUZZ_SEED=\d+/.exec(said) ?? [];
    lab.say(`${seed} begins it again`);

    const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const failed = report.testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === 'failed');
    // A finding is a line such as `3 x 5xx: body: …`; a test that fails without one is a finding too.
    const findings = failed.map(({ failureMessages }) => failureMessages.join('\n').match(/^\d+ x /gm)?.length ?? 1);
    return [
      {
        what: 'kinds of findings of the fuzz',
        trials: REQUESTS[size],
        violations: findings.reduce((sum, found) => sum + found, report.numRuntimeErrorTestSuites),
        figures: { checks: report.numTotalTests },
        examples: failed.map(({ title }) => `${title}; ${seed} begins it again`),
      },
    ];
  },
};
