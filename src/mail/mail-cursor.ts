/** The one cursor of mail on the audit log. (Interface 17) */

import { NIL } from '../audit/order.js';
import { statement } from '../db/statement.js';
import { startCursor } from '../outbox/cursor-changes.js';
import type { Deps } from '../services.js';

/** Id of the cursor; all instances share it. */
export const MAIL_CURSOR = '6d61696c-0000-4000-8000-000000000001';

/** What is older is not mailed: seconds. */
export const OLDEST_SECONDS = 3 * 86_400;

/** The tokens of links whose mail is passed over wait for nothing. */
const passOverSql = statement('pass_over_old_mail', { id: 'uuid', seconds: 'integer' }, {})`
  with passed as (
    update outbox_cursors set front_at = since, front_id = '${NIL}', settled_at = since, settled_id = '${NIL}',
      claimed_by = null, claimed_until = null
    from (select clock_timestamp() - make_interval(secs => :seconds) as since) as oldest
    where id = :id and front_at < since
    returning since
  ), requested as (
    update requested_links set sealed_token = null from passed where issued_at < since
  )
  update password_links set sealed_token = null
  from passed
  where sealed_token is not null and not exists (
    select from audit_events
    where user_id = password_links.user_id and event_type = 'password_link_issued' and written_at >= since
  )`;

/**
 * Mail begins at the end of the log when it is first turned on. After a long time without, it passes over what has become
 * old, which is quicker than reading it.
 */
export async function startMailCursor({ db }: Deps<'db'>): Promise<void> {
  await startCursor(db.admin, MAIL_CURSOR, 'mail');
  await db.admin.run(passOverSql, { id: MAIL_CURSOR, seconds: OLDEST_SECONDS });
}
