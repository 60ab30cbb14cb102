/** The real application on a real PostgreSQL, driven over HTTP, with a clock that tests move. */
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http';
import pg from 'pg';
import { COMMAND_LINE } from '../../../src/admin/administer.js';
import { createUser, type NewUser } from '../../../src/admin/user-changes.js';
import type { ListedUser } from '../../../src/admin/users.js';
import { type Config, readConfig } from '../../../src/config/config.js';
import type { Passwords } from '../../../src/credentials/passwords/passwords.js';
import { listen, type SocketLimits } from '../../../src/http/server/listener.js';
import { createLogger } from '../../../src/platform/create-logger.js';
import type { Logger } from '../../../src/platform/logger.js';
import { type App, createApp, type Overrides } from '../../../src/start/compose.js';
import { createDatabase, KEYRING_FILE, required, type TestDatabase } from '../postgres/postgres.js';
import { type HandClock, handClock } from './clock.js';
import { quickPasswords } from './quick-passwords.js';

/** Limits that no test reaches by accident; a test of a limit sets its own. */
const ROOMY = { LOGIN_RATE_LIMIT: '1000000', REFRESH_RATE_LIMIT: '1000000', LOG_LEVEL: 'silent' };

export interface Instance {
  app: App;
  config: Config;
  /** Where it listens: http://127.0.0.1:PORT */
  url: string;
  /** One request with exactly these headers; cookies are the caller's business. */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface SendOptions {
  headers?: Record<string, string | string[]>;
  /** An object is sent as JSON, text and bytes as they are. */
  body?: unknown;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body, if it is JSON */
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back; each test asserts the shape it needs
  json: any;
  text: string;
  /** Every Set-Cookie field */
  cookies: string[];
}

export interface TestGateway extends Instance {
  clock: HandClock;
  /** Instances on the same database and clock; the first is the gateway itself. */
  instances: Instance[];
  /** Two of them for a race; throws if fewer were started. */
  two(): [Instance, Instance];
  database: TestDatabase;
  /** Queries the tables directly. */
  rows<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>;
  /** A user with a known password (`PASSWORD` unless given). */
  user(user?: Partial<NewUser>): Promise<ListedUser>;
}

export const PASSWORD = 'correct horse battery staple';

let users = 0;

export interface Setup {
  env?: Record<string, string>;
  instances?: number;
  clock?: HandClock;
  /** Infinity by default: a clock that a test has moved is believed. */
  maxSkewSeconds?: number;
  log?: Logger;
  /** Quick ones by default; `argon2` hashes as the gateway does. */
  passwords?: Passwords | 'argon2';
  sockets?: Partial<SocketLimits>;
  /** How often an idle outbox looks for work: milliseconds */
  outboxPollMs?: number;
  /** Times of streams of the audit log */
  live?: NonNullable<Overrides['live']>;
  /** Takes the lines of MAIL=log */
  print?: (line: string) => void;
}

/** Of a connection that PostgreSQL had ended before it read the query */
const IS_GONE = /57P01|EPIPE|ECONNRESET/;

/** Each idle connection may have been ended while the database was away, which the pool learns a moment later. */
async function rowsOf(pool: pg.Pool, text: string, values?: unknown[], connections = pool.options.max) {
  try {
    return (await pool.query(text, values)).rows;
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && IS_GONE.test(String(error.code));
    if (connections === 0 || !isGone) throw error;
    return rowsOf(pool, text, values, connections - 1);
  }
}

/** Starts instances on one fresh database. Close it in `afterAll` or `afterEach`. */
export async function startGateway(setup: Setup = {}): Promise<TestGateway> {
  const { instances = 1, clock = handClock() } = setup;
  const database = await createDatabase();
  const started: Instance[] = [];
  for (let i = 0; i < instances; i += 1) started.push(await startInstance(database, { ...setup, clock }));
  const [first] = started;
  if (first === undefined) throw new Error('at least one instance');
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined); // tests take the database away
  return {
    ...first,
    clock,
    instances: started,
    two: () => {
      const [one, two] = started;
      if (one === undefined || two === undefined) throw new Error(`two instances, and ${started.length} started`);
      return [one, two];
    },
    database,
    rows: (text, values) => rowsOf(pool, text, values),
    user: ({ email, password = PASSWORD, role = 'viewer' } = {}) => {
      users += 1;
      const { app } = started[0] ?? first; // a test may put another in the place of one that it has ended
      return createUser(app, COMMAND_LINE, { email: email ?? `user${users}@example.com`, password, role });
    },
    close: async () => {
      for (const instance of [...started]) await instance.close();
      await pool.end();
      await database.drop();
    },
  };
}

/** One more instance on a database that exists. */
export async function startInstance(
  database: TestDatabase,
  {
    env = {},
    clock = handClock(),
    maxSkewSeconds = Number.POSITIVE_INFINITY,
    log = createLogger('silent'),
    passwords = quickPasswords(),
    sockets,
    outboxPollMs,
    live,
    print = () => undefined,
  }: Omit<Setup, 'instances'>,
): Promise<Instance> {
  const config = readConfig({
    ...ROOMY,
    DATABASE_URL: 'postgresql://unused', // the socket's URL is no part of what users configure
    KEYRING_FILE: required(KEYRING_FILE),
    ...env,
  });
  const overrides = {
    clock,
    maxSkewSeconds,
    log,
    print,
    ...(outboxPollMs && { outboxPollMs }),
    ...(live && { live }),
    ...(passwords === 'argon2' ? {} : { passwords }),
  };
  const app = await createApp(config, database.url, overrides);
  const listening = await listen(app, '127.0.0.1', 0, sockets);
  const url = `http://127.0.0.1:${listening.port}`;
  return {
    app,
    config: { ...config, port: listening.port }, // a command with this configuration asks this gateway
    url,
    send: (method, path, options) => send(url, method, path, options),
    close: async () => {
      await listening.stop({ graceMs: 0 });
      await app.close();
    },
  };
}

/** node:http rather than fetch, which adds headers of its own and forbids others. */
export function send(origin: string, method: string, path: string, options?: SendOptions): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return sendBy(request, { hostname, port, path, method }, options);
}

/** By http or https, on a new connection. @param to the address and the options of the request */
export function sendBy<To extends RequestOptions>(
  begin: (to: To, onAnswer: (res: IncomingMessage) => void) => ClientRequest,
  to: To,
  { headers = {}, body }: SendOptions = {},
): Promise<Answer> {
  const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const type = body !== undefined && bytes !== body ? { 'content-type': 'application/json' } : {};
  const length = bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) };
  return new Promise((resolve, reject) => {
    const sent = begin({ ...to, headers: { ...type, ...length, ...headers }, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const isJson = /json\b/.test(res.headers['content-type'] ?? '');
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          text,
          json: isJson && text !== '' ? JSON.parse(text) : undefined,
          cookies: res.headers['set-cookie'] ?? [],
        });
      });
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
}

/** The refresh token that an answer sets, or undefined if it sets none, or clears the cookie. */
export function refreshTokenOf(answer: Answer): string | undefined {
  const value = answer.cookies.map((cookie) => /^refresh_token=([^;]*)/.exec(cookie)?.[1]).find(Boolean);
  return value === '' ? undefined : value;
}

/** Logs in. @returns the refresh token @throws if the login fails */
export async function logIn(
  gateway: Instance,
  email: string,
  password = PASSWORD,
): Promise<{ answer: Answer; refreshToken: string }> {
  const answer = await gateway.send('POST', '/auth/login', { body: { email, password } });
  const refreshToken = refreshTokenOf(answer);
  if (refreshToken === undefined) throw new Error(`login answered ${answer.status} ${answer.text}`);
  return { answer, refreshToken };
}

/** The claims of a JWT, not verified. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}
