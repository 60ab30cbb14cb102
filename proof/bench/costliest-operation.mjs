/**
 * Interface 7: the costliest GraphQL operations that the caps let through, and the costliest refusals, found by an
 * evolutionary search over `schema.graphql` against a gateway in a child process, on an embedded PostgreSQL with
 * 2,000,000 audit events: `npm run build && node proof/bench/costliest-operation.mjs [--seconds 120] [--seed N]
 * [--by cpuMs|bytes|heapMb] [--without NAME,…] [--refusals 0.4] [--data DIR] [--out FILE] [--replay FILE,…] [--small] [--mutations] [--production] [--profile]`.
 *
 * `--without` leaves out fields, and changes by their name in `operations.mjs`, to see what else there is; `--data`
 * keeps the database for the next run; `--out` writes each operation that is reported.
 */
import 'reflect-metadata';
import { fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSchema } from 'graphql';
import { generateKeys, writeKeyringFile } from '../../dist/src/credentials/keyring/keyring-file.js';
import { MAX_TOKENS } from '../../dist/src/graphql/limits.js';
import { BODY_BYTES } from '../../dist/src/http/routes/graphql-route.js';
import { CALLERS, openData } from './costliest-operation/data.mjs';
import { operationsOf } from './costliest-operation/operations.mjs';
import { print, tokensOf } from './costliest-operation/print.mjs';

const flag = { type: 'boolean', default: false };
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    by: { type: 'string', default: 'cpuMs' },
    without: { type: 'string', default: '' },
    data: { type: 'string' },
    refusals: { type: 'string', default: '0.4' },
    out: { type: 'string' },
    replay: { type: 'string' },
    top: { type: 'string', default: '10' },
    small: flag,
    mutations: flag,
    production: flag,
    profile: flag,
  },
});
const TOP = Number(options.top);
/** Bytes that `altered` may add */
const ROOM = 8;
const MAX_MS = 100;
const MAX_MB = 20;
const say = (line) => process.stdout.write(`${line}\n`);

/** mulberry32: the same numbers for the same seed. */
let state = Number(options.seed);
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

// --- the gateway ---

const folder = options.data ?? (await mkdtemp(join(tmpdir(), 'gateway-bench-')));
await mkdir(folder, { recursive: true });
const data = await openData(folder, options.small);
if (!existsSync(data.keyringFile)) await writeKeyringFile(data.keyringFile, await generateKeys(), 'create');

async function startGateway() {
  const args = [data.url, data.keyringFile, options.production ? 'production' : 'development', JSON.stringify(CALLERS)];
  const child = fork(new URL('./costliest-operation/gateway.mjs', import.meta.url), args, {
    execArgv: ['--expose-gc'],
  });
  let onMessage = () => undefined;
  let onExit = () => undefined;
  child.on('message', (message) => onMessage(message));
  child.on('exit', () => onExit(new Error('the gateway has ended')));
  const next = () =>
    new Promise((resolve, reject) => {
      onMessage = resolve;
      onExit = reject;
    });
  const { port, tokens } = await next();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (command, more) => {
    const answered = next();
    child.send({ command, ...more });
    return answered;
  };
  const send = (body, caller) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${tokens[caller]}` };
    return new Promise((resolve, reject) => {
      const sent = request({ port, path: '/graphql', method: 'POST', agent, headers }, (res) => {
        const chunks = [];
        let bytes = 0;
        res.on('data', (chunk) => {
          bytes += chunk.length;
          if (bytes < 200_000) chunks.push(chunk);
        });
        res.on('end', () => resolve({ status: res.statusCode, bytes, text: Buffer.concat(chunks).toString('utf8') }));
      });
      sent.on('error', reject);
      sent.setTimeout(60_000, () => sent.destroy(new Error('no answer within a minute')));
      sent.end(body);
    });
  };
  return {
    /** Answers one request. @returns its cost */
    async measure({ body, caller }, how = {}) {
      const postgresBefore = postgresMs();
      await ask('start', how);
      const answer = await send(body, caller);
      const cost = await ask('stop');
      return { ...answer, ...cost, postgresMs: postgresMs() - postgresBefore };
    },
    send,
    async stop() {
      agent.destroy();
      await ask('end').catch(() => undefined);
    },
  };
}

/** Processor time of PostgreSQL and all of its processes since it started, to 10 ms (Linux; else 0). */
function postgresMs() {
  try {
    // fields 14 to 17 of stat: own user and system time, and those of children that have ended
    const times = (pid) =>
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 15).map(Number);
    const children = readFileSync(`/proc/${data.pid}/task/${data.pid}/children`, 'utf8').trim().split(' ');
    const ticks = [...times(data.pid), ...children.flatMap((pid) => times(pid).slice(0, 2))];
    return ticks.reduce((sum, time) => sum + time, 0) * 10;
  } catch {
    return 0;
  }
}

// --- the search: the costliest of each shape survives, and is bred from ---

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
const without = new Set(options.without.split(','));
const operations = operationsOf(schema, random, { without, hasMutations: options.mutations });

/** What an operation is made of, so that variations of one are counted once. */
function shapeOf(operation, answer, isRefused) {
  if (isRefused) {
    const words = [...answer.text.matchAll(/"message":"((?:[^"\\]|\\.)*)"/g)].map(([, message]) =>
      message
        .replace(/\\"[^"]*\\"/g, '"…"')
        .replace(/Did you mean.*/, '')
        .replace(/"…"(, "…"| or "…"| and "…"|,)*/g, '…')
        .replace(/\d+/g, 'N')
        .replace(/subfields .*/, 'subfields')
        .slice(0, 60),
    );
    return [...new Set(words)].sort().slice(0, 2).join(' | ');
  }
  const used = new Set();
  const walk = (selections, prefix) => {
    for (const node of selections) {
      if (node.kind === 'field' && (prefix === '' || node.selections.length > 0)) {
        const name = `${prefix}${node.field.name}`;
        used.add(name);
        walk(node.selections, prefix.split('.').length > 2 ? prefix : `${name}.`);
      }
      if (node.kind === 'inline') walk(node.selections, prefix);
    }
  };
  walk(operation.selections, '');
  for (const { type, selections } of operation.fragments) {
    walk(selections, type === operation.root ? '' : '*.');
  }
  const names = [...used];
  const leaves = names.filter((name) => !names.some((other) => other.startsWith(`${name}.`)));
  return `${leaves.sort().slice(0, 5).join(' ')}${operation.fragments.length > 0 ? ' +fragments' : ''}`;
}

const archive = { accepted: new Map(), refused: new Map() };
const fitnessOf = (cost) => cost[options.by];

function keep(operation, sent, cost) {
  const isRefused = cost.status !== 200;
  const name = `${sent.caller}: ${shapeOf(operation, cost, isRefused)}`;
  const cells = isRefused ? archive.refused : archive.accepted;
  const best = cells.get(name);
  if (best !== undefined && fitnessOf(best.cost) >= fitnessOf(cost)) return;
  cells.set(name, { operation, sent, cost: { ...cost, text: cost.text.slice(0, 300) }, name });
}

/** A parent: the costlier the likelier. */
function parent(cells) {
  const ranked = [...cells.values()].sort((a, b) => fitnessOf(b.cost) - fitnessOf(a.cost));
  return ranked[Math.floor(random() ** 2.5 * ranked.length)]?.operation;
}

/** Fits body and tokens into the caps, which refuse what is larger at once. */
function fitToCaps(operation) {
  let fitted = operation;
  for (let tries = 0; tries < 40; tries += 1) {
    const printed = print(fitted);
    const body = JSON.stringify(printed);
    if (Buffer.byteLength(body) <= BODY_BYTES - ROOM && tokensOf(printed.query) <= MAX_TOKENS)
      return { operation: fitted, body };
    fitted = operations.shrink(fitted);
  }
  return undefined;
}

async function search(gateway, seconds) {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  while (performance.now() < end) {
    const isToBeRefused = random() < Number(options.refusals);
    const cells = isToBeRefused ? archive.refused : archive.accepted;
    const caller = random() < 0.8 ? 'admin' : 'viewer';
    let child = count < 200 || random() < 0.1 ? operations.grow() : undefined;
    child ??= parent(random() < 0.9 ? cells : archive.accepted) ?? operations.grow();
    if (random() < 0.15) child = operations.cross(child, parent(cells) ?? operations.grow());
    if (count > 50) child = operations.change(child, isToBeRefused);
    for (let tries = 0; tries < 12; tries += 1) {
      const fitted = fitToCaps(child);
      if (fitted === undefined) break;
      const sent = { body: fitted.body, caller };
      const cost = await gateway.measure(sent);
      count += 1;
      keep(fitted.operation, sent, cost);
      if (cost.status === 200) operations.learn(cost.text);
      if (isToBeRefused || cost.status === 200) break;
      child = operations.shrink(fitted.operation);
    }
  }
  return count;
}

// --- the report ---

/** Where the time went: own time by function, the costliest first. */
function hottest({ nodes, samples, timeDeltas }) {
  const own = new Map();
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  let total = 0;
  samples.forEach((id, i) => {
    const { functionName, url, lineNumber } = byId.get(id);
    if (['(idle)', '(program)', 'post'].includes(functionName)) return; // post is of the profiler itself
    total += timeDeltas[i];
    const file = url.replace(/^.*node_modules\//, '').replace(/^.*\/dist\//, 'dist/');
    const name = `${functionName || '(anonymous)'} ${file}${url === '' ? '' : `:${lineNumber + 1}`}`;
    own.set(name, (own.get(name) ?? 0) + timeDeltas[i]);
  });
  const sorted = [...own].sort(([, a], [, b]) => b - a).slice(0, 12);
  return sorted.map(([name, time]) => `      ${((100 * time) / total).toFixed(0).padStart(3)} %  ${name}`);
}

/** The same but for commas at its end, so that the document is parsed and validated as a new one. */
function altered({ body, caller }, count) {
  const { query, ...rest } = JSON.parse(body);
  return { body: JSON.stringify({ ...rest, query: query + ','.repeat(count) }), caller };
}

/** Again in a fresh process, so that no operation inherits the heap of another; milliseconds once warm, the least of three. */
async function measureAlone({ sent }) {
  const gateway = await startGateway();
  for (let i = 0; i < 20; i += 1) await gateway.send('{"query":"{__typename}"}', sent.caller);
  const first = await gateway.measure(sent, { isThorough: true });
  const again = [first];
  for (let i = 1; i <= 3 && first.cpuMs < 3_000; i += 1) again.push(await gateway.measure(altered(sent, i)));
  const profile = options.profile ? (await gateway.measure(altered(sent, 4), { isProfiled: true })).profile : undefined;
  await gateway.stop();
  const least = (name) => Math.min(...again.map((cost) => cost[name]));
  return {
    ...first,
    coldMs: first.cpuMs,
    cpuMs: least('cpuMs'),
    activeMs: least('activeMs'),
    blockMs: least('blockMs'),
    postgresMs: least('postgresMs'),
    profile,
  };
}

let worst = 0;
let reported = 0;
async function report(title, entries) {
  say(`\n${title}`);
  say('    loop ms  (cold)  active  block  answer KB  heap MB  kept MB  rss MB  postgres ms  status  shape');
  const found = [];
  for (const entry of entries) found.push({ ...entry, cost: await measureAlone(entry) });
  found.sort((a, b) => fitnessOf(b.cost) - fitnessOf(a.cost));
  for (const { cost, name, sent } of found) {
    const figure = (value, width, digits = 0) => value.toFixed(digits).padStart(width);
    reported += 1;
    worst = Math.max(worst, cost.cpuMs / MAX_MS, cost.keptMb / MAX_MB);
    say(
      `${String(reported).padStart(2)}  ${figure(cost.cpuMs, 7)} ${figure(cost.coldMs, 7)} ${figure(cost.activeMs, 7)} ${figure(cost.blockMs, 6)}` +
        ` ${figure(cost.bytes / 1024, 10)} ${figure(cost.heapMb, 8)} ${figure(cost.keptMb, 8)} ${figure(cost.rssMb, 7)} ${figure(cost.postgresMs, 12)}  ${cost.status}  ${name}`,
    );
    if (cost.profile) say(hottest(cost.profile).join('\n'));
    if (options.out)
      writeFileSync(
        `${options.out}-${reported}.json`,
        JSON.stringify(
          { name, ...sent, cost: { ...cost, profile: undefined, text: cost.text.slice(0, 2_000) } },
          null,
          1,
        ),
      );
  }
}

const best = (cells) => [...cells.values()].sort((a, b) => fitnessOf(b.cost) - fitnessOf(a.cost)).slice(0, TOP);

if (options.replay) {
  const files = options.replay.split(',');
  await report(
    'Operations of before',
    files.map((file) => {
      const { name, body, caller } = JSON.parse(readFileSync(file, 'utf8'));
      return { name: `${name} (${file})`, sent: { body, caller } };
    }),
  );
} else {
  say(
    `seed ${options.seed}, ${options.seconds} s, by ${options.by}, without ${options.without || 'nothing'}, Node ${process.version}`,
  );
  const gateway = await startGateway();
  for (let i = 0; i < 50; i += 1) await gateway.send('{"query":"{__typename}"}', 'admin');
  const count = await search(gateway, Number(options.seconds));
  await gateway.stop();
  say(`${count} operations tried; shapes: ${archive.accepted.size} accepted, ${archive.refused.size} refused`);
  await report('Accepted', best(archive.accepted));
  await report('Refused', best(archive.refused));
  say(`\nthe worst is ${worst.toFixed(1)} times what one operation may cost (${MAX_MS} ms, ${MAX_MB} MB)`);
}

await data.stop();
if (options.data === undefined) await rm(folder, { recursive: true, force: true });
process.exitCode = worst <= 1 ? 0 : 1;
