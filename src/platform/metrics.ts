/** Counters and histograms in the Prometheus text format (CONTRACT 10). */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** One registry an app, so that two apps in one process (as in tests) do not share figures. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requests: new Counter({
      name: 'http_requests_total',
      help: 'Answers sent, by route, method and status',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its answer',
      labelNames: ['route'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    outcomes: new Counter({
      name: 'auth_outcomes_total',
      help: 'Outcomes of logins, refreshes, logouts and caller checks',
      labelNames: ['outcome'],
      registers,
    }),
    passwordQueue: new Gauge({
      name: 'password_queue_length',
      help: 'Password verifications waiting for a core',
      registers,
    }),
    sweptRows: new Counter({
      name: 'swept_rows_total',
      help: 'Expired rows deleted, by table',
      labelNames: ['table'],
      registers,
    }),
    suppressedAuditRows: new Counter({
      name: 'auth_gateway_audit_rows_suppressed_total',
      help: 'Audit rows left out, because one token was presented again and again',
      labelNames: ['event_type'],
      registers,
    }),
  };
}
