/** Interface 9 and 17, `doctor`: whether mail is sent. */
import type { Config } from '../config/config.js';
import { schemaState } from '../db/migrate.js';
import { statement } from '../db/statement.js';
import { TLS_ADVICE } from '../mail/mail.js';
import { LAG } from '../outbox/lag.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';
import { LONG_LAG_SECONDS } from './webhooks.js';

const mailSql = statement(
  'doctor_mail',
  {},
  { lag: 'integer', parked: 'integer', last_outcome: 'text?', last_status: 'integer?' },
)`
  select ceil(${LAG})::integer as lag,
    (select count(*) from outbox_events where cursor_id = outbox_cursors.id and due_at is not null)::integer as parked,
    last_outcome, last_status
  from outbox_cursors where kind = 'mail' and paused_at is null`;

export async function checkMail({ config, database }: Surroundings): Promise<Finding[]> {
  const { mail } = config;
  if (mail.kind === 'off') return [ok('mail', 'MAIL is off')];
  const { db } = await database();
  if ((await schemaState(db)) === 'behind') return [];
  const way = wayOf(mail);
  const [found] = await db.run(mailSql, {});
  if (found === undefined) return [ok('mail', `${way}; none has been sent yet`)];
  const { lag, parked, last_outcome, last_status } = found;
  const status = last_status === null ? '' : ` (${last_status})`;
  const last = last_outcome === null ? 'no attempt yet' : `last attempt ${last_outcome}${status}`;
  const seen = `${way}; the oldest has waited for ${lag} s, ${numberOf(parked, 'mail')} failed or under way, ${last}`;
  if (lag <= LONG_LAG_SECONDS) return [ok('mail', seen)];
  const remedy =
    last_outcome === 'tls'
      ? TLS_ADVICE
      : 'see that a gateway is running, and that the server of SMTP_URL is up and accepts its user and MAIL_FROM';
  return [warning('mail', seen, remedy)];
}

/** Never the user and password of SMTP_URL. */
function wayOf({ kind, smtp }: Config['mail']): string {
  if (kind === 'log' || smtp === undefined) return 'mail is printed to the terminal (MAIL=log)';
  return `mail goes to ${new URL(smtp).host}`;
}
