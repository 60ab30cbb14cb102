/** A work, and how its CPU is measured apart from that of others. */
import { withDescendants } from '../evidence/lab/program.js';
import type { Counted, Edge } from './closed-loop.js';
import { cpuMicros } from './cpu.js';
import type { Stage } from './stage.js';

/** One line of the table, of one round */
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
  /** The same of all of PostgreSQL */
  postgresUs?: number;
}

export interface Work {
  /** As `--only` takes it */
  name: string;
  /** What is measured one by one, in this order */
  parts: Array<(seconds: number) => Promise<Row[]>>;
  /** Whether it is the gateway that answers: then `--profile` looks at it */
  isGateways?: boolean;
}

export const CONNECTIONS = [1, 16, 64] as const;
export const LEAD_IN_MS = 300;

/** What is measured at these numbers of connections. @param what also the name of the work */
export function workAt(
  what: string,
  measure: (connections: (typeof CONNECTIONS)[number], seconds: number) => Promise<Omit<Row, 'what'>>,
  numbers: ReadonlyArray<(typeof CONNECTIONS)[number]> = CONNECTIONS,
): Work {
  const parts = numbers.map((connections) => async (seconds: number): Promise<Row[]> => {
    return [{ what, connections, ...(await measure(connections, seconds)) }];
  });
  return { name: what, parts };
}

/** Runs a load and says what its answers have cost. @param pid of the process that gives them */
export async function costOf(
  { postgres: { postmaster } }: Pick<Stage, 'postgres'>,
  pid: number,
  run: (onEdge: (edge: Edge) => void) => Promise<Counted>,
): Promise<Omit<Row, 'what'>> {
  const looks: Array<{ server: number; postgres: number | undefined }> = [];
  const { answers, ...counted } = await run(() => {
    const postgres = postmaster === undefined ? undefined : cpuMicros(withDescendants(postmaster));
    looks.push({ server: cpuMicros([pid]), postgres });
  });
  const [began, ended] = looks;
  if (began === undefined || ended === undefined || answers === 0) throw new Error('nothing was answered');
  return {
    ...counted,
    serverUs: (ended.server - began.server) / answers,
    ...(ended.postgres !== undefined && { postgresUs: (ended.postgres - (began.postgres ?? 0)) / answers }),
  };
}
