/** `--profile`: how the main thread of the gateway spends its time in each work, by its inspector. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runOnce, type Work } from './work.js';

/** As V8 writes them into a `.cpuprofile`; times are microseconds. */
export interface Profile {
  nodes: Array<{ id: number; callFrame: Frame; children?: number[] }>;
  samples: number[];
  timeDeltas: number[];
}

/** Of native code and of V8 itself the address is empty. */
interface Frame {
  functionName: string;
  url: string;
  /** Both from 0 */
  lineNumber: number;
  columnNumber: number;
}

export interface Share {
  what: string;
  /** Of the time in which it did anything */
  share: number;
}

/** Below this share nothing is shown. */
const LEAST_SHARE = 0.02;
const SAMPLE_MICROS = 250;

export interface Inspector {
  call(method: string, params?: object): Promise<Record<string, unknown>>;
  close(): void;
}

/** @param port of a Node that runs with `--inspect` */
export async function openInspector(port: number): Promise<Inspector> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as Array<{
    webSocketDebuggerUrl: string;
  }>;
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
  await once(socket, 'open');
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: Record<string, unknown> };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let last = 0;
  return {
    call: (method, params = {}) => {
      last += 1;
      const answered = new Promise<Record<string, unknown>>((resolve) => waiting.set(last, resolve));
      socket.send(JSON.stringify({ id: last, method, params }));
      return answered;
    },
    close: () => socket.close(),
  };
}

/**
 * Runs a work as goals are of it, at 64 connections.
 * @param file for the profile, to be read by other tools
 * @returns two tables in Markdown
 */
export async function profileOf(inspector: Inspector, work: Work, seconds: number, file: string): Promise<string> {
  await runOnce(work, seconds / 2); // so that it is compiled
  await inspector.call('Profiler.enable');
  await inspector.call('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
  await inspector.call('Profiler.start');
  await runOnce(work, seconds);
  const { profile } = (await inspector.call('Profiler.stop')) as { profile?: Profile };
  if (profile === undefined) throw new Error('the inspector gave no profile');
  const placed = inSources(profile);
  writeFileSync(file, JSON.stringify(placed));
  const { functions, packages } = sharesOf(placed);
  return `${work.name}: ${file}\n\n${tableOf('function', functions)}\n\n${tableOf('package', packages)}\n`;
}

/** The same with functions of the bundle in the files that they come from, by its source maps. */
export function inSources(profile: Profile): Profile {
  const maps = new Map<string, SourceMap | undefined>();
  const placed = (frame: Frame): Frame => {
    if (!maps.has(frame.url)) maps.set(frame.url, mapOf(frame.url));
    const found = maps.get(frame.url)?.findEntry(frame.lineNumber, frame.columnNumber);
    if (found === undefined || !('originalSource' in found)) return frame;
    const { originalSource, originalLine, originalColumn } = found;
    return {
      ...frame,
      url: new URL(originalSource, frame.url).href,
      lineNumber: originalLine,
      columnNumber: originalColumn,
    };
  };
  return { ...profile, nodes: profile.nodes.map((node) => ({ ...node, callFrame: placed(node.callFrame) })) };
}

function mapOf(url: string): SourceMap | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = `${fileURLToPath(url)}.map`;
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

/** Shares of self time, the largest first, without idle time. */
export function sharesOf({ nodes, samples, timeDeltas }: Profile): { functions: Share[]; packages: Share[] } {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const callers = new Map(nodes.flatMap(({ children = [], callFrame }) => children.map((id) => [id, callFrame])));
  const functions = new Map<string, number>();
  const packages = new Map<string, number>();
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)') continue;
    const micros = timeDeltas[index] ?? 0;
    const name = nameOf(frame, callers.get(id));
    const its = packageOf(frame);
    functions.set(name, (functions.get(name) ?? 0) + micros);
    packages.set(its, (packages.get(its) ?? 0) + micros);
    total += micros;
  }
  const shares = (of: Map<string, number>): Share[] =>
    [...of]
      .map(([what, micros]) => ({ what, share: micros / total }))
      .filter(({ share }) => share >= LEAST_SHARE)
      .sort((left, right) => right.share - left.share);
  return { functions: shares(functions), packages: shares(packages) };
}

/** A native function says little without who called it. */
function nameOf({ functionName, url, lineNumber }: Frame, caller: Frame | undefined): string {
  if (functionName.startsWith('(')) return functionName; // V8 itself, such as its garbage collector
  if (url === '')
    return `${functionName || '(anonymous)'} (native)${caller === undefined ? '' : `, called by ${nameOf(caller, undefined)}`}`;
  return `${functionName || '(anonymous)'} ${placeOf(url)}:${lineNumber + 1}`;
}

/** From the folder of the package, of the source or of the build on */
function placeOf(url: string): string {
  return url.replace(/^.*\/node_modules\//, 'node_modules/').replace(/^file:.*\/(?=(src|dist)\/)/, '');
}

function packageOf({ functionName, url }: Frame): string {
  const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(placeOf(url)) ?? [];
  if (name !== undefined) return name;
  if (functionName.startsWith('(')) return functionName;
  return /^(src|dist)\//.test(placeOf(url)) ? 'auth-gateway' : 'node';
}

function tableOf(what: string, shares: readonly Share[]): string {
  const rows = shares.map(({ what: name, share }) => `| ${name} | ${(share * 100).toFixed(1)} % |`);
  return [`| ${what} | self |`, '| --- | --: |', ...rows].join('\n');
}
