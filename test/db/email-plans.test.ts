/** Every statement on e-mail changes and former e-mails finds its rows by an index, also among many. (Interface 21) */
import pg from 'pg';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { readPerson } from '../../src/admin/person.js';
import { setUserEmail } from '../../src/admin/user-changes.js';
import { eraseUser } from '../../src/admin/user-erasure.js';
import { linkOfChange, linkOfUndo } from '../../src/mail/email-links.js';
import { askForEmail, changeEmail, startWithAccount } from '../support/gateway/email-changes.js';
import { post } from '../support/gateway/factors.js';
import { dataOf, newcomer } from '../support/gateway/graphql.js';
import { type Statement, watchStatements } from '../support/gateway/work.js';

const ROWS = 5_000;

test('Interface 21: no statement on e-mail changes reads a table as a whole', async () => {
  const gateway = await startWithAccount();
  // A table that is in memory as a whole may be cheaper to read than a hundred rows of it.
  const planner = new pg.Client({ connectionString: gateway.database.url, options: '-c enable_seqscan=off' });
  await planner.connect();
  try {
    await gateway.rows(
      `with person as (
         insert into users (id, email, role)
         select gen_random_uuid(), 'person' || i || '@example.com', 'viewer' from generate_series(1, ${ROWS}) as i
         returning id, email
       ), change as (
         insert into email_changes (user_id, token_sha256, email, password_version, expires_at)
         select id, sha256(id::text::bytea), 'new-' || email, 0, now() + interval '1 hour' from person
       ), event as (
         insert into audit_events (event_type, user_id, ip_address, metadata)
         select 'email_change_requested', id, '192.0.2.1', jsonb_build_object('to', 'new-' || email) from person
       )
       insert into email_undos (id, user_id, token_sha256, email, expires_at)
       select gen_random_uuid(), id, sha256(id::text::bytea), 'old-' || email, now() + interval '1 hour' from person`,
    );
    for (const table of ['users', 'email_changes', 'email_undos', 'audit_events']) {
      await gateway.rows(`vacuum analyze ${table}`);
    }
    const statements: Statement[] = [];
    watchStatements(gateway.app.db, (statement) => statements.push(statement));

    const user = await newcomer(gateway, 'admin');
    const undo = await changeEmail(gateway, user, 'changed@example.com');
    await askForEmail(gateway, user, 'asked@example.com');
    await dataOf(gateway, user.as, '{ users(first: 100) { nodes { pendingEmail } } }');
    const event = async (type: string) => {
      const text = `select event_type, metadata, written_at::text as written_at from audit_events where event_type = $1 and user_id = $2
        order by audit_events.written_at desc limit 1`;
      const [row] = await gateway.rows(text, [type, user.user.id]);
      return row as never;
    };
    await linkOfChange(gateway.app, user.user.id, await event('email_change_requested'));
    await linkOfUndo(gateway.app, user.user.id, await event('email_changed'));
    await readPerson(gateway.app, user.user.id);
    await post(gateway, 'email/undo', { token: undo });
    await setUserEmail(gateway.app, COMMAND_LINE, user.user.id, 'by-an-operator@example.com');
    const { id } = await gateway.user();
    await eraseUser(gateway.app, COMMAND_LINE, id);

    const found = new Map(
      statements.filter(({ sql }) => /email_(changes|undos)/.test(sql)).map((statement) => [statement.sql, statement]),
    );
    expect(found.size).toBeGreaterThanOrEqual(10);
    for (const { sql, parameters } of found.values()) {
      const { rows } = await planner.query({ text: `explain ${sql}`, values: [...parameters] });
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect({ sql, plan }).toEqual({ sql, plan: expect.not.stringContaining('Seq Scan') });
      const scans = plan.match(/(Index Scan|Index Only Scan|Bitmap Index Scan) /g) ?? [];
      expect({ sql, plan, scans: scans.length }).toEqual({ sql, plan, scans: plan.match(/Index Cond/g)?.length ?? 0 });
    }
  } finally {
    await planner.end();
    await gateway.close();
  }
});
