/** The gateway as a child process, and the cost of its answers, over IPC. */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { GCProfiler } from 'node:v8';
import { readConfig } from '../../../dist/src/config/config.js';
import { listen } from '../../../dist/src/http/server/listener.js';
import { createApp } from '../../../dist/src/start/compose.js';

const [databaseUrl, KEYRING_FILE, NODE_ENV, callers] = process.argv.slice(2);
const config = readConfig({
  DATABASE_URL: 'postgresql://unused',
  KEYRING_FILE,
  NODE_ENV,
  PUBLIC_URL: 'http://localhost:3000',
  LOG_LEVEL: 'silent',
  ACCESS_TOKEN_TTL_SECONDS: '86400',
});
const app = await createApp(config, databaseUrl);
const listening = await listen(app, '127.0.0.1', 0);
const tokens = {};
for (const [name, caller] of Object.entries(JSON.parse(callers))) {
  const pair = await app.tokens.issuePair({ ...caller, jti: randomUUID(), expiresAt: new Date() }, new Date());
  tokens[name] = pair.accessToken;
}

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
/** Processor time of this thread, garbage collection on it included: microseconds. */
const threadMicroseconds = () => {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return user + system;
};

let before;
let collections;
let inspector;

const commands = {
  async start({ isThorough, isProfiled }) {
    if (isThorough) {
      globalThis.gc();
      resetPeak();
      collections = new GCProfiler();
      collections.start();
    }
    if (isProfiled) {
      inspector = new Session();
      inspector.connect();
      await inspector.post('Profiler.enable');
      await inspector.post('Profiler.setSamplingInterval', { interval: 200 });
      await inspector.post('Profiler.start');
    }
    delay.enable();
    await new Promise((resolve) => setTimeout(resolve, 3 * RESOLUTION_MS)); // the histogram needs a first tick
    delay.reset();
    before = { heap: process.memoryUsage().heapUsed, rss: status('VmRSS'), thread: threadMicroseconds() };
    before.loop = performance.eventLoopUtilization();
  },

  async stop() {
    const thread = threadMicroseconds() - before.thread;
    const { active } = performance.eventLoopUtilization(before.loop);
    await new Promise((resolve) => setTimeout(resolve, 3 * RESOLUTION_MS)); // so that the last block is counted
    delay.disable();
    const cost = {
      cpuMs: thread / 1000,
      activeMs: active,
      blockMs: Math.max(0, delay.count === 0 ? 0 : delay.max / 1e6 - RESOLUTION_MS),
    };
    if (collections !== undefined) {
      const { statistics } = collections.stop();
      const heaps = statistics.flatMap(({ beforeGC, afterGC }) =>
        [beforeGC, afterGC].map((gc) => gc.heapStatistics.usedHeapSize),
      );
      cost.heapMb = (Math.max(process.memoryUsage().heapUsed, ...heaps) - before.heap) / 2 ** 20;
      const kept = statistics.map(({ afterGC }) => afterGC.heapStatistics.usedHeapSize);
      cost.keptMb = Math.max(0, ...kept.map((bytes) => bytes - before.heap)) / 2 ** 20;
      cost.rssMb = Math.max(0, status('VmHWM') - before.rss) / 2 ** 10;
      collections = undefined;
    }
    if (inspector !== undefined) {
      const { profile } = await inspector.post('Profiler.stop');
      inspector.disconnect();
      inspector = undefined;
      cost.profile = profile;
    }
    return cost;
  },

  async end() {
    await listening.stop({ graceMs: 0 });
    await app.close();
    process.disconnect();
  },
};

/** A line of /proc/self/status in KiB; 0 where there is none. */
function status(name) {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Makes VmHWM count from now (Linux). */
function resetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // elsewhere the peak is not known
  }
}

process.on('message', async ({ command, ...options }) => {
  process.send({ done: command, ...(await commands[command](options)) });
});
process.on('disconnect', () => process.exit());
process.send({ port: listening.port, tokens });
