/** Interface 9: `audit …`: what has happened lately, what happens from now on, and all of it for other programs. */

import { EVENT_TYPES } from '../audit/events.js';
import { type AuditEventFilter, type AuditRow, listAuditEvents, oldestTransaction } from '../audit/log.js';
import { auditExport } from './audit-export.js';
import { type Command, command } from './command.js';
import type { Contexts } from './context.js';
import { CliRefusal } from './exit.js';
import { follow } from './follow.js';
import { oneOf, since, text, wholeNumberIn } from './kinds.js';
import { flag, optional, repeated } from './parameters.js';
import { type Printable, printJson, printTable } from './terminal.js';

const LINES = 20;
const MAX_LINES = 1_000_000;
/** As many events as one page may have. */
const PAGE = 100;

export const auditCommands: Record<string, Command> = {
  'audit tail': command({
    does: 'prints the latest audit events, the last one last',
    example: 'audit tail --follow --type token_theft --type account_locked',
    on: 'database',
    takes: {
      lines: optional(wholeNumberIn(1, MAX_LINES), `how many: ${LINES} unless given, with --since all`),
      type: repeated(oneOf(EVENT_TYPES, 'EVENT_TYPE'), 'of this type, or these'),
      since: optional(since, 'from that time on: 15m, 24h or 7d ago, or 2026-01-31T09:00:00Z'),
      email: optional(text('EMAIL'), 'of this user, or of logins that named this e-mail'),
      'user-id': optional(text('ID'), 'of this user'),
      ip: optional(text('ADDRESS'), 'from this address'),
      follow: flag('go on, as events happen, until Ctrl-C; with --json one object a line'),
    },
    run: async (context, values) => {
      const { type: types, email, 'user-id': userId, ip: ipAddress } = values;
      const from = values.since?.(context.clock.now());
      const filter = { eventTypes: types.length > 0 ? types : undefined, email, userId, ipAddress, since: from };
      const lines = values.lines ?? (from === undefined ? LINES : MAX_LINES);
      const latest = (filter: AuditEventFilter, most: number) => latestEvents(context, filter, most);
      if (!values.follow) return (await latest(filter, lines)).reverse().map(printable);

      const { joined, embedded } = context.server;
      if (embedded && !joined)
        throw new CliRefusal('no gateway runs on this database, so nothing happens: start it first');
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

/** The newest events first, `most` of them at most, page after page. */
async function latestEvents(
  context: Contexts['database'],
  filter: AuditEventFilter,
  most: number,
): Promise<AuditRow[]> {
  const events: AuditRow[] = [];
  for (let after: string | undefined; ; ) {
    const page = await listAuditEvents(context, filter, { first: Math.min(PAGE, most - events.length), after });
    events.push(...page.rows.map(({ row }) => row));
    after = page.rows.at(-1)?.cursor;
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
