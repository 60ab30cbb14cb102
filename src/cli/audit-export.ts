/** Interface 9: `audit export`: one line an event, each with the cursor by which the next run goes on. */
import { once } from 'node:events';
import { type ExportedEvent, exportAudit } from '../audit/export.js';
import { toOcsf } from '../audit/ocsf.js';
import { AdminRefusal } from '../listing/refusal.js';
import { command } from './command.js';
import { CliRefusal } from './exit.js';
import { oneOf, since, text, UsageError } from './kinds.js';
import { optional } from './parameters.js';
import { jsonLine, READ_ENOUGH } from './terminal.js';

/** The cursor stands last, so that a line that was cut off has none. */
const FORMATS = {
  jsonl: ({ written_at: _, cursor, ...event }: ExportedEvent): object => ({ ...event, cursor }),
  ocsf: ({ cursor, ...event }: ExportedEvent): object => toOcsf(event, { cursor }),
};

export const auditExport = command({
  does: 'prints the audit log for other programs, the oldest event first, one JSON object a line',
  example: 'audit export --since 24h --format ocsf',
  on: 'database',
  takes: {
    since: optional(since, 'what happened from that time on: 15m, 24h or 7d ago, or 2026-01-31T09:00:00Z'),
    after: optional(text('CURSOR'), 'what comes behind the event with this cursor: the last line of the export before'),
    format: optional(
      oneOf<keyof typeof FORMATS>(['jsonl', 'ocsf']),
      'jsonl unless given; ocsf is the Open Cybersecurity Schema Framework',
    ),
  },
  run: async (context, { since, after, format = 'jsonl' }) => {
    const { stdout } = context.terminal;
    const stopped = context.terminal.untilStopped();
    for await (const events of exported(context, { since: since?.(context.clock.now()), after })) {
      const lines = events.map((event) => jsonLine(FORMATS[format](event))).join('');
      if (!stdout.write(lines) && !stopped.aborted) {
        await once(stdout, 'drain', { signal: stopped }).catch((error: unknown) => {
          if (!stopped.aborted) throw error;
        });
      }
      if (stopped.reason === READ_ENOUGH) break;
      if (stopped.aborted) throw new CliRefusal('cancelled; go on with the cursor of the last line');
    }
    return undefined;
  },
});

/** @throws {UsageError} for a text that is no cursor */
async function* exported(...asked: Parameters<typeof exportAudit>): AsyncGenerator<ExportedEvent[]> {
  try {
    yield* exportAudit(...asked);
  } catch (error) {
    const isCursor = error instanceof AdminRefusal && error.reason === 'invalid_page';
    throw isCursor ? new UsageError('--after is not a cursor of audit export') : error;
  }
}
