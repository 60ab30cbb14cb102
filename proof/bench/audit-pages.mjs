/**
 * Interface 11: what page 1,000 of the audit log costs against page 1, over the real endpoint, on an embedded PostgreSQL
 * of its own: `npm run build && node proof/bench/audit-pages.mjs [EVENTS] [ROUNDS] [ROWS A PAGE]`. At most 1.5 times.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_LINE } from '../../dist/src/admin/administer.js';
import { createCronKey } from '../../dist/src/admin/cron-keys.js';
import { readConfig } from '../../dist/src/config/config.js';
import { generateKeys, writeKeyringFile } from '../../dist/src/credentials/keyring/keyring-file.js';
import { ownDataDir } from '../../dist/src/db/embedded/owner.js';
import { startEmbeddedPostgres } from '../../dist/src/db/embedded/server.js';
import { listen } from '../../dist/src/http/server/listener.js';
import { createApp } from '../../dist/src/start/compose.js';

const [events = 1_000_000, rounds = 400, first = 50] = process.argv.slice(2).map(Number);
const PAGES = 1_000;
const MAX_RATIO = 1.5;

const dataDir = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
const postgres = await startEmbeddedPostgres(await ownDataDir(dataDir, 'gateway'), { durable: false });
const KEYRING_FILE = join(dataDir, 'keyring.json');
await writeKeyringFile(KEYRING_FILE, await generateKeys(), 'create');
const config = readConfig({ DATABASE_URL: 'postgresql://unused', KEYRING_FILE, LOG_LEVEL: 'silent' });
const app = await createApp(config, postgres.url);
const listening = await listen(app, '127.0.0.1', 0);
const { headerValue } = await createCronKey(app, COMMAND_LINE, { serviceName: 'bench', scopes: ['audit:read'] });
const { pool } = app.db;

await pool.query('set statement_timeout = 0');
await pool.query(
  `insert into audit_events (event_type, user_id, ip_address, metadata, created_at)
   select case when i % 10 = 0 then 'login_failure' else 'login_success' end,
     ('00000000-0000-7000-9000-' || lpad((i % 997)::text, 12, '0'))::uuid, '10.0.0.' || i % 250,
     case when i % 10 = 0 then jsonb_build_object('email', 'user' || i % 2000 || '@example.com') else '{}' end,
     timestamptz '2026-01-01' + i * interval '1 s'
   from generate_series(1, ${events}) as i`,
);
await pool.query('vacuum analyze audit_events');

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const QUERY = `query ($first: Int, $after: String, $filter: AuditEventFilter) {
  auditEvents(first: $first, after: $after, filter: $filter) {
    nodes { id eventType userId ipAddress metadata createdAt } pageInfo { endCursor hasNextPage }
  }
}`;

/** One page, and how long it took: milliseconds. */
function page(filter, after) {
  const body = JSON.stringify({ query: QUERY, variables: { first, after, filter } });
  const headers = { 'content-type': 'application/json', 'x-internal-key': headerValue };
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request({ port: listening.port, path: '/graphql', method: 'POST', agent, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      res.on('end', () => {
        const { data, errors } = JSON.parse(text);
        if (errors) return reject(new Error(text));
        return resolve({ ...data.auditEvents, milliseconds: performance.now() - started });
      });
    });
    sent.on('error', reject).end(body);
  });
}

const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
let worst = 0;
for (const [name, filter] of [
  ['no filter', {}],
  ['two types', { eventTypes: ['login_failure', 'login_success'] }],
  ['a span of time', { since: '2026-01-01T00:00:00Z', until: '2027-01-01T00:00:00Z' }],
]) {
  let after;
  for (let i = 1; i < PAGES; i += 1) ({ endCursor: after } = (await page(filter, after)).pageInfo);
  const times = { first: [], last: [] };
  for (let i = 0; i < rounds; i += 1) {
    const [one, thousandth] = [await page(filter, undefined), await page(filter, after)];
    if (one.nodes.length !== first || thousandth.nodes.length !== first) throw new Error('a page is not full');
    times.first.push(one.milliseconds);
    times.last.push(thousandth.milliseconds);
  }
  const [one, thousandth] = [median(times.first), median(times.last)];
  worst = Math.max(worst, thousandth / one);
  const figures = `page 1 ${one.toFixed(2)} ms, page ${PAGES} ${thousandth.toFixed(2)} ms, ratio ${(thousandth / one).toFixed(2)}`;
  process.stdout.write(`${events} events, ${first} a page, ${name}: ${figures} (medians of ${rounds})\n`);
}

agent.destroy();
await listening.stop({ graceMs: 0 });
await app.close();
await postgres.stop();
await rm(dataDir, { recursive: true, force: true });
process.exitCode = worst <= MAX_RATIO ? 0 : 1;
