/** A backup that is taken while clients log in, refresh and log out, restored into a new database. (Interface 9) */
import { join } from 'node:path';
import type { Experiment, Row } from '../experiment.js';
import { logout, refresh } from '../lab/browser.js';
import { startClients } from '../lab/clients.js';
import { prepareGateways } from '../lab/gateways.js';
import { upTo } from '../lab/lanes.js';
import { joinEmbedded, type Postgres, startPostgres } from '../lab/postgres.js';
import { logInAt } from '../lab/probes.js';
import { createUsers } from '../lab/users.js';

const CLIENTS = 8;
/** Sessions that nobody touches once the export has begun: a third each is new, refreshed, logged out */
const SETTLED = { small: 12, full: 60 };
const ROUNDS = { small: 1, full: 5 };
/** Acknowledged requests before an export */
const BEFORE = { small: 30, full: 300 };
/** Rows of a table that is read between sessions and events, so that much happens between those two */
const ROWS_BETWEEN = { small: 80_000, full: 200_000 };

export const backup: Experiment = {
  name: 'backup',
  mutants: [
    {
      name: 'each table is exported as of another moment',
      file: 'src/archive/export.ts',
      from: "'begin isolation level repeatable read read only'",
      to: "'begin isolation level read committed read only'",
      foundBy: /^sessions of a restored database in no possible state/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instances = await Promise.all([gateways.start(), gateways.start()]);
    const emails = await createUsers(gateways, db, CLIENTS);
    const url = instances[0].url;
    await db.query(
      `insert into rate_limits (key, points, expire)
       select 'evidence:' || n, 1, (extract(epoch from now()) + 86400) * 1000 from generate_series(1, $1::integer) as n`,
      [ROWS_BETWEEN[size]],
    );
    const live: Row = {
      what: 'acknowledged sessions lost by a restore',
      trials: 0,
      least: (ROUNDS[size] * SETTLED[size] * 2) / 3,
      violations: 0,
    };
    const ended: Row = {
      what: 'acknowledged logouts undone by a restore',
      trials: 0,
      least: (ROUNDS[size] * SETTLED[size]) / 3,
      violations: 0,
    };
    const torn: Row = {
      what: 'sessions of a restored database in no possible state',
      trials: 0,
      least: ROUNDS[size] * SETTLED[size],
      violations: 0,
    };
    let during = 0;
    const clients = startClients(
      instances.map((instance) => instance.url),
      emails,
    );
    for (const round of upTo(ROUNDS[size])) {
      lab.say(`backup under load, ${round + 1} of ${ROUNDS[size]}`);
      const settled = await settle(url, emails[0] ?? '', SETTLED[size]);
      await clients.work(BEFORE[size]);
      const before = clients.acknowledged();
      const file = join(lab.folder, `${round}.export`);
      await gateways.cli('database', 'export', '--out', file);
      during += clients.acknowledged() - before;

      const dataDir = join(lab.folder, `restored-${round}`);
      const joined = joinEmbedded(lab, dataDir);
      const there = gateways.with({ DATABASE_URL: 'embedded', DATA_DIR: dataDir });
      await there.cli('database', 'import', file);
      const restored = await there.start();
      const { families, wrong } = await stateOf(await joined());
      torn.trials += families;
      torn.violations += wrong;
      for (const { token, isLive } of settled) {
        const { status } = await refresh(restored.url, token);
        const row = isLive ? live : ended;
        row.trials += 1;
        if (status !== (isLive ? 200 : 401)) row.violations += 1;
      }
      await restored.kill('SIGTERM');
    }
    await clients.stop();
    if (during === 0) throw new Error('nothing was acknowledged during the exports: there was no load');
    live.figures = { backups: ROUNDS[size], acknowledged_during_exports: during };
    return [live, ended, torn];
  },
};

/** Tokens whose state was acknowledged. */
async function settle(url: string, email: string, count: number): Promise<Array<{ token: string; isLive: boolean }>> {
  const settled: Array<{ token: string; isLive: boolean }> = [];
  for (const i of upTo(count)) {
    const { cookie, status: ofLogin } = await logInAt(url, email);
    if (cookie === undefined) throw new Error(`a login was answered ${ofLogin}`);
    if (i % 3 === 0) settled.push({ token: cookie, isLive: true });
    if (i % 3 === 1) {
      const { cookie: next, status } = await refresh(url, cookie);
      if (next === undefined) throw new Error(`a refresh was answered ${status}`);
      settled.push({ token: next, isLive: true });
    }
    if (i % 3 === 2) {
      const { status } = await logout(url, cookie);
      if (status !== 200) throw new Error(`a logout was answered ${status}`);
      settled.push({ token: cookie, isLive: false });
    }
  }
  return settled;
}

/**
 * Of one moment: a family has one record that was not replaced by another, a session is there with the event that records
 * of its login, and a logout with its record.
 */
async function stateOf(db: Postgres): Promise<{ families: number; wrong: number }> {
  const [found] = await db.query<{ families: number; torn: number; unaudited: number; unended: number }>(`
    with families as (
      select family_id, count(*) filter (where revoked_reason is distinct from 'rotated') as newest
      from refresh_tokens group by family_id
    )
    select (select count(*)::integer from families) as families,
      (select count(*)::integer from families full join sessions using (family_id)
       where newest is distinct from 1 or sessions.family_id is null) as torn,
      abs((select count(*) from sessions) - (select count(*) from audit_events where event_type = 'login_success'))::integer
        as unaudited,
      (select count(*)::integer from refresh_tokens where revoked_reason = 'logout' and not revoked) as unended`);
  if (found === undefined || found.families === 0) throw new Error('nothing was restored');
  return { families: found.families, wrong: found.torn + found.unaudited + found.unended };
}
