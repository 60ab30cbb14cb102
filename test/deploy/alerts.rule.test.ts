/** deploy/prometheus/alerts.yaml: each alert is tried both ways, and has its entry in docs/runbook.md. */
import { readFileSync } from 'node:fs';

const RULES = 'deploy/prometheus/alerts.yaml';
const TESTS = ['deploy/prometheus/alerts.test.yaml', 'deploy/prometheus/alerts-days.test.yaml'];
const RUNBOOK = 'docs/runbook.md';

const alerts = readFileSync(RULES, 'utf8')
  .split(/^ +- alert: /m)
  .slice(1)
  .map((text) => ({ name: /^\w+/.exec(text)?.[0] ?? '', text }));

test.each(alerts)('$name is seen firing, and not firing', ({ name }) => {
  const cases = TESTS.map((file) => readFileSync(file, 'utf8'))
    .join('')
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

test('each heading of the runbook is an alert, in their order, but for the last three, with the same answers', () => {
  const sections = readFileSync(RUNBOOK, 'utf8').split(/^### /m).slice(1);
  const headings = sections.map((section) => section.split('\n')[0]);
  expect(headings).toEqual([...alerts.map(({ name }) => name), 'Round and round', 'Nowhere', 'A lost keyring']);
  for (const section of sections) {
    const answers = Array.from(section.matchAll(/^\*\*(Means|Users notice|Do|Wake):?\*\*/gm), ([, answer]) => answer);
    expect(answers).toEqual(['Means', 'Users notice', 'Do', 'Wake']);
  }
});
