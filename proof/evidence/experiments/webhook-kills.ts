/**
 * Every event reaches every webhook, over kill -9 of gateways, receivers and PostgreSQL, and a repeated delivery has
 * the same id. (Interface 17)
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../test/support/until.js';
import type { Edit, Experiment, Row } from '../experiment.js';
import { startClients } from '../lab/clients.js';
import { type Instance, prepareGateways } from '../lab/gateways.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { killBackend, killPostmaster } from '../lab/postgres-kills.js';
import { createUsers } from '../lab/users.js';
import { portsOfReceivers, type Received, startWebhookReceiver } from '../lab/webhook-receivers.js';

const CLIENTS = 8;
const RECEIVERS = 2;
const KILLS = { small: 8, full: 80 };
/** Acknowledged requests before a kill, of which about a fifth write an event */
const BEFORE = 60;
/** How long a receiver is away, at most: milliseconds. */
const AWAY_MS = 1_000;
/** What is missing counts as lost once nothing has arrived for so long: a claim ends after 40 s, and a receiver is probed every minute. */
const PATIENCE_MS = 120_000;

/** Whatever the front has passed is looked at once more, ten seconds later: that guards against both faults below. */
const SETTLES_NOTHING: Edit = {
  file: 'src/outbox/turn.ts',
  from: 'const missed = await readUnsettled(work.db.admin, work.cursor.id, settled, target, PAGE);',
  to: 'const missed = (await readUnsettled(work.db.admin, work.cursor.id, settled, target, PAGE)).slice(0, 0);',
};

export const webhookKills: Experiment = {
  name: 'webhook-kills',
  mutants: [
    {
      name: 'an event that a webhook did not take is not sent again',
      file: 'src/outbox/progress.ts',
      from: '...withHandled(before, event, count, due), isGone',
      to: '...(due ? before : withHandled(before, event, count, due)), isGone',
      foundBy: /^events that did not arrive/,
      and: SETTLES_NOTHING,
    },
    {
      name: 'a page counts as sent before it is',
      file: 'src/outbox/turn.ts',
      from: `  const { state, done } = await pass(work, before, events, most);
  const front = done === undefined ? before.front : positionOf(done);`,
      to: `  const end = events.at(-1);
  const early = end === undefined ? before : await store(work, { ...before, front: positionOf(end) }, false);
  const { state, done } = await pass(work, early, events, most);
  const front = done === undefined ? early.front : positionOf(done);`,
      foundBy: /^events that did not arrive/,
      and: SETTLES_NOTHING,
    },
    {
      name: 'the claim of a killed gateway does not end',
      file: 'src/outbox/cursors.ts',
      from: '(claimed_until is null or claimed_until < clock_timestamp())',
      to: 'claimed_by is null',
      foundBy: /^events that did not arrive/,
    },
    {
      name: 'each attempt has an id of its own',
      file: 'src/outbox/webhooks/webhook-consumer.ts',
      from: 'webhookHeaders(event.id, body, secrets, now)',
      to: 'webhookHeaders(crypto.randomUUID(), body, secrets, now)',
      foundBy: /^requests whose webhook-id/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const { ports, WEBHOOK_HOSTS } = await portsOfReceivers(RECEIVERS);
    const gateways = await prepareGateways(lab, db.url, { WEBHOOK_HOSTS });
    const instances = await Promise.all([gateways.start(), gateways.start()]);
    const emails = await createUsers(gateways, db, CLIENTS);
    const receivers = await Promise.all(ports.map((port) => startWebhookReceiver(lab, gateways, port)));
    const clients = startClients(
      instances.map(({ url }) => url),
      emails,
    );
    const kills: Array<() => Promise<void>> = [
      async () => {
        const receiver = receivers[randomInt(RECEIVERS)];
        await receiver?.kill();
        await sleep(Math.random() * AWAY_MS);
        receiver?.start();
      },
      async () => {
        await killWhileSending(db, instances);
        // As if 40 s had passed: nobody has a claim. After the last kill below they pass.
        await db.query('update outbox_cursors set claimed_until = clock_timestamp()');
        await Promise.all(instances.map((instance) => instance.start()));
      },
      () => killPostmaster(db, instances),
      () => killBackend(db, instances),
    ];
    for (let round = 0; round < KILLS[size]; round += 1) {
      lab.say(`kill ${round + 1} of ${KILLS[size]}`);
      await clients.work(BEFORE);
      await sleep(Math.random() * 100);
      await kills[round % kills.length]?.();
    }
    await clients.work(BEFORE);
    await killWhileSending(db, instances);
    await clients.stop();
    const [survivor] = instances;
    await survivor.start();

    lab.say('waits for what has not arrived');
    const killedMs = performance.now();
    const events = await eventsOf(db);
    const missing = (): string[][] => {
      const arrived = receivers.map((receiver) => new Set(receiver.received().map(({ event }) => event)));
      return arrived.map((ids) => events.filter((event) => !ids.has(event)));
    };
    let [left, sinceMs] = [missing().flat().length, killedMs];
    while (left > 0 && performance.now() - sinceMs < PATIENCE_MS) {
      await sleep(100);
      const now = missing().flat().length;
      if (now < left) [left, sinceMs] = [now, performance.now()];
    }
    return rowsOf(
      events,
      receivers.map((receiver) => receiver.received()),
      missing().flat(),
      { kills: KILLS[size] + 1, seconds_until_all_arrived: (performance.now() - killedMs) / 1000 },
    );
  },
};

/** Kills every gateway while one of them sends. */
async function killWhileSending(db: Postgres, instances: Instance[]): Promise<void> {
  const sending = 'select from outbox_cursors where claimed_by is not null';
  await until('a gateway sends', async () => (await db.query(sending)).length > 0);
  await Promise.all(instances.map((instance) => instance.kill()));
}

/** Ids of what was written since both webhooks were there. */
async function eventsOf(db: Postgres): Promise<string[]> {
  const found = await db.query<{ id: string }>(
    `select id from audit_events
     where written_at >= (select max(written_at) from audit_events where event_type = 'webhook_created')`,
  );
  return found.map(({ id }) => id);
}

function rowsOf(
  events: string[],
  received: Received[][],
  missing: string[],
  figures: { kills: number; seconds_until_all_arrived: number },
): Row[] {
  const requests = received.flat();
  const doubles = received.reduce((sum, each) => sum + each.length - new Set(each.map(({ event }) => event)).size, 0);
  const least = events.length * RECEIVERS;
  const foreign = requests.filter(({ id, event }) => id !== event);
  return [
    {
      what: 'events that did not arrive at a webhook over kill -9 of gateways, receivers and PostgreSQL',
      trials: least,
      least: figures.kills * RECEIVERS,
      violations: missing.length,
      figures: { ...figures, events: events.length },
      examples: missing,
    },
    {
      what: 'requests whose webhook-id is not that of their event, so that a double is not known',
      trials: requests.length,
      least: least - missing.length,
      violations: foreign.length,
      figures: { doubles },
      examples: foreign.map(({ id, event }) => `${id} for ${event}`),
    },
    {
      what: 'requests whose signature or time standardwebhooks refuses',
      trials: requests.length,
      least: least - missing.length,
      violations: requests.filter(({ isGenuine }) => !isGenuine).length,
    },
  ];
}
