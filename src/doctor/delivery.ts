/** `doctor`: whether webhooks and mail are delivered. Of a URL only the authority is printed, because its path may be a secret. (Interface 9 and 17) */
import type { Config } from '../config/config.js';
import { type RowOf, statement } from '../db/statement.js';
import { TLS_ADVICE } from '../mail/mail.js';
import { LAG } from '../outbox/lag.js';
import { authorityOf, faultOfTarget } from '../outbox/webhooks/target.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

/** A webhook, or mail, is behind if an event has waited longer: seconds. The alert has the same limit. */
const LONG_LAG_SECONDS = 600;

/** Webhooks that are read, those that are furthest behind first, and webhooks that one finding names */
const MAX_READ = 1_000;
const MAX_NAMED = 3;

const webhooksSql = statement(
  'doctor_webhooks',
  {},
  {
    id: 'uuid',
    url: 'text',
    paused_by: 'text?',
    lag: 'integer',
    parked: 'integer',
    last_outcome: 'text?',
    last_status: 'integer?',
  },
)`
  select webhooks.id, url, paused_by, ceil(${LAG})::integer as lag,
    (select count(*) from outbox_events where cursor_id = webhooks.id and due_at is not null)::integer as parked,
    last_outcome, last_status
  from webhooks join outbox_cursors using (id) order by lag desc, webhooks.id limit ${MAX_READ}`;

type Webhook = RowOf<typeof webhooksSql>;

export async function checkWebhooks({ config, tables }: Surroundings): Promise<Finding[]> {
  const db = await tables();
  const all = await db.run(webhooksSql, {});
  if (config.webhookHosts === undefined) {
    const off = 'webhooks are off, because WEBHOOK_HOSTS is unset';
    return [
      all.length === 0 ? ok('webhooks', off) : warning('webhooks', `${off}: ${nothingIsSent(all)}`, listing(all)),
    ];
  }
  const active = all.filter(({ paused_by }) => paused_by === null);
  const faultOf = ({ url }: Webhook) => faultOfTarget(url, config);
  const unlisted = active.filter((webhook) => faultOf(webhook) === 'host_not_listed');
  const refused = active.filter((webhook) => ![undefined, 'host_not_listed'].includes(faultOf(webhook)));
  const gone = all.filter(({ paused_by }) => paused_by === 'receiver');
  const behind = active.filter(
    (webhook) => faultOf(webhook) === undefined && (webhook.lag > LONG_LAG_SECONDS || webhook.parked > 0),
  );
  const found: Finding[] = [];
  if (unlisted.length > 0) {
    const seen = `WEBHOOK_HOSTS does not list a host: ${nothingIsSent(unlisted)}`;
    found.push(fault('webhooks', seen, listing(unlisted)));
  }
  if (refused.length > 0) {
    const reasons = [...new Set(refused.map(faultOf))].join();
    const seen = `a URL is not allowed here (${reasons}): ${nothingIsSent(refused)}`;
    found.push(fault('webhooks', seen, { advice: 'create it anew with another URL, and', ...deleting(refused) }));
  }
  if (gone.length > 0) {
    const seen = `paused, because the receiver answered 410 Gone: ${nothingIsSent(gone)}`;
    const advice = 'ask who runs the receiver; if it is to get events again';
    found.push(warning('webhooks', seen, { advice, command: `webhook resume ${gone[0]?.id}` }));
  }
  if (behind.length > 0) {
    const seen = `${numberOf(behind.length, 'webhook')} behind: ${named(behind, progressOf)}`;
    const advice = 'see that a gateway is running and that the receiver accepts events; to try it';
    found.push(warning('webhooks', seen, { advice, command: `webhook test ${behind[0]?.id}` }));
  }
  if (found.length > 0) return found;
  if (all.length > 0) return [ok('webhooks', wellOf(all))];
  return [ok('webhooks', `no webhook; WEBHOOK_HOSTS allows ${numberOf(config.webhookHosts.length, 'host')}`)];
}

function wellOf(all: Webhook[]): string {
  const paused = all.filter(({ paused_by }) => paused_by !== null).length;
  const lag = Math.max(0, ...all.filter(({ paused_by }) => paused_by === null).map((webhook) => webhook.lag));
  const pauses = paused === 0 ? '' : `, ${paused} of them paused by an operator`;
  return `${numberOf(all.length, 'webhook')}${pauses}; no event has waited longer than ${lag} s, and none has failed`;
}

/** Of the last attempt, and of all that waits */
function progressOf(webhook: Webhook): string {
  return ` by ${webhook.lag} s, with ${numberOf(webhook.parked, 'failed event')}, ${lastAttemptOf(webhook)}`;
}

function lastAttemptOf({ last_outcome, last_status }: Pick<Webhook, 'last_outcome' | 'last_status'>): string {
  if (last_outcome === null) return 'no attempt yet';
  return `last attempt ${last_outcome}${last_status === null ? '' : ` (${last_status})`}`;
}

function nothingIsSent(webhooks: Webhook[]): string {
  return `nothing is sent to ${numberOf(webhooks.length, 'webhook')}: ${named(webhooks)}`;
}

function named(webhooks: Webhook[], more: (webhook: Webhook) => string = () => ''): string {
  const names = webhooks.slice(0, MAX_NAMED).map((webhook) => `${webhook.id} at ${hostOf(webhook)}${more(webhook)}`);
  const others = webhooks.length - names.length;
  return names.concat(others > 0 ? [`and ${others} more`] : []).join('; ');
}

function hostOf({ url }: Webhook): string {
  return URL.canParse(url) ? authorityOf(new URL(url)) : 'an invalid URL';
}

function listing(webhooks: Webhook[]) {
  const hosts = [...new Set(webhooks.map(hostOf))].slice(0, MAX_NAMED).join();
  return {
    advice: `add ${hosts} to WEBHOOK_HOSTS of every instance; or if it is not wanted any more`,
    ...deleting(webhooks),
  };
}

function deleting(webhooks: Webhook[]): { command: string } {
  return { command: `webhook delete ${webhooks[0]?.id}` };
}

const mailSql = statement(
  'doctor_mail',
  {},
  { lag: 'integer', parked: 'integer', last_outcome: 'text?', last_status: 'integer?' },
)`
  select ceil(${LAG})::integer as lag,
    (select count(*) from outbox_events where cursor_id = outbox_cursors.id and due_at is not null)::integer as parked,
    last_outcome, last_status
  from outbox_cursors where kind = 'mail' and paused_at is null`;

export async function checkMail({ config, tables }: Surroundings): Promise<Finding[]> {
  if (config.mail.kind === 'off') return [ok('mail', 'MAIL is off')];
  const db = await tables();
  const way = wayOf(config.mail);
  const [found] = await db.run(mailSql, {});
  if (found === undefined) return [ok('mail', `${way}; none has been sent yet`)];
  const { lag, parked, last_outcome } = found;
  const waiting = `the oldest has waited for ${lag} s, ${numberOf(parked, 'mail')} failed or under way`;
  const seen = `${way}; ${waiting}, ${lastAttemptOf(found)}`;
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
