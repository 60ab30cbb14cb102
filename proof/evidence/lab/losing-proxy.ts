/** The proxy that loses one answer of PostgreSQL, between a gateway and its server. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type LosingProxy, startLosingProxy } from '../../../test/support/postgres/losing-proxy.js';
import type { Lab } from './lab.js';
import type { Postgres } from './postgres.js';

export type { LosingProxy, Loss } from '../../../test/support/postgres/losing-proxy.js';

/** How long a backend may take to end */
const TERMINATION_MS = 10_000;

/** Where PostgreSQL listens in the folder that is the host of a URL. */
function socketOf(url: string): string {
  return join(decodeURIComponent(new URL(url).hostname), '.s.PGSQL.5432');
}

/** @returns the URL of the same database through a proxy */
export async function proxyTo(lab: Lab, url: string): Promise<{ proxy: LosingProxy; url: string }> {
  const proxy = await startLosingProxy(socketOf(url));
  lab.defer(proxy.close);
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${proxy.port}`;
  return { proxy, url: proxied.href };
}

/** Takes the place of the socket of an embedded server, and ends the connections of its gateway, which connects anew. */
export async function proxyInPlace(lab: Lab, { url, query }: Postgres): Promise<LosingProxy> {
  const path = socketOf(url);
  const moved = `${path}0`;
  await rename(path, moved); // it still listens
  const proxy = await startLosingProxy(moved, path);
  lab.defer(proxy.close);
  const others = 'from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()';
  await query(`select pg_terminate_backend(pid, ${TERMINATION_MS}) ${others}`);
  return proxy;
}
