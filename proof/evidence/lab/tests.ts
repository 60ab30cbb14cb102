/** A part of the tests as an experiment: run by an npm script in a process of its own, with its own PostgreSQL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { clearLeftovers, clusterDirOf } from '../../../src/db/embedded/postmaster.js';
import type { Lab } from './lab.js';

/** Of Jest's report, with `--json` */
interface Report {
  numRuntimeErrorTestSuites: number;
  testResults: Array<{ assertionResults: TestResult[] }>;
}

export interface TestResult {
  status: string;
  title: string;
  failureMessages: string[];
}

export interface TestRun {
  tests: TestResult[];
  /** Files that did not come as far as their tests */
  brokenFiles: number;
  /** What was written to stderr, Jest's own lines too */
  said: string;
}

/** Runs `npm run SCRIPT` with these variables. */
export async function runTests(lab: Lab, script: string, env: Record<string, string>): Promise<TestRun> {
  const file = join(lab.folder, `${script}.json`);
  const child = spawn('npm', ['run', script, '--', '--json', '--outputFile', file], {
    env: { ...process.env, TMPDIR: lab.folder, ...env },
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
  const { testResults, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return { tests, brokenFiles: numRuntimeErrorTestSuites, said };
}
