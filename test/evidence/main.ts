/**
 * `npm run evidence`: measures real instances from outside and prints a table. Exit code 1 where something was violated.
 *   --full          the large size, about an hour
 *   --only A,B      these experiments alone
 *   --install       first installs, by apt-get, what experiments need beside Node
 *   --out FILE      writes the report there as JSON
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Size } from './experiment.js';
import { EXPERIMENTS } from './experiments/index.js';
import { inLab } from './lab/lab.js';
import { startReport, tableOf, violationsOf } from './report.js';

const { values: options } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    install: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const wanted = options.only?.split(',');
const unknown = wanted?.filter((name) => !EXPERIMENTS.some((experiment) => experiment.name === name)) ?? [];
if (unknown.length > 0) {
  say(`no such experiment: ${unknown.join(', ')}; there are ${EXPERIMENTS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const size: Size = options.full ? 'full' : 'small';
const report = startReport(size);
for (const { name, needs = [], run } of EXPERIMENTS) {
  if (wanted !== undefined && !wanted.includes(name)) continue;
  const missing = needs.filter((program) => spawnSync('which', [program]).status !== 0);
  if (missing.length > 0) {
    report.results.push({ experiment: name, seconds: 0, rows: [], leftOut: `${missing.join(', ')} not installed` });
    continue;
  }
  say(`${name}: begins`);
  const startedMs = performance.now();
  const rows = await inLab(
    (line) => say(`${name}: ${line}`),
    (lab) => run(lab, size),
  );
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  report.results.push({ experiment: name, seconds, rows });
  for (const { what, trials, violations, examples = [] } of rows) {
    say(`${name}: ${what}: ${violations} of ${trials}`);
    for (const example of examples.slice(0, 5)) say(`${name}:   ${example}`);
  }
  if (options.out !== undefined) writeFileSync(options.out, `${JSON.stringify(report, null, 2)}\n`);
}
process.stdout.write(`${tableOf(report)}\n`);
process.exitCode = violationsOf(report) > 0 ? 1 : 0;
