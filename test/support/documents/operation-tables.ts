/** Tables for operators: findings of doctor, metrics, alerts, and the forms of an audit export. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { OCSF_KINDS } from '../../../src/audit/ocsf.js';
import { FINDINGS } from '../../../src/doctor/finding.js';
import { createMetrics } from '../../../src/metrics.js';
import { table } from './table.js';

export function findings(): string {
  const rows = Object.entries(FINDINGS).map(([name, { means, remedy }]) => [`\`${name}\``, means, remedy]);
  return table(['finding', 'means', 'do'], rows);
}

/** Those of the gateway, without Node's. */
export function metrics(): string {
  const all = createMetrics().registry.getMetricsAsArray() as unknown as Metric[];
  const ours = all.filter(({ name }) => /^(auth_gateway|http_server)_/.test(name));
  const rows = ours.map(({ name, help, type, labelNames }) => {
    const labels = labelNames.filter((label) => label !== 'le').map((label) => `\`${label}\``);
    return [`\`${name}\``, type, labels.join(', '), help];
  });
  return table(['metric', 'type', 'labels', 'counts or measures'], rows);
}

/** As prom-client has it. */
interface Metric {
  name: string;
  help: string;
  type: string;
  labelNames: string[];
}

interface Alert {
  alert: string;
  for?: string;
  labels: { severity: string };
  annotations: { runbook_url: string };
}

/** Each with its entry in docs/runbook.md, where this is printed. */
export function alerts(): string {
  const { groups } = parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as { groups: [{ rules: Alert[] }] };
  const rows = groups[0].rules.map((rule) => {
    const entry = rule.annotations.runbook_url.replace('docs/runbook.md', '');
    return [`[${rule.alert}](${entry})`, rule.labels.severity, rule.for ?? 'at once'];
  });
  return table(['alert', 'severity', 'fires after'], rows);
}

export function ocsf(): string {
  const rows = Object.entries(OCSF_KINDS).map(
    ([
      type,
      {
        class: { uid, name },
        activity,
        severity,
        status,
      },
    ]) => {
      return [`\`${type}\``, `${uid} ${name}`, activity, severity, status];
    },
  );
  return table(['event', 'class', 'activity', 'severity', 'status'], rows);
}
