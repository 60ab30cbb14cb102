/** A disk of a few megabytes or less, as for PostgreSQL, if one can be mounted. */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestGateway } from '../gateway/gateway.js';
import { until } from '../until.js';
import { asSuperuser } from './postgres.js';

const mount = (folder: string, size = '4m') =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', folder]).status === 0;

/** By trying: it takes more than the rights of root. */
export const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-disk-'));
  const mounted = mount(folder);
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
})();

/** A disk of this size at a folder, until the scope ends. */
export function mountDisk(folder: string, size: string): Disposable & { grow(size: string): void } {
  if (!mount(folder, size)) throw new Error(`nothing can be mounted at ${folder}`);
  return {
    grow: (to) => void spawnSync('mount', ['-o', `remount,size=${to}`, folder]),
    [Symbol.dispose]: () => void spawnSync('umount', [folder]),
  };
}

export interface SmallDisk extends AsyncDisposable {
  /** Leaves no room for another page. */
  fill(): Promise<void>;
  empty(): Promise<void>;
}

/** Moves a table and its indexes to a disk of their own, until the scope ends. */
export async function moveToSmallDisk({ database, rows }: TestGateway, table: string): Promise<SmallDisk> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-disk-'));
  if (!mount(folder)) throw new Error(`nothing can be mounted at ${folder}`);
  const [server] = await asSuperuser<{ data: string }>(`select current_setting('data_directory') as data`);
  const { uid, gid } = statSync(server?.data ?? '');
  chownSync(folder, uid, gid);
  const name = `small_${database.name}`;
  const indexes = await rows<{ name: string }>('select indexname as name from pg_indexes where tablename = $1', [
    table,
  ]);
  const move = async (to: string): Promise<void> => {
    await rows(`alter table ${table} set tablespace ${to}`);
    for (const index of indexes) await rows(`alter index ${index.name} set tablespace ${to}`);
  };
  await asSuperuser(`create tablespace ${name} location '${folder}'`);
  await asSuperuser(`grant create on tablespace ${name} to public`);
  await move(name);
  return {
    fill: async () => {
      await rows(`create table filling (bytes text) tablespace ${name}`);
      // Random, so that nothing is compressed; in ever smaller pieces, down to less than a page.
      for (const lines of [4_096, 32]) {
        const insert = `insert into filling select string_agg(md5(random()::text), '') from generate_series(1, ${lines})`;
        while (await fits(rows(insert)));
      }
    },
    empty: async () => void (await rows('drop table filling')),
    [Symbol.asyncDispose]: async () => {
      await rows('drop table if exists filling');
      await move('pg_default');
      await asSuperuser(`drop tablespace ${name}`);
      await until('PostgreSQL has closed its files', () => spawnSync('umount', [folder]).status === 0);
      rmSync(folder, { recursive: true });
    },
  };
}

async function fits(insert: Promise<unknown>): Promise<boolean> {
  return insert.then(
    () => true,
    (error: { code?: string }) => {
      if (error.code === '53100') return false;
      throw error;
    },
  );
}
