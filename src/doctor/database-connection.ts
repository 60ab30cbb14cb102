/** Interface 2 and 9, `doctor`: what is between the gateway and PostgreSQL: a pooler, a network. */
import { isLoopback } from '../config/values.js';
import { type RowOf, statement } from '../db/statement.js';
import { LOCK_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../db/time-limits.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

const databaseConnectionSql = statement(
  'doctor_connection',
  {},
  { process_id: 'integer', statement_ms: 'integer', lock_ms: 'integer', role: 'text' },
)`
  select pg_backend_pid() as process_id, quote_ident(current_user) as role,
    (select setting::integer from pg_settings where name = 'statement_timeout') as statement_ms,
    (select setting::integer from pg_settings where name = 'lock_timeout') as lock_ms`;

/** A pooler gives its clients process ids of its own, because it handles cancel requests itself. */
export async function checkPooler({ config: { databasePooler }, database }: Surroundings): Promise<Finding[]> {
  const { client, db } = await database();
  const [found] = await db.run(databaseConnectionSql, {});
  if (found === undefined) return [];
  const isPooled = client.processID !== found.process_id;
  const seen = `DATABASE_POOLER is ${databasePooler}, and ${isPooled ? 'a pooler is' : 'there is no pooler'} in front of PostgreSQL`;
  if (isPooled && databasePooler === 'none') {
    const what = `${seen}: its connections are shared, so that statements fail now and then`;
    return [fault('pooler', what, 'set DATABASE_POOLER=transaction, or let DATABASE_URL lead to PostgreSQL itself')];
  }
  if (!isPooled && databasePooler === 'transaction') {
    const what = `${seen}, as far as can be seen: every statement is planned again without need`;
    return [
      warning('pooler', what, 'set DATABASE_POOLER=none, or let DATABASE_URL lead to the pooler'),
      timeouts(found),
    ];
  }
  return [ok('pooler', seen), timeouts(found)];
}

/** Without a pooler the gateway sets them itself. */
function timeouts({ statement_ms, lock_ms, role }: RowOf<typeof databaseConnectionSql>): Finding {
  const seen = `statement_timeout is ${statement_ms} ms, lock_timeout is ${lock_ms} ms`;
  if (statement_ms > 0 && lock_ms > 0) return ok('statement_timeout', seen);
  const remedy =
    `alter role ${role} set statement_timeout = '${STATEMENT_TIMEOUT_MS}ms'; alter role ${role} set lock_timeout = '${LOCK_TIMEOUT_MS}ms'; ` +
    'then make the pooler reconnect (PgBouncer: RECONNECT)';
  return warning(
    'statement_timeout',
    `${seen} (0: no limit): PostgreSQL continues with statements that nobody waits for`,
    remedy,
  );
}

export async function checkTls({ database }: Surroundings): Promise<Finding[]> {
  const { encrypted = false, authorized = false, remoteAddress } = (await database()).client.connection.stream;
  if (remoteAddress === undefined || isLoopback(remoteAddress))
    return [ok('database_tls', 'the database is on this machine')];
  const seen = `the database is at ${remoteAddress}`;
  if (encrypted && authorized) return [ok('database_tls', `${seen}, by TLS`)];
  const what = encrypted
    ? 'by TLS, but its certificate is not checked'
    : 'without TLS: anyone on the network can read passwords and tokens';
  const remedy = 'add sslmode=verify-full to DATABASE_URL, and sslrootcert=FILE for a CA of your own';
  return [warning('database_tls', `${seen}, ${what}`, remedy)];
}
