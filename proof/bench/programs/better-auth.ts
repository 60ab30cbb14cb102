/**
 * Better Auth, on the same database, set up as its documentation advises for speed: joins, and in one of three ways of keeping
 * sessions its cookie cache. Its limits of requests are off, as those of the gateway are wide.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { peerModule } from './peer-module.js';
import { doTasks } from './task.js';

/** As the gateway has it for its routes */
const POOL_SIZE = 16;
const BASE_URL = 'http://localhost:3000';
const COOKIE = 'better-auth.session_token';
const secret = randomBytes(32).toString('hex');

/**
 * By the path that each is asked at. `read`: each question reads session and user. `cached`: both are in a signed cookie that
 * is believed for five minutes. `renewed`: each question moves the end of the session; its token stays the same.
 */
const WAYS = {
  read: {},
  cached: { cookieCache: { enabled: true, maxAge: 300 } },
  renewed: { updateAge: 0 },
} as const;
export type Way = keyof typeof WAYS;

export interface SessionsTask {
  way: Way;
  sessions: number;
}

/** What is used of the package, which is not among ours. */
interface Auth {
  handler(request: Request): Promise<Response>;
  $context: Promise<{
    internalAdapter: {
      createUser(user: object): Promise<{ id: string }>;
      createSession(userId: string): Promise<{ token: string }>;
    };
  }>;
}
const { betterAuth } = await peerModule<{ betterAuth(options: object): Auth }>('index.mjs');
const { toNodeHandler } = await peerModule<{ toNodeHandler(auth: Auth): RequestListener }>('integrations/node.mjs');
const { getMigrations } = await peerModule<{
  getMigrations(options: object): Promise<{ runMigrations(): Promise<void> }>;
}>('db/get-migration.mjs');

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: POOL_SIZE });
const optionsOf = (way: Way) => ({
  ...{ baseURL: BASE_URL, basePath: `/${way}`, secret, database: pool, session: WAYS[way] },
  ...{ advanced: { database: { joins: true } }, rateLimit: { enabled: false } },
});
await (await getMigrations(optionsOf('read'))).runMigrations();
// With free space on each page, as the gateway's table of refresh tokens has it.
await pool.query('alter table session set (fillfactor = 85)');

const auths = {
  read: betterAuth(optionsOf('read')),
  cached: betterAuth(optionsOf('cached')),
  renewed: betterAuth(optionsOf('renewed')),
};
const { internalAdapter } = await auths.read.$context;
const user = await internalAdapter.createUser({ email: 'bench@example.com', name: 'Bench', emailVerified: true });

/** @returns what a browser sends as `Cookie` */
async function beginSession(way: Way): Promise<string> {
  const { token } = await internalAdapter.createSession(user.id);
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  const cookie = `${COOKIE}=${encodeURIComponent(`${token}.${signature}`)}`;
  if (way !== 'cached') return cookie;
  const { headers } = await auths[way].handler(new Request(`${BASE_URL}/${way}/get-session`, { headers: { cookie } }));
  return [cookie, ...headers.getSetCookie().map((field) => field.split(';', 1)[0])].join('; ');
}

const handlers = Object.entries(auths).map(([way, auth]) => ({ path: `/${way}/`, handle: toNodeHandler(auth) }));
const server = createServer((req, res) => {
  handlers.find(({ path }) => req.url?.startsWith(path))?.handle(req, res);
}).listen(0, '127.0.0.1', () => {
  doTasks<SessionsTask, string[]>(
    ({ way, sessions }) => Promise.all(Array.from({ length: sessions }, () => beginSession(way))),
    (server.address() as AddressInfo).port,
  );
});
