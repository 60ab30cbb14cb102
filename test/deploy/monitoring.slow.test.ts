/** deploy/grafana/ and deploy/prometheus/: what is drawn and what alerts, on a real Prometheus that scrapes a real gateway. */
import { readFileSync } from 'node:fs';
import { blocksOf } from '../documents/printed.js';
import { askAs, FORWARD_AUTH } from '../support/gateway/authz.js';
import { runningClock } from '../support/gateway/clock.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, nobody } from '../support/gateway/graphql.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { readMetrics } from '../support/independent/prometheus.js';
import { hasPrometheus, type PrometheusServer, startPrometheus } from '../support/programs/prometheus-server.js';
import { until } from '../support/until.js';

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: unknown;
  targets?: Array<{ expr: string; legendFormat: string; datasource: unknown }>;
}

const RULES = 'deploy/prometheus/alerts.yaml';
const dashboard = JSON.parse(readFileSync('deploy/grafana/auth-gateway.json', 'utf8'));
const panels: Panel[] = dashboard.panels;
const expressions = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
/** Of the runbook, one a line */
const queries = blocksOf('docs/runbook.md')
  .filter(({ language }) => language === 'promql')
  .flatMap(({ text }) => text.split('\n'));
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

/** With what Grafana puts in the place of its variables. */
const filledIn = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', 'auth-gateway').replaceAll('$instance', '.+');

/** Ours, Node's and Prometheus's own, as they are named in an expression. */
const namesIn = (text: string): string[] =>
  text.match(/\b(?:auth_gateway|http_server|nodejs|process)_\w+(?=[{[ )]|$)|\bup\b/gm) ?? [];

test('the dashboard: panels have their own ids and places, and the data source that is chosen', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    expect(x + w).toBeLessThanOrEqual(24);
    return Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`);
  });
  expect(new Set(cells).size).toBe(cells.length);
  const drawn = panels.filter(({ type }) => type !== 'row');
  expect(new Set(drawn.map(({ title }) => title)).size).toBe(drawn.length);
  for (const { datasource, targets = [] } of drawn) {
    expect(targets.length).toBeGreaterThan(0);
    expect([datasource, ...targets.map((target) => target.datasource)]).toEqual(
      Array.from({ length: targets.length + 1 }, () => DATASOURCE),
    );
  }
  const variables = dashboard.templating.list.map(({ name }: { name: string }) => name);
  expect(variables).toEqual(['datasource', 'job', 'instance']);
  const chosen = expressions.filter(({ expr }) => !/job=~"\$job",instance=~"\$instance"/.test(expr));
  expect(chosen).toEqual([]);
});

(hasPrometheus ? describe : describe.skip)('on a real Prometheus', () => {
  let gateway: TestGateway;
  let prometheus: PrometheusServer;
  beforeAll(async () => {
    const outbox = { WEBHOOK_HOSTS: 'hooks.example.com', MAIL: 'log' };
    const env = { LOGIN_MAX_FAILURES: '1', ...FORWARD_AUTH, ...outbox };
    gateway = await startGateway({ clock: runningClock(), passwords: 'argon2', env });
    prometheus = await startPrometheus(gateway.url, RULES);
  });
  afterAll(async () => {
    await prometheus?.[Symbol.asyncDispose]();
    await gateway?.close();
  });

  /** A little of everything, a theft and a lock included. */
  async function traffic(): Promise<void> {
    const { email } = await gateway.user();
    const { refreshToken } = await logIn(gateway, email);
    for (let i = 0; i < 2; i += 1) await refresh(gateway, refreshToken);
    await logout(gateway, refreshToken);
    await login(gateway, email, WRONG);
    await ask(gateway, nobody, '{ caller { callerType } }');
    await askAs(gateway, 'forward-auth', 'caller=user');
    await gateway.send('GET', '/nowhere');
  }

  test('no panel and no rule refers to a metric that the gateway does not have', async () => {
    await traffic();
    const { text } = await gateway.send('GET', '/metrics');
    const there = new Set([
      'up',
      ...[...readMetrics(text).values()].flatMap(({ samples }) => samples.map(({ name }) => name)),
    ]);
    const rules = readFileSync(RULES, 'utf8').replace(/^ *(?:#|summary|description|runbook_url).*$/gm, '');
    for (const source of [rules, ...queries, ...expressions.map(({ expr }) => expr)]) {
      const names = namesIn(source);
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !there.has(name))).toEqual([]);
    }
    for (const query of queries) await prometheus.query(query); // it is refused where it is none
  });

  test('each panel has something to draw once there was some traffic, and the chosen job and instance are there', async () => {
    const empty = async (): Promise<string[]> => {
      await traffic();
      const results = await Promise.all(
        expressions.map(async ({ title, expr }) => ({ title, result: await prometheus.query(filledIn(expr)) })),
      );
      return results
        .filter(({ result }) => !result.some(({ value }) => Number.isFinite(value)))
        .map(({ title }) => title);
    };
    let left: string[] = [];
    await until('each panel has data', async () => {
      left = await empty();
      return left.length === 0;
    }).catch((error: Error) => {
      throw new Error(`${error.message}; without data: ${left.join(', ')}`);
    });
    // A rate needs two scrapes that differ, which a slow machine may not have made yet.
    for (const expr of expressions.filter(({ title }) => /^Thefts|^Locks/.test(title)).map((of) => of.expr)) {
      await until(`${expr} is above 0`, async () => {
        await traffic();
        const [first] = await prometheus.query(filledIn(expr));
        return Number(first?.value) > 0;
      });
    }
    expect(await prometheus.api('label/job/values')).toEqual(['auth-gateway']);
    expect(await prometheus.api('label/instance/values')).toEqual([new URL(gateway.url).host]);
  });

  test('a theft fires its alert, in words that are filled in; nothing else does that is not so', async () => {
    interface Alert {
      labels: Record<string, string>;
      annotations: Record<string, string>;
      state: string;
    }
    const alerts = async (): Promise<Alert[]> => (await prometheus.api('alerts')).alerts;
    const theft = async () => (await alerts()).find(({ labels }) => labels['alertname'] === 'AuthGatewayTokenTheft');
    await traffic();
    await until('it fires', async () => (await theft())?.state === 'firing');
    const { annotations, labels } = (await theft()) ?? {};
    expect(labels).toEqual({ alertname: 'AuthGatewayTokenTheft', job: 'auth-gateway', severity: 'warning' });
    expect(annotations?.['summary']).toBe('A used refresh token was presented again to auth-gateway');
    expect(annotations?.['description']).toMatch(/^About [\d.]+ times in the last 15 minutes/);
    const firing = (await alerts()).filter(({ state }) => state === 'firing').map(({ labels }) => labels['alertname']);
    expect(firing.filter((name) => !['AuthGatewayTokenTheft', 'AuthGatewayLockWave'].includes(name ?? ''))).toEqual([]);
    const { groups } = await prometheus.api('rules');
    const health: string[] = groups.flatMap(({ rules }: { rules: Array<{ health: string }> }) =>
      rules.map((rule) => rule.health),
    );
    expect(health.length).toBeGreaterThan(10);
    expect(new Set(health)).toEqual(new Set(['ok']));
  });
});
