/** Every metric of the gateway, by its final name. (Interface 14) */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { GATEWAY_VERSION, REVISION, versionOf } from './platform/versions.js';

export type Metrics = ReturnType<typeof createMetrics>;

/** OpenTelemetry's buckets for durations of requests: seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Gauges of Node that are named like counters; `nodejs_active_resources` has the same figures. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** One registry for each app, so that two apps in one process, as in tests, do not share figures. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const buildInfo = new Gauge({
    name: 'auth_gateway_build_info',
    help: 'Always 1, with the version and commit of the gateway and the versions of Node and of the package argon2',
    labelNames: ['version', 'revision', 'node', 'argon2'],
    registers,
  });
  const { node } = process.versions;
  buildInfo.set({ version: GATEWAY_VERSION, revision: REVISION, node, argon2: versionOf('argon2') }, 1);
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer, or to the beginning of a stream or download; names are those of OpenTelemetry',
      labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
      buckets: BUCKETS,
      registers,
    }),
    logins: new Counter({
      name: 'auth_gateway_logins_total',
      help: 'Requests to POST /auth/login',
      labelNames: ['outcome'],
      registers,
    }),
    refreshes: new Counter({
      name: 'auth_gateway_refreshes_total',
      help: 'Requests to POST /auth/refresh',
      labelNames: ['outcome'],
      registers,
    }),
    logouts: new Counter({
      name: 'auth_gateway_logouts_total',
      help: 'Requests to POST /auth/logout',
      labelNames: ['outcome'],
      registers,
    }),
    passwordChanges: new Counter({
      name: 'auth_gateway_password_changes_total',
      help: 'Requests to POST /auth/password',
      labelNames: ['outcome'],
      registers,
    }),
    linkRedemptions: new Counter({
      name: 'auth_gateway_link_redemptions_total',
      help: 'Requests to POST /auth/password/redeem',
      labelNames: ['outcome'],
      registers,
    }),
    resetRequests: new Counter({
      name: 'auth_gateway_reset_requests_total',
      help: 'Requests to POST /auth/password/forgot, if MAIL is not off',
      labelNames: ['outcome'],
      registers,
    }),
    callerChecks: new Counter({
      name: 'auth_gateway_caller_checks_total',
      help: 'Requests to POST /graphql, by kind and result of their credential',
      labelNames: ['caller', 'outcome'],
      registers,
    }),
    untrustedDocuments: new Counter({
      name: 'auth_gateway_untrusted_documents_total',
      help: 'Operations that were refused because their document is not trusted; from 0 if TRUSTED_DOCUMENTS or TRUSTED_DOCUMENTS_ONLY is set',
      labelNames: ['caller'],
      registers,
    }),
    authzChecks: new Counter({
      name: 'auth_gateway_authz_checks_total',
      help: 'Authorization checks by proxies (forward authentication), by route and outcome',
      labelNames: ['route', 'outcome'],
      registers,
    }),
    introspections: new Counter({
      name: 'auth_gateway_introspections_total',
      help: 'Questions about an access token (POST /oauth/introspect), by what was answered or refused',
      labelNames: ['outcome'],
      registers,
    }),
    accountLocks: new Counter({
      name: 'auth_gateway_account_locks_total',
      help: 'Failed logins that locked their account; later answers to the locked account are logins with the outcome account_locked',
      registers,
    }),
    loginDevices: new Counter({
      name: 'auth_gateway_login_devices_total',
      help: 'Logins of active users while KNOWN_DEVICES is on, right or wrong: known, spared (known, while strangers have locked the account), locked (known, with a lock of its own) or new',
      labelNames: ['outcome'],
      registers,
    }),
    factors: new Counter({
      name: 'auth_gateway_factors_total',
      help: 'Second factors, passkeys and recovery codes that were presented at a login or a confirmation',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    tokenThefts: new Counter({
      name: 'auth_gateway_token_thefts_total',
      help: 'Refresh tokens that were presented after they had been used; not those of a session that a logout or an operator had ended',
      registers,
    }),
    passwordQueue: new Gauge({
      name: 'auth_gateway_password_queue_length',
      help: 'Passwords that wait for a core',
      registers,
    }),
    passwordHashSeconds: new Histogram({
      name: 'auth_gateway_password_hash_duration_seconds',
      help: 'Time of one password hash, without waiting',
      buckets: BUCKETS,
      registers,
    }),
    poolConnections: new Gauge({
      name: 'auth_gateway_db_pool_connections',
      help: 'Connections to PostgreSQL, idle or used: those of the routes (at most 16) and of administration (4) together',
      labelNames: ['state'],
      registers,
    }),
    poolWaiters: new Gauge({
      name: 'auth_gateway_db_pool_waiters',
      help: 'Requests that wait for a connection to PostgreSQL',
      registers,
    }),
    sweptRows: new Counter({
      name: 'auth_gateway_swept_rows_total',
      help: 'Expired rows that were deleted',
      labelNames: ['table'],
      registers,
    }),
    lastSweep: new Gauge({
      name: 'auth_gateway_last_sweep_timestamp_seconds',
      help: 'When all tables were last swept without an error, in seconds since 1970; at first, when the gateway started',
      registers,
    }),
    ready: new Gauge({
      name: 'auth_gateway_ready',
      help: '1 if the check of /health/ready is ok, otherwise 0: database, clock, and redis if it is used',
      labelNames: ['check'],
      registers,
    }),
    signingKeyStart: new Gauge({
      name: 'auth_gateway_signing_key_start_timestamp_seconds',
      help: 'When the current signing key came into use; before the first rotation, when the keyring was written',
      registers,
    }),
    keyExpiry: new Gauge({
      name: 'auth_gateway_key_expiry_timestamp_seconds',
      help: 'When the next valid API key or cron key expires; 0 if none does',
      registers,
    }),
    droppedLogLines: new Counter({
      name: 'auth_gateway_log_lines_dropped_total',
      help: 'Log lines that could not be written',
      registers,
    }),
    droppedSpans: new Counter({
      name: 'auth_gateway_dropped_spans_total',
      help: 'Spans that were lost, because the collector did not take them or too many waited for it',
      registers,
    }),
    clockSkew: new Gauge({
      name: 'auth_gateway_clock_skew_seconds',
      help: 'How far the clock here is ahead of that of the database',
      registers,
    }),
    webhookDeliveries: new Counter({
      name: 'auth_gateway_webhook_deliveries_total',
      help: 'Attempts to deliver an event to a webhook, if WEBHOOK_HOSTS is set',
      labelNames: ['outcome'],
      registers,
    }),
    mails: new Counter({
      name: 'auth_gateway_mails_total',
      help: 'Attempts to send a mail, if MAIL is not off',
      labelNames: ['outcome'],
      registers,
    }),
    auditStreams: new Gauge({
      name: 'auth_gateway_audit_streams',
      help: 'Streams of the audit log that are open',
      registers,
    }),
    webhookLag: new Gauge({
      name: 'auth_gateway_webhook_lag_seconds',
      help: 'How long the oldest event has waited for any webhook that is not paused, failed events included; every instance has the same value, measured every 10 s',
      registers,
    }),
    mailLag: new Gauge({
      name: 'auth_gateway_mail_lag_seconds',
      help: 'How long the oldest mail has waited to be sent; every instance has the same value, measured every 10 s',
      registers,
    }),
    suppressedAuditRows: new Counter({
      name: 'auth_gateway_audit_rows_suppressed_total',
      help: 'Audit rows left out because dead tokens of one session or user came back too often',
      registers,
    }),
  };
}
