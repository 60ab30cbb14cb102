/** The commands `audit …`. (Interface 9) */

import { EVENT_TYPES } from '../audit/events.js';
import { type AuditEventFilter, type AuditRow, listAuditEvents, oldestTransaction } from '../audit/log.js';
import { auditExport } from './audit-export.js';
import { type Command, command } from './command.js';
import type { Contexts } from './context.js';
import { follow } from './follow.js';
import { since } from './moments.js';
import { oneOf, text, wholeNumberIn } from './parameter-types.js';
import { flag, optional, repeated } from './parameters.js';
import { CliRefusal } from './refusal.js';
import { type Printable, printJson, printTable } from './terminal.js';

const LINES = 20;
const MAX_LINES = 1_000_000;
/** The largest page. */
const PAGE = 100;

export const auditCommands: Record<string, Command> = {
  'audit tail': command({
    summary: 'print the latest audit events, newest last',
    example: 'audit tail --follow --type token_theft --type account_locked',
    prints:
      '`{created_at, event_type, user_id, ip_address, user_agent, metadata}` of each event; with `--follow` one object a line',
    on: 'database',
    takes: {
      lines: optional(wholeNumberIn(1, MAX_LINES), `number of events: ${LINES} by default, all with --since`),
      type: repeated(oneOf(EVENT_TYPES, 'EVENT_TYPE'), 'only this event type; repeat for several'),
      since: optional(since, 'only events since then: 15m, 24h or 7d ago, or 2026-01-31T09:00:00Z'),
      email: optional(text('EMAIL'), 'only events of this user, and of logins with this e-mail'),
      'user-id': optional(text('ID'), 'only events of this user'),
      ip: optional(text('ADDRESS'), 'only events from this address'),
      follow: flag('print new events as they happen, until Ctrl-C; with --json one object per line'),
    },
    run: async (context, values) => {
      const { type: types, email, 'user-id': userId, ip: ipAddress } = values;
      const from = values.since?.(context.clock.now());
      const filter = { eventTypes: types.length > 0 ? types : undefined, email, userId, ipAddress, since: from };
      const lines = values.lines ?? (from === undefined ? LINES : MAX_LINES);
      const latest = (filter: AuditEventFilter, most: number) => latestEvents(context, filter, most);
      if (!values.follow) return (await latest(filter, lines)).reverse().map(printable);

      const { joined, embedded } = context.server;
      if (embedded && !joined) throw new CliRefusal('no gateway is running on this database; start it first');
      const append = values.json
        ? (rows: Printable[]) => rows.forEach((row) => void printJson(context.terminal, row))
        : printTable(context.terminal);
      const log = { latest, oldestTransaction: () => oldestTransaction(context) };
      await follow(context, filter, lines, log, (rows) => append(rows.map(printable)));
      return undefined;
    },
  }),
  'audit export': auditExport,
};

/** At most `most` events, newest first, read page by page. */
async function latestEvents(
  context: Contexts['database'],
  filter: AuditEventFilter,
  most: number,
): Promise<AuditRow[]> {
  const events: AuditRow[] = [];
  for (let after: string | null = null; ; ) {
    const page = await listAuditEvents(context, filter, { first: Math.min(PAGE, most - events.length), after });
    events.push(...page.rows.map(({ row }) => row));
    after = page.endCursor;
    if (!page.hasNextPage || events.length >= most) return events;
  }
}

function printable(row: AuditRow): Printable {
  return {
    created_at: row.createdAt.toISOString(),
    event_type: row.eventType,
    user_id: row.userId,
    ip_address: row.ipAddress,
    user_agent: row.userAgent,
    metadata: row.metadata,
  };
}
