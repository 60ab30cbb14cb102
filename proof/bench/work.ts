/** A work, and how its CPU is measured apart from that of others. */
import { withDescendants } from '../evidence/lab/program.js';
import type { Counted, Edge } from './closed-loop.js';
import { cpuMicros, microsBesideHashing } from './cpu.js';
import type { Stage } from './stage.js';

/** What a slice has measured of one thing */
export interface Row {
  what: string;
  connections?: number;
  /** Answers a second */
  rate?: number;
  medianMs?: number;
  p99Ms?: number;
  /** Logins refused by a full queue (503) */
  refused?: number;
  /** CPU of each answer: microseconds, of the gateway or what stands in its place */
  serverUs?: number;
  /** The same without the threads that hash passwords */
  besideHashUs?: number;
  /** The same of all of PostgreSQL */
  postgresUs?: number;
}

export interface Part {
  connections?: number;
  /** Makes what a slice needs, such as signatures, while nothing is measured. @returns what runs the slice */
  prepare(seconds: number): Promise<Run>;
}

export type Run = () => Promise<Row[]>;

export interface Work {
  /** As `--only` takes it */
  name: string;
  parts: Part[];
  /** What takes long has slices that are so many times as long; 1 by default */
  stretch?: number;
  /** Of works that the gateway answers: `--profile` and `--count` look at them. @returns what sends so many requests */
  send?(connections: number, requests: number): Promise<() => Promise<void>>;
}

export const CONNECTIONS = [1, 4, 16, 64, 256] as const;
export type Connections = (typeof CONNECTIONS)[number];
/** The number that most goals are of */
export const JUDGED = 64;
/** Connections are open before. This long they are used before anything counts. */
export const LEAD_IN_MS = 300;
/** Of the works that wait for a password's hash, of which there are about fifty a second */
export const PASSWORD_STRETCH = 3;

/**
 * What is measured at these numbers of connections.
 * @param what also the name of the work
 * @param prepare see `Part`; what it returns measures the slice
 */
export function workAt(
  what: string,
  prepare: (connections: Connections, seconds: number) => Promise<() => Promise<Omit<Row, 'what'>>>,
  numbers: readonly Connections[] = CONNECTIONS,
): Work {
  const parts = numbers.map((connections) => ({
    connections,
    prepare: async (seconds: number): Promise<Run> => {
      const measure = await prepare(connections, seconds);
      return async () => [{ what, connections, ...(await measure()) }];
    },
  }));
  return { name: what, parts };
}

/** A slice of the part at most connections that goals are of, if its figures are not wanted. */
export async function runOnce({ parts }: Work, seconds: number): Promise<void> {
  const part = parts.find(({ connections }) => connections === JUDGED) ?? parts.at(-1);
  await (await part?.prepare(seconds))?.();
}

/** Tokens that serve slice after slice: the successors of one slice begin the next. */
export interface Sessions {
  /** @returns new ones if the last slice did not end well */
  take(): Promise<string[]>;
  giveBack(live: string[]): void;
}

export function sessionsOf(mint: () => Promise<string[]>): Sessions {
  let live: string[] | undefined;
  return {
    take: async () => {
      const taken = live ?? (await mint());
      live = undefined;
      return taken;
    },
    giveBack: (successors) => {
      live = successors;
    },
  };
}

/** Half a second may pass without an answer if strangers take the machine. */
export class Unanswered extends Error {
  constructor() {
    super('nothing was answered');
  }
}

/**
 * Runs a load and says what its answers have cost.
 * @param pid of the process that gives them
 * @throws {Unanswered} or the error of the load
 */
export async function costOf(
  { postgres: { postmaster } }: Pick<Stage, 'postgres'>,
  pid: number,
  run: (onEdge: (edge: Edge) => void) => Promise<Counted>,
): Promise<Omit<Row, 'what'>> {
  const looks: Array<{ server: number; besideHash: number | undefined; postgres: number | undefined }> = [];
  const { rate, medianMs, p99Ms, refused, answers } = await run(() => {
    const postgres = postmaster === undefined ? undefined : cpuMicros(withDescendants(postmaster));
    looks.push({ server: cpuMicros([pid]), besideHash: microsBesideHashing(pid), postgres });
  });
  const [began, ended] = looks;
  if (began === undefined || ended === undefined || answers === 0) throw new Unanswered();
  return {
    ...{ rate, medianMs, p99Ms },
    ...(refused !== undefined && { refused }),
    serverUs: (ended.server - began.server) / answers,
    ...(ended.besideHash !== undefined && { besideHashUs: (ended.besideHash - (began.besideHash ?? 0)) / answers }),
    ...(ended.postgres !== undefined && { postgresUs: (ended.postgres - (began.postgres ?? 0)) / answers }),
  };
}
