/** Composition root: builds every service once, passes each what it needs, and closes them in the reverse order. */
import { createLiveLog, type LiveTimes } from '../audit/live.js';
import { createAuditRepeats } from '../audit/repeats.js';
import { expiredEvents } from '../audit/write.js';
import { countPasswordParameters } from '../auth/account.js';
import { expiredEmailChanges, expiredEmailUndos } from '../auth/email/rows.js';
import { expiredCeremonies } from '../auth/factors/rows.js';
import { expiredGateCodes } from '../auth/gate-codes.js';
import { expiredDevices } from '../auth/known-devices.js';
import { expiredLinks, expiredRequestedLinks } from '../auth/password-links.js';
import { expiredRecords } from '../auth/sessions.js';
import { expiredNonces, KEY_LIMIT_NAME, KEY_WINDOW_SECONDS } from '../callers/key-admission.js';
import { measureKeyExpiry } from '../callers/key-expiry.js';
import type { Config } from '../config/config.js';
import { openKeyring } from '../credentials/keyring/keyring.js';
import { createPasswordRules } from '../credentials/passwords/password-rules.js';
import { createPasswords, type Passwords } from '../credentials/passwords/passwords.js';
import { createPlaceholderHashes } from '../credentials/passwords/placeholder-hashes.js';
import { createPlaceholderKey } from '../credentials/placeholder-key.js';
import { createSecretCache } from '../credentials/sealed-secret.js';
import { createKnownNonces } from '../credentials/signatures/known-nonces.js';
import { createTokens } from '../credentials/tokens/jwt.js';
import { type Database, openDatabase } from '../db/database.js';
import { createFullDisk } from '../db/full-disk.js';
import { migrateUp } from '../db/migrate.js';
import { type Expiring, startSweeper } from '../db/sweeper.js';
import { createGraphqlServer } from '../graphql/server.js';
import type { StreamTimes } from '../graphql/streams.js';
import { openTrustedDocuments } from '../graphql/trusted-documents.js';
import { createExpressApp, createMetricsApp } from '../http/express-app.js';
import type { Listener } from '../http/server/listener.js';
import { createMetrics, type Metrics } from '../metrics.js';
import type { Consumers } from '../outbox/outbox.js';
import { type Clock, systemClock } from '../platform/clock.js';
import { createLogger } from '../platform/create-logger.js';
import { describeError, type Logger } from '../platform/logger.js';
import { createMinuteCounter } from '../platform/minute-counter.js';
import { createSampling } from '../platform/sampling.js';
import { NO_TRACING, type Tracing } from '../platform/tracing.js';
import { watchClock } from '../platform/watched-clock.js';
import { openLoginWindows } from '../rate-limits/login-windows.js';
import { createRateLimiter, expiredWindows } from '../rate-limits/rate-limiter.js';
import { createReadinessPoller, type ReadinessPoller } from '../readiness/poller.js';
import { createReadiness } from '../readiness/readiness.js';
import { createStateLog } from '../readiness/state-log.js';
import type { Services } from '../services.js';
import { createExamination } from './examination.js';

/** The gateway hands in its log, its metrics and its threads; tests also a clock and cheaper hashing. */
export interface Overrides {
  clock?: Clock;
  /** How far that clock may be from the database's before it decides nothing: seconds */
  maxSkewSeconds?: number | undefined;
  log?: Logger;
  metrics?: Metrics;
  passwords?: Passwords;
  /** Size of libuv's thread pool (UV_THREADPOOL_SIZE) */
  threads?: number | undefined;
  /** Prints a line to the terminal, which is not the log: mails, if MAIL is log */
  print?: (line: string) => void;
  /** How often an idle outbox looks for work: milliseconds */
  outboxPollMs?: number;
  /** Times of streams of the audit log */
  live?: LiveTimes & StreamTimes;
}

/** Every service and the app that answers requests; `close` closes all of them. */
export interface App extends Services, Listener {
  /** Answers on METRICS_PORT, if that is set */
  metricsListener: Listener;
  poller: ReadinessPoller;
  /** Reads the keyring and the trusted documents now, and logs the results. */
  readFiles(): Promise<void>;
  close(): Promise<void>;
}

/** Node's own default for UV_THREADPOOL_SIZE. */
const DEFAULT_THREADS = 4;

/**
 * Opens the keyring and the database, migrates it, and builds all that answers requests. It does not listen yet.
 * @throws {KeyringError}, {BreachedPasswordsError}, {TrustedDocumentsError}, {MailTemplatesError}, {DatabaseTooNew} or the database's error; then nothing is left open
 */
export async function createApp(config: Config, databaseUrl: string, overrides: Overrides = {}): Promise<App> {
  const { log = createLogger(config.logLevel), threads = DEFAULT_THREADS } = overrides;
  const clock = watchClock(overrides.clock ?? systemClock, overrides.maxSkewSeconds);
  await using starting = new AsyncDisposableStack();
  const keyring = await openKeyring(config.keyringFile, clock, log);
  starting.defer(keyring.close);
  const passwordRules = await createPasswordRules(config);
  const metrics = overrides.metrics ?? createMetrics();
  const documents = await openTrustedDocuments({ config, log, metrics });
  starting.defer(documents.close);
  const sampling = createSampling();
  starting.defer(sampling.flush);
  const tracing = await createTracing(config, log, metrics);
  starting.defer(tracing.close);
  const timeHash = (seconds: number): void => metrics.passwordHashSeconds.observe(seconds);
  const logRefusedHash = (kind: string, error: unknown): void =>
    sampling.sample('refused_hash', 3, (more) =>
      log.error(
        { kind, error: describeError(error), ...more },
        'a stored password hash cannot be checked, so its login is refused; "user explain EMAIL" says whether it is theirs',
      ),
    );
  // On another thread, while the database is opened
  const hashing = overrides.passwords ?? createPasswords(config.argon2, threads, timeHash, logRefusedHash, tracing);
  Promise.resolve(hashing).catch(() => undefined); // thrown below
  const db = await openDatabase(databaseUrl, { pooler: config.databasePooler, tracing });
  starting.defer(db.close);
  const passwords = await hashing; // before a migration, which keeps other threads busy too
  await migrate(db, log);

  const redis = config.redis && (await import('../rate-limits/redis-connection.js')).connectRedis(config.redis, log);
  starting.defer(() => redis?.disconnect());
  const placeholderHashes = await createPlaceholderHashes({ clock, keyring, log }, () => countPasswordParameters(db));
  starting.defer(placeholderHashes.stop);
  const services: Services = {
    clock,
    config,
    db,
    fullDisk: createFullDisk(clock),
    placeholderKey: createPlaceholderKey(keyring),
    secretCache: createSecretCache(),
    keyLimiter: redis && createRateLimiter({ db, redis, tracing }, KEY_LIMIT_NAME, KEY_WINDOW_SECONDS),
    keyring,
    knownNonces: createKnownNonces(),
    liveLog: createLiveLog({ db, log }, overrides.live),
    log,
    metrics,
    passwords,
    passwordRules,
    placeholderHashes,
    redis,
    refreshCounter: createMinuteCounter(clock),
    repeats: createAuditRepeats(clock, log, metrics),
    sampling,
    state: { isStopping: false, isProxyReported: false },
    tokens: createTokens(keyring, config, clock),
    tracing,
    windows: await openLoginWindows({ clock, config, redis }, db.admin),
  };
  starting.defer(startSweeper(services, expiringRows(config), () => measureKeyExpiry(services)).stop);
  const { print = () => undefined } = overrides;
  const consumers = await createConsumers(services, print);
  if (consumers !== undefined) {
    const { startOutbox } = await import('../outbox/outbox.js');
    starting.defer(startOutbox(services, consumers, overrides.outboxPollMs).stop);
  }
  const readiness = createReadiness(services);
  await readiness.check(); // from now on the clock is known
  const examination = createExamination(clock, async (signal) => {
    const { examineGateway } = await import('../doctor/examine.js'); // which is loaded if somebody asks
    return examineGateway(config, databaseUrl, signal);
  });
  starting.defer(examination.stop);
  const { latest: latestChecks } = examination;
  const asked = { ...services, startedAt: clock.now(), latestChecks, documents, print };
  const graphql = await createGraphqlServer(asked, overrides.live);
  starting.defer(graphql.stop);
  const poller = createReadinessPoller(readiness);
  starting.defer(poller.stop);
  const metricsListener = createMetricsApp(services, poller);
  const expressApp = createExpressApp(services, readiness, poller, graphql.answer);
  const started = starting.move();
  const readFiles = async (): Promise<void> => void (await Promise.all([keyring.reload(), documents.reload()]));
  return { ...services, ...expressApp, metricsListener, poller, readFiles, close: () => started.disposeAsync() };
}

/** Interface 25: the SDK is loaded if an endpoint is set. */
async function createTracing({ tracing }: Config, log: Logger, metrics: Metrics): Promise<Tracing> {
  if (tracing === undefined) return NO_TRACING;
  const { openTracing } = await import('../platform/open-tracing.js');
  const logState = createStateLog(log);
  return openTracing(tracing, {
    exported: (state, error) => logState('collector', state, error),
    dropped: (spans) => metrics.droppedSpans.inc(spans),
  });
}

async function migrate(db: Database, log: Logger): Promise<void> {
  const { applied, newer } = await migrateUp(db, () =>
    log.warn('a migration waits for a table that somebody else uses'),
  );
  if (applied.length > 0) log.info({ applied }, 'database migrated');
  if (newer.length > 0) log.warn({ newer }, 'a newer version has migrated the database, and this one can use it');
}

/** Interface 17: what the outbox delivers. Undefined: neither webhooks nor mail, so nothing of it is loaded. */
async function createConsumers(services: Services, print: (line: string) => void): Promise<Consumers | undefined> {
  const { mail, webhookHosts } = services.config;
  const consumers: Consumers = {};
  if (webhookHosts !== undefined) {
    const { createWebhookConsumer } = await import('../outbox/webhooks/webhook-consumer.js');
    consumers.webhook = createWebhookConsumer(services);
  }
  if (mail.kind !== 'off') {
    const { createMailConsumer } = await import('../mail/mail-consumer.js');
    consumers.mail = await createMailConsumer(services, print);
  }
  return Object.keys(consumers).length > 0 ? consumers : undefined;
}

/** What the sweeper deletes, as the owners of the tables have it. */
export function expiringRows({ auditRetentionDays }: Pick<Config, 'auditRetentionDays'>): Expiring[] {
  return [
    expiredRecords(),
    expiredNonces,
    expiredWindows,
    expiredLinks,
    expiredCeremonies,
    expiredRequestedLinks,
    expiredEmailChanges,
    expiredEmailUndos,
    expiredDevices,
    expiredGateCodes,
    expiredEvents(auditRetentionDays),
  ];
}
