/**
 * `--count`: what a request costs in numbers that no neighbour on the machine changes. Instructions of the gateway's main
 * thread, by Valgrind's Callgrind; bytes that it allocates on V8's heap, sampled by its inspector; system calls, by strace.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Lab } from '../evidence/lab/lab.js';
import { type Inspector, openInspector } from './profile.js';
import type { Stage } from './stage.js';
import { row, shown } from './tables.js';
import type { Work } from './work.js';

const run = promisify(execFile);

/** Of one request */
export interface Counts {
  work: string;
  instructions: number;
  /** Of V8's heap: bytes */
  allocated: number;
  systemCalls: number;
}

/** Under Valgrind a request takes 50 times as long. More at a time would wait until their budgets are spent. */
const CONNECTIONS = 16;
/** Until V8 compiles nothing any more: one sends what a busy gateway answers in a few seconds */
const WARM_UP = 20_000;
const BATCH = 1_000;
/** The least of them counts: a compilation or a collection only adds. */
const BATCHES = 6;
/** What the gateway does by itself, such as asking whether PostgreSQL is there, is counted so long, and taken away. */
const IDLE_MS = 4_000;
/** Above this, the counts of two commits are apart. */
export const APART = 0.02;

/** What starts a gateway so that its instructions can be counted. It counts nothing before it is asked to. */
function underCallgrind(folder: string): string[] {
  return [
    ...['valgrind', '--quiet', '--tool=callgrind', '--instr-atstart=no', '--separate-threads=yes'],
    '--smc-check=all-non-file', // V8 writes code while it runs
    '--trace-children=yes', // the command is a script that becomes Node
    `--callgrind-out-file=${join(folder, 'callgrind.%p')}`,
  ];
}

/**
 * @param stage its gateway has the inspector at this port
 * @param worksOf the works as a gateway answers them
 */
export async function countAll(
  lab: Lab,
  stage: Stage,
  inspectorPort: number,
  worksOf: (stage: Stage) => Promise<Work[]>,
): Promise<Counts[]> {
  const gateway = await stage.gateways.start({}, { wrapper: underCallgrind(lab.folder) });
  const slow = { ...stage, gateway, gatewayPid: gateway.process.pid ?? 0 };
  const ofSlow = await worksOf(slow);
  const inspector = await openInspector(inspectorPort);
  const found: Counts[] = [];
  for (const [i, work] of (await worksOf(stage)).entries()) {
    const counted = ofSlow[i];
    if (work.send === undefined || counted === undefined) continue;
    await send(work, WARM_UP);
    const allocated = await allocatedBy(inspector, work);
    const systemCalls = await systemCallsOf(work, stage.gatewayPid, lab.folder);
    const instructions = await instructionsOf(counted, slow.gatewayPid, lab.folder);
    if (![instructions, allocated, systemCalls].every((count) => count > 0))
      throw new Error(`${work.name}: not counted`);
    found.push({ work: work.name, instructions, allocated, systemCalls });
  }
  inspector.close();
  return found;
}

async function send(work: Work, requests: number): Promise<void> {
  await (await work.send?.(CONNECTIONS, requests))?.();
}

async function instructionsOf(work: Work, pid: number, folder: string): Promise<number> {
  const ask = (...words: string[]) => run('vgdb', [`--pid=${pid}`, ...words]);
  const counted = async (during: () => Promise<unknown>): Promise<{ instructions: number; ms: number }> => {
    await ask('instrumentation', 'on');
    await ask('zero');
    const sinceMs = performance.now();
    await during();
    const ms = performance.now() - sinceMs;
    await ask('dump');
    await ask('instrumentation', 'off');
    return { instructions: takeDump(folder, pid), ms };
  };
  await send(work, WARM_UP);
  const idle = await counted(() => sleep(IDLE_MS));
  const found: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const ready = await work.send?.(CONNECTIONS, BATCH);
    const { instructions, ms } = await counted(async () => ready?.());
    found.push((instructions - (idle.instructions * ms) / idle.ms) / BATCH);
  }
  return Math.min(...found);
}

/** Instructions of the main thread in the dump, which is removed. */
function takeDump(folder: string, pid: number): number {
  let instructions = 0;
  for (const name of readdirSync(folder).filter((each) => each.startsWith(`callgrind.${pid}.`))) {
    const file = join(folder, name);
    if (name.endsWith('-01')) instructions = Number(/^totals: (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1]);
    rmSync(file);
  }
  return instructions;
}

/** A tree of call sites, each with the bytes that it has allocated itself (the protocol of V8's inspector). */
interface Sampled {
  selfSize: number;
  children: Sampled[];
}

async function allocatedBy(inspector: Inspector, work: Work): Promise<number> {
  const all = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await inspector.call('HeapProfiler.startSampling', { samplingInterval: 4_096, ...all });
  await send(work, BATCH);
  const { profile } = (await inspector.call('HeapProfiler.stopSampling')) as { profile: { head: Sampled } };
  const bytesOf = ({ selfSize, children }: Sampled): number =>
    children.reduce((sum, child) => sum + bytesOf(child), selfSize);
  return bytesOf(profile.head) / BATCH;
}

async function systemCallsOf(work: Work, pid: number, folder: string): Promise<number> {
  const file = join(folder, 'strace');
  const strace = spawn('strace', ['-f', '-c', '-o', file, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const attached = createInterface(strace.stderr);
  await once(attached, 'line');
  await send(work, BATCH);
  const ended = once(strace, 'exit');
  strace.kill('SIGINT');
  await ended;
  return callsIn(readFileSync(file, 'utf8')) / BATCH;
}

/** The fourth column of strace's last line, `calls` */
export function callsIn(summary: string): number {
  return Number(/^.* total$/m.exec(summary)?.[0].trim().split(/\s+/)[3]);
}

/** Markdown. @param before counts of another commit, on the same machine */
export function countsTable(counts: readonly Counts[], before?: readonly Counts[]): string {
  const cell = (now: number, then: number | undefined): string =>
    then === undefined ? shown(now) : `${shown(now)} (${shown((now / then - 1) * 100, 2)} %)`;
  return [
    row('work', 'instructions', 'bytes of V8', 'system calls'),
    row('---', '--:', '--:', '--:'),
    ...counts.map(({ work, instructions, allocated, systemCalls }) => {
      const then = before?.find((each) => each.work === work);
      const cells = [cell(instructions, then?.instructions), cell(allocated, then?.allocated)];
      return row(work, ...cells, cell(systemCalls, then?.systemCalls));
    }),
  ].join('\n');
}

/** Works that have more instructions than before. The other two counts vary by some per cent, and show where to look. */
export function grown(counts: readonly Counts[], before: readonly Counts[]): string[] {
  return counts.flatMap(({ work, instructions }) => {
    const then = before.find((each) => each.work === work)?.instructions;
    return then !== undefined && instructions > then * (1 + APART) ? [work] : [];
  });
}
