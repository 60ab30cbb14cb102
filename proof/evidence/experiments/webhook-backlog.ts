/** A long backlog is delivered once and in order, in flat memory, and its last attempts are stored. (Interface 17) */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment } from '../experiment.js';
import { prepareGateways } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { writeEvents } from '../lab/log-events.js';
import { startPostgres } from '../lab/postgres.js';
import { judgeRise, startSamples } from '../lab/samples.js';

const EVENTS = { small: 2_000, full: 1_000_000 };
/** What has not arrived counts as lost if nothing has for so long: milliseconds. */
const PATIENCE_MS = 20_000;
/** Of a webhook, the newest stay. */
const ATTEMPTS = 50;

export const webhookBacklog: Experiment = {
  name: 'webhook-backlog',
  mutants: [
    {
      name: 'each page begins with the last event of the one before',
      file: 'src/audit/order.ts',
      from: 'where (audit_events.written_at, id) > (:at::timestamptz, :id) and',
      to: 'where (audit_events.written_at, id) >= (:at::timestamptz, :id) and',
      foundBy: /^events of a backlog/,
    },
    {
      name: 'of a page, the first attempts are stored',
      file: 'src/outbox/cursors.ts',
      from: 'attempted.slice(-MAX_ATTEMPTS)',
      to: 'attempted.slice(0, MAX_ATTEMPTS)',
      foundBy: /^stored attempts/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const receiver = await startCounting(lab);
    const gateways = await prepareGateways(lab, db.url, { WEBHOOK_HOSTS: receiver.authority });
    const { process } = await gateways.start();
    const events = EVENTS[size];
    const { webhook_id } = await gateways.cli<{ webhook_id: string }>(
      ...['webhook', 'create', '--url', `http://${receiver.authority}/`, '--event', 'login_failure'],
    );
    await gateways.cli('webhook', 'pause', webhook_id);
    lab.say(`${events} events`);
    await writeEvents(db, events);
    await gateways.cli('webhook', 'resume', webhook_id);

    const startedMs = performance.now();
    const samples = startSamples(process.pid ?? 0, db);
    await receiver.settled(events);
    const seconds = (receiver.lastMs() - startedMs) / 1000;
    const { arrived, notLater, last } = receiver.counts();
    const stored = await db.query<{ event: string }>(
      'select event_id::text as event from webhook_attempts where webhook_id = $1 order by number',
      [webhook_id],
    );
    const wrong = last.filter((event, index) => stored[index]?.event !== event);
    const rows = [
      {
        what: 'events of a backlog that did not arrive, or not once and in order',
        trials: events,
        least: events,
        violations: Math.abs(events - arrived) + notLater,
        figures: { seconds, events_per_second: arrived / seconds },
      },
      {
        what: 'stored attempts that are not the last 50 requests, in their order',
        trials: last.length,
        least: ATTEMPTS,
        violations: wrong.length + Math.abs(stored.length - last.length),
        examples: wrong,
      },
    ];
    const memory = judgeRise('mib', 'while a backlog is delivered', await samples.stop(), seconds);
    return size === 'full' ? [...rows, memory] : rows; // in a few seconds the heap of Node only grows
  },
};

interface Counting {
  authority: string;
  /**
   * `notLater`: requests whose `sequence` is not greater than the one before.
   * `last`: ids of the events of the last 50, oldest first
   */
  counts(): { arrived: number; notLater: number; last: string[] };
  /** When the last request came: milliseconds, as of `performance.now()` */
  lastMs(): number;
  /** Waits until so many have come and no more does, one came again, or nothing comes any more. */
  settled(events: number): Promise<void>;
}

async function startCounting(lab: Lab): Promise<Counting> {
  let arrived = 0;
  let notLater = 0;
  let lastSequence = '';
  const last: string[] = [];
  let lastMs = performance.now();
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part);
    const { sequence } = (JSON.parse(Buffer.concat(parts).toString()) as { data: { sequence: string } }).data;
    arrived += 1;
    if (sequence <= lastSequence) notLater += 1;
    lastSequence = sequence;
    last.push(String(req.headers['webhook-id']));
    if (last.length > ATTEMPTS) last.shift();
    lastMs = performance.now();
    res.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  lab.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    authority: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: () => ({ arrived, notLater, last }),
    lastMs: () => lastMs,
    settled: async (events) => {
      lastMs = performance.now();
      const quietMs = (): number => performance.now() - lastMs;
      while (quietMs() < PATIENCE_MS && notLater === 0 && (arrived < events || quietMs() < 2_000)) await sleep(100);
    },
  };
}
