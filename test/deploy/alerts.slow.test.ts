/** deploy/prometheus/alerts.yaml: tried by promtool. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { testedBlock } from '../documents/printed.js';
import { testWith } from '../support/programs/with-programs.js';

const run = promisify(execFile);

const RULES = 'deploy/prometheus/alerts.yaml';
const TESTS = ['deploy/prometheus/alerts.test.yaml', 'deploy/prometheus/alerts-days.test.yaml'];

testWith(['promtool'], 'the rules are sound, and fire when they should and not else', async () => {
  await run('promtool', ['check', 'rules', RULES]);
  await run('promtool', ['test', 'rules', ...TESTS]);
});

testWith(['promtool'], 'docs/monitoring.md: Prometheus takes what is printed there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  try {
    await symlink(resolve('deploy'), join(folder, 'deploy'));
    await writeFile(join(folder, 'prometheus.yml'), testedBlock('docs/monitoring.md', 'prometheus'));
    await run('sh', ['-e', '-c', testedBlock('docs/monitoring.md', 'rules')], { cwd: folder });
    await run('promtool', ['check', 'config', 'prometheus.yml'], { cwd: folder });
    const rules = readFileSync(join(folder, 'auth-gateway.alerts.yaml'), 'utf8');
    const links = rules.match(/runbook_url: https:\/\/git\.example\.com\S+\/docs\/runbook/g);
    expect(links).toHaveLength(rules.match(/- alert: /g)?.length ?? 0);
  } finally {
    await rm(folder, { recursive: true });
  }
});
