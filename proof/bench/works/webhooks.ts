/** Webhooks (Interface 17): how many events one receiver gets, how late they come, and what an idle outbox costs. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditedEvent } from '../../../src/audit/events.js';
import { eventRows, insertEvents } from '../../../src/audit/write.js';
import { randomUuid } from '../../../src/platform/ids.js';
import { signal } from '../../evidence/lab/program.js';
import { percentile } from '../../evidence/lab/stats.js';
import type { Counted, Edge } from '../closed-loop.js';
import { ON_THE_GATEWAYS_CORE } from '../cores.js';
import { cpuMicros } from '../cpu.js';
import type { Database } from '../postgres.js';
import { openReceiver, type Receiver } from '../receiver.js';
import { USER_AGENT } from '../requests.js';
import type { Stage } from '../stage.js';
import { costOf, type Row, type Work } from '../work.js';

/** So many for each second of a slice: where fewer are delivered, it takes longer. One page before them does not count. */
const [BACKLOG_A_SECOND, BACKLOG_LEAD_IN] = [1_000, 100];
const BACKLOG_STRETCH = 2;
/** A second of them does not count. */
const STEADY_A_SECOND = 20;
const STEADY_STRETCH = 6;
/** Three slices are more than the ten seconds between two measurements of the lag. */
const IDLE_STRETCH = 10;
const IDLE_LEAD_IN_MS = 1_500;

/** Those of `names`; gateways that nobody asks for are not started. */
export async function webhookWorks(stage: Stage, names: readonly string[]): Promise<Work[]> {
  const makers = { webhooks: backlog, 'webhooks-steady': steady, 'webhooks-idle': idle };
  const chosen = Object.entries(makers).filter(([name]) => names.includes(name));
  return Promise.all(chosen.map(([name, make]) => make(stage, name)));
}

/** One more gateway, with a database of its own: no other gateway delivers its events. */
interface Sender {
  pid: number;
  database: Database;
  /** It stands still otherwise, so that it takes nothing from what others measure. */
  whileAwake<T>(work: () => Promise<T>): Promise<T>;
}

/** @param url where its one webhook sends to; without it WEBHOOK_HOSTS is unset */
async function startSender({ postgres, gateways }: Stage, url?: string): Promise<Sender> {
  const database = await postgres.createDatabase();
  const hosts = url === undefined ? {} : { WEBHOOK_HOSTS: new URL(url).host };
  // Only in development may a webhook send by plain http.
  const its = gateways.with({ DATABASE_URL: database.url, NODE_ENV: 'development', ...hosts });
  const gateway = await its.start({}, { wrapper: ON_THE_GATEWAYS_CORE });
  if (url !== undefined) await its.cli('webhook', 'create', '--url', url);
  const pid = gateway.process.pid ?? 0;
  signal([pid], 'SIGSTOP');
  return {
    pid,
    database,
    whileAwake: async (work) => {
      signal([pid], 'SIGCONT');
      try {
        return await work();
      } finally {
        signal([pid], 'SIGSTOP');
      }
    },
  };
}

async function backlog(stage: Stage, name: string): Promise<Work> {
  const receiver = await openReceiver(stage.lab);
  const { pid, database, whileAwake } = await startSender(stage, receiver.url);
  const deliver = async (events: EventRows, onEdge: (edge: Edge) => void): Promise<Counted> => {
    let beganMs = 0;
    const arriving = receiver.arrivalsOf(idsOf(events), (count) => {
      if (count !== BACKLOG_LEAD_IN) return;
      onEdge('began');
      beganMs = performance.now();
    });
    const [came] = await Promise.all([arriving, write(database, events)]);
    onEdge('ended');
    const times = [beganMs, ...[...came.values()].slice(BACKLOG_LEAD_IN)];
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    const rate = (gaps.length / ((times.at(-1) ?? 0) - beganMs)) * 1000;
    return { answers: gaps.length, rate, medianMs: percentile(gaps, 0.5), p99Ms: percentile(gaps, 0.99) };
  };
  const prepare = async (seconds: number) => {
    const events = newEvents(BACKLOG_LEAD_IN + Math.ceil(BACKLOG_A_SECOND * seconds));
    return async () => {
      const cost = await whileAwake(() => costOf(stage, pid, (onEdge) => deliver(events, onEdge)));
      return [{ what: name, ...cost }];
    };
  };
  return { name, parts: [{ prepare }], stretch: BACKLOG_STRETCH };
}

async function steady(stage: Stage, name: string): Promise<Work> {
  const receiver = await openReceiver(stage.lab);
  const { database, whileAwake } = await startSender(stage, receiver.url);
  const prepare = async (seconds: number) => {
    const events = newEvents(STEADY_A_SECOND + Math.ceil(STEADY_A_SECOND * seconds));
    return async () => {
      const delays = await whileAwake(() => delaysOf(events, receiver, database));
      const counted = delays.slice(STEADY_A_SECOND);
      return [{ what: name, medianMs: percentile(counted, 0.5), p99Ms: percentile(counted, 0.99) }];
    };
  };
  return { name, parts: [{ prepare }], stretch: STEADY_STRETCH };
}

/** Milliseconds from just before an event is written, commit included, to its arrival. In the order of `events`. */
async function delaysOf(events: EventRows, receiver: Receiver, database: Database): Promise<number[]> {
  const writtenMs = new Map<string, number>();
  const writeAll = async (): Promise<void> => {
    const beganMs = performance.now();
    for (const [index, event] of events.entries()) {
      await sleep(Math.max(0, beganMs + (index * 1000) / STEADY_A_SECOND - performance.now()));
      writtenMs.set(event.id, performance.now());
      await write(database, [event]);
    }
  };
  const [came] = await Promise.all([receiver.arrivalsOf(idsOf(events)), writeAll()]);
  return idsOf(events).map((id) => (came.get(id) ?? 0) - (writtenMs.get(id) ?? 0));
}

/** Two gateways at once, of which one has a webhook */
async function idle(stage: Stage, name: string): Promise<Work> {
  const { url } = await openReceiver(stage.lab);
  const on = await startSender(stage, url);
  const off = await startSender(stage);
  const isLocal = stage.postgres.postmaster !== undefined;
  const measure = async (seconds: number): Promise<Row[]> => {
    await sleep(IDLE_LEAD_IN_MS);
    const [withOne, without] = await Promise.all([on, off].map((sender) => idleCost(sender, seconds, isLocal)));
    return [
      { what: 'idle second with a webhook', ...withOne },
      { what: 'idle second without webhooks', ...without },
    ];
  };
  const prepare = async (seconds: number) => () => on.whileAwake(() => off.whileAwake(() => measure(seconds)));
  return { name, parts: [{ prepare }], stretch: IDLE_STRETCH };
}

/** CPU of each second: of the gateway, and of those processes of PostgreSQL that serve it. */
async function idleCost({ pid, database }: Sender, seconds: number, isLocal: boolean): Promise<Omit<Row, 'what'>> {
  const look = async () => {
    const backends = isLocal ? await backendsOf(database) : [];
    const postgres = new Map(backends.map((backend) => [backend, cpuMicros([backend])]));
    return { ms: performance.now(), server: cpuMicros([pid]), postgres };
  };
  const before = await look();
  await sleep(seconds * 1000);
  const after = await look();
  const passed = (after.ms - before.ms) / 1000;
  let postgres = 0;
  for (const [backend, micros] of after.postgres) postgres += micros - (before.postgres.get(backend) ?? 0);
  return {
    serverUs: (after.server - before.server) / passed,
    ...(isLocal && { postgresUs: postgres / passed }),
  };
}

async function backendsOf({ query }: Database): Promise<number[]> {
  const found = await query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and application_name = 'auth-gateway'",
  );
  return found.map(({ pid }) => pid);
}

type EventRows = ReturnType<typeof eventRows>;

/** Logins, as the gateway writes them */
function newEvents(count: number): EventRows {
  const login = {
    eventType: 'login_success',
    userId: randomUuid(),
    ipAddress: '127.0.0.1',
    userAgent: USER_AGENT,
    metadata: { role: 'viewer' },
  } as const satisfies AuditedEvent;
  return eventRows(
    Array.from({ length: count }, () => login),
    new Date(),
  );
}

const idsOf = (events: EventRows): string[] => events.map(({ id }) => id);

async function write({ query }: Database, events: EventRows): Promise<void> {
  await query(insertEvents('$1::jsonb'), [JSON.stringify(events)]);
}
