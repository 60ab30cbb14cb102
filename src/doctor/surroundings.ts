/** `doctor`: what the checks look at. The database is opened once for all of them; nothing is changed. (Interface 9) */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { availableParallelism, totalmem } from 'node:os';
import { TLSSocket } from 'node:tls';
import pLimit from 'p-limit';
import type { Config } from '../config/config.js';
import { openDatabase } from '../db/database.js';
import { schemaState } from '../db/migrate.js';
import { unprepared } from '../db/run.js';
import type { Db } from '../db/statement.js';
import type { Clock } from '../platform/clock.js';
import { type LoginPolicy, parseLoginPolicy } from '../rate-limits/login-policy.js';

export interface Surroundings extends DatabaseSurroundings {
  clock: Clock;
  config: Config;
  machine: Machine;
  /** True in the gateway itself. A command has the configuration of its shell, and a running gateway may have another. */
  isGateway: boolean;
  /** Aborted when nobody waits any more. */
  signal: AbortSignal;
}

interface DatabaseSurroundings {
  /** Opens it at the first call. @throws {DatabaseUnavailable} */
  database(): Promise<OpenedDatabase>;
  /** The same, if its tables are those of this version or newer ones. @throws {DatabaseUnavailable} */
  tables(): Promise<Db>;
}

export interface OpenedDatabase {
  /** One connection, which the checks use in turn, because a running gateway may leave no more. */
  db: Db;
  /** The driver's client of that connection */
  client: DriverClient;
}

/** What the published types of the driver leave out. */
interface DriverClient {
  /** Process id of the server, as sent when the connection began */
  processID: number;
  connection: { stream: { encrypted?: boolean; authorized?: boolean; remoteAddress?: string } };
}

/** The database cannot be opened, or lacks tables. The check `database` reports why; the others report nothing. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/**
 * @param locate finds its URL; it may start or join the embedded server
 * @param signal after which it is no longer opened
 */
export function databaseOf(
  config: Config,
  locate: () => Promise<string>,
  signal: AbortSignal,
  cleanUp: AsyncDisposableStack,
): DatabaseSurroundings {
  let opened: Promise<OpenedDatabase> | undefined;
  const open = async (): Promise<OpenedDatabase> => {
    const { pool, close } = await openDatabase(await locate(), { pooler: config.databasePooler });
    if (signal.aborted) await close();
    signal.throwIfAborted();
    cleanUp.defer(close);
    const client = await pool.connect();
    cleanUp.defer(() => client.release(true));
    const inTurn = pLimit(1);
    const db = unprepared((query) => inTurn(() => client.query(query)));
    return { db, client: client as unknown as DriverClient };
  };
  const database = (): Promise<OpenedDatabase> => {
    opened ??= open().catch((cause: unknown) => {
      throw new DatabaseUnavailable('the database cannot be opened', { cause });
    });
    return opened;
  };
  const tables = async (): Promise<Db> => {
    const { db } = await database();
    if ((await schemaState(db)) === 'behind') throw new DatabaseUnavailable('the database lacks tables');
    return db;
  };
  return { database, tables };
}

/** The machine or container, as this process has it. */
export interface Machine {
  cores: number;
  /** Of the machine, or of the container if that has less: MiB */
  memoryMib: number;
  /** Files and connections that this process may have open */
  openFiles: number;
  /** The user of this process; 0: root */
  uid: number;
}

/** In bytes */
export const MIB = 2 ** 20;

export function readMachine(): Machine {
  const constrained = process.constrainedMemory(); // 0: not constrained
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  const [, files = 'unlimited'] = /^Max open files\s+(\w+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return {
    cores: availableParallelism(),
    memoryMib: Math.floor(bytes / MIB),
    openFiles: files === 'unlimited' ? Number.POSITIVE_INFINITY : Number(files),
    uid: process.geteuid?.() ?? 0,
  };
}

/** The answer to one request, as a client of the gateway would make it. */
export interface Answer {
  status: number;
  /** Of a redirect, which is not followed */
  location: string | undefined;
  /** The login limit of the gateway, if one answers */
  loginPolicy: LoginPolicy | undefined;
  /** Whole seconds (RFC 9110 section 6.6.1) */
  date: Date | undefined;
  /** The body; undefined if it is not JSON, or longer than MAX_BYTES */
  json: unknown;
  /** When the certificate ends; undefined without TLS */
  validTo: Date | undefined;
}

const WITHIN_MS = 4_000;
const MAX_BYTES = 2 ** 20;

/** @throws the error of the system or of TLS, which has a `code`, or of the signal */
export async function ask(url: string, signal: AbortSignal, headers = {}): Promise<Answer> {
  const options = {
    headers,
    signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
    agent: false as const,
  };
  const isTls = url.startsWith('https:');
  // A resumed TLS session would show no certificate.
  const agent = new Agent({ maxCachedSessions: 0 });
  const asked = isTls ? requestHttps(url, { ...options, agent }) : requestHttp(url, options);
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const { socket, statusCode = 0 } = answer;
  const validTo = socket instanceof TLSSocket ? new Date(socket.getPeerCertificate().valid_to) : undefined;
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_BYTES) break;
  }
  const loginPolicy = parseLoginPolicy(answer.headers['ratelimit-policy']);
  const { date, location } = answer.headers;
  return { status: statusCode, location, loginPolicy, date: instantOf(date), json: parse(text), validTo };
}

function instantOf(text = ''): Date | undefined {
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
