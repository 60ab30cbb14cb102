/**
 * Each operation alone is durable: nothing else writes, and the whole server is killed with -9 the moment the gateway
 * acknowledges. Under load others flush the write-ahead log for an operation that does not.
 */
import { join } from 'node:path';
import type { Experiment, Mutant, Row, Size } from '../experiment.js';
import { type Answer, ask } from '../lab/browser.js';
import { prepareGateways } from '../lab/gateways.js';
import { untilServed } from '../lab/journal.js';
import { mintSessions } from '../lab/minted.js';
import { postmasterOf } from '../lab/postgres-kills.js';
import { type PostgresServer, startPostgresServer } from '../lab/postgres-server.js';
import { accessTokenOf, logInAt, sendCookie } from '../lab/probes.js';
import { signal, withDescendants } from '../lab/program.js';
import { createUsers } from '../lab/users.js';

const KILLS = { small: 2, full: 100 } satisfies Record<Size, number>;
/** What was committed without a flush stays in the memory of the server for as long as it may, in milliseconds. */
const SETTINGS = { wal_writer_delay: '10000' };

/** Done once in a round. */
interface Act {
  what: string;
  /** @param token of a session that nothing was done with */
  act(token: string): Promise<Answer>;
  /** Whether it is still done */
  holds(token: string, answer: Answer): Promise<boolean>;
}

const UNFLUSHED = "set_config('synchronous_commit', 'off', true) = 'off'";

function notDurable(what: string, file: string, from: string, to: string): Mutant {
  return { name: `a ${what} is not durable`, file, from, to, foundBy: new RegExp(`^acknowledged ${what}s lost`) };
}

export const killsQuiet: Experiment = {
  name: 'kills-quiet',
  mutants: [
    notDurable(
      'login',
      'src/auth/sessions.ts',
      "'id = :user_id and is_active and password_version = :password_version'",
      `"id = :user_id and is_active and password_version = :password_version and ${UNFLUSHED}"`,
    ),
    notDurable(
      'rotation',
      'src/auth/sessions.ts',
      'where jti = :used and not revoked',
      `where jti = :used and ${UNFLUSHED} and not revoked`,
    ),
    notDurable(
      'logout',
      'src/auth/revocations.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
      'where jti = :jti and ${ENDS}',
      `where jti = :jti and ${UNFLUSHED} and \${ENDS}`,
    ),
    notDurable(
      'role change',
      'src/audit/write.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
      '`${insertEvents()}`',
      `\`\${insertEvents()} where ${UNFLUSHED}\``,
    ),
  ],
  run: async (lab, size) => {
    const db = await startPostgresServer(lab, join(lab.folder, 'postgres'), SETTINGS);
    const gateways = await prepareGateways(lab, db.urlAt(db.port), { ACCESS_TOKEN_TTL_SECONDS: '7200' });
    const { url } = await gateways.start();
    const [user = '', other = '', admin = ''] = await createUsers(gateways, db, 3);
    await db.query(`update users set role = 'admin' where email = $1`, [admin]);
    const acts = [
      ...actsOfSessions(url, user),
      await changeOfRole(url, db, other, accessTokenOf(await logInAt(url, admin))),
    ];
    const rows: Row[] = [];
    for (const { what, act, holds } of acts) {
      lab.say(`${KILLS[size]} kills of the server after a ${what}`);
      const row = {
        what: `acknowledged ${what}s lost in a quiet kill -9`,
        trials: 0,
        least: KILLS[size],
        violations: 0,
      };
      for (const token of await mintSessions(gateways, db, user, KILLS[size])) {
        const pids = withDescendants(postmasterOf(db));
        const answer = await act(token);
        signal(pids, 'SIGKILL');
        if (answer.status !== 200) throw new Error(`a ${what} was answered ${answer.status}`);
        await db.program.kill();
        await db.start();
        row.trials += 1;
        if (!(await holds(token, answer))) row.violations += 1;
      }
      rows.push(row);
    }
    return rows;
  },
};

function actsOfSessions(url: string, email: string): Act[] {
  const refresh = (token = ''): Promise<Answer> => sendCookie(url, '/auth/refresh', token);
  const statusOf = async (token?: string): Promise<number> => (await untilServed(() => refresh(token))).status;
  return [
    {
      what: 'login',
      act: () => untilServed(() => logInAt(url, email)),
      holds: async (_token, { cookie }) => (await statusOf(cookie)) === 200,
    },
    {
      what: 'rotation',
      act: refresh,
      holds: async (_token, { cookie }) => (await statusOf(cookie)) === 200,
    },
    {
      what: 'logout',
      act: (token) => sendCookie(url, '/auth/logout', token),
      holds: async (token) => (await statusOf(token)) === 401,
    },
  ];
}

/** Each time to the other one of two roles */
async function changeOfRole(url: string, db: PostgresServer, email: string, adminToken: string): Promise<Act> {
  const query = 'mutation ($input: SetUserRoleInput!) { setUserRole(input: $input) { user { role } } }';
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` };
  const user = async (): Promise<{ id: string; role: string }> => {
    const [found] = await db.query<{ id: string; role: string }>('select id, role from users where email = $1', [
      email,
    ]);
    if (found === undefined) throw new Error('there is no such user');
    return found;
  };
  let { id, role } = await user();
  return {
    what: 'role change',
    act: () => {
      role = role === 'viewer' ? 'analyst' : 'viewer';
      return ask(url, '/graphql', { headers, body: JSON.stringify({ query, variables: { input: { id, role } } }) });
    },
    holds: async () => (await user()).role === role,
  };
}
