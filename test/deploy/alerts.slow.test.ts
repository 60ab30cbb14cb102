/** deploy/prometheus/alerts.yaml: tried by promtool, and each alert has its entry in docs/runbook.md. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { testedBlock } from '../documents/printed.js';
import { testWith } from '../support/documents/documents.js';

const run = promisify(execFile);

const RULES = 'deploy/prometheus/alerts.yaml';
const TESTS = 'deploy/prometheus/alerts.test.yaml';
const RUNBOOK = 'docs/runbook.md';

const alerts = readFileSync(RULES, 'utf8')
  .split(/^ +- alert: /m)
  .slice(1)
  .map((text) => ({ name: /^\w+/.exec(text)?.[0] ?? '', text }));

testWith(['promtool'], 'the rules are sound, and fire when they should and not else', async () => {
  await run('promtool', ['check', 'rules', RULES]);
  await run('promtool', ['test', 'rules', TESTS]);
});

testWith(['promtool'], 'docs/monitoring.md: Prometheus takes what is printed there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  try {
    await symlink(resolve('deploy'), join(folder, 'deploy'));
    await writeFile(join(folder, 'prometheus.yml'), testedBlock('docs/monitoring.md', 'prometheus'));
    await run('sh', ['-e', '-c', testedBlock('docs/monitoring.md', 'rules')], { cwd: folder });
    await run('promtool', ['check', 'config', 'prometheus.yml'], { cwd: folder });
    const rules = readFileSync(join(folder, 'auth-gateway.alerts.yaml'), 'utf8');
    expect(rules.match(/runbook_url: https:\/\/git\.example\.com\S+\/docs\/runbook/g)).toHaveLength(alerts.length);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each(alerts)('$name is seen firing, and not firing', ({ name }) => {
  const cases = readFileSync(TESTS, 'utf8')
    .split("- expr: 'ALERTS")
    .filter((text) => text.includes(`alertname="${name}", alertstate="firing"}'`));
  expect(new Set(cases.map((text) => text.includes('exp_samples: []')))).toEqual(new Set([true, false]));
});

test.each(alerts)('$name has a severity, a summary and a link to the runbook', ({ name, text }) => {
  expect(text).toMatch(/^ {10}severity: (?:critical|warning)$/m);
  for (const annotation of ['summary', 'description'])
    expect(text).toMatch(new RegExp(`^ {10}${annotation}: .{10,}$`, 'm'));
  const [, path, anchor] = /^ {10}runbook_url: (.+)#(.+)$/m.exec(text) ?? [];
  expect([path, anchor]).toEqual([RUNBOOK, name.toLowerCase()]);
  const labels = Array.from(text.matchAll(/\$labels\.(\w+)/g), ([, label]) => label);
  expect(labels.filter((label) => !['job', 'instance', 'check'].includes(label ?? ''))).toEqual([]);
});

test('each heading of the runbook is an alert, in their order, but for the last, with the same answers', () => {
  const sections = readFileSync(RUNBOOK, 'utf8').split(/^### /m).slice(1);
  const headings = sections.map((section) => section.split('\n')[0]);
  expect(headings).toEqual([...alerts.map(({ name }) => name), 'A lost keyring']); // which ends the start
  for (const section of sections) {
    const answers = Array.from(section.matchAll(/^\*\*(Means|Users notice|Do|Wake):?\*\*/gm), ([, answer]) => answer);
    expect(answers).toEqual(['Means', 'Users notice', 'Do', 'Wake']);
  }
});
