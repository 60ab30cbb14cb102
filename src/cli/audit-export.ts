/** The command `audit export`: one line per event, each with the cursor at which the next run resumes. (Interface 9) */
import { once } from 'node:events';
import { type ExportedEvent, exportAudit } from '../audit/export.js';
import { toOcsf } from '../audit/ocsf.js';
import { AdminRefusal } from '../listing/refusal.js';
import { command } from './command.js';
import { since } from './moments.js';
import { oneOf, text, UsageError } from './parameter-types.js';
import { optional } from './parameters.js';
import { CliRefusal } from './refusal.js';
import { jsonLine, READER_CLOSED } from './terminal.js';

/** The cursor is the last member, so that a truncated line has none. */
const FORMATS = {
  jsonl: ({ written_at: _, cursor, ...event }: ExportedEvent): object => ({ ...event, cursor }),
  ocsf: ({ cursor, ...event }: ExportedEvent): object => toOcsf(event, { cursor }),
};

export const auditExport = command({
  summary: 'export the audit log, oldest event first, one JSON object per line',
  example: 'audit export --since 24h --format ocsf',
  prints: 'one object a line, with the `cursor` at which `--after` resumes without gap or duplicate',
  on: 'database',
  takes: {
    since: optional(since, 'only events since then: 15m, 24h or 7d ago, or 2026-01-31T09:00:00Z'),
    after: optional(text('CURSOR'), 'resume after this cursor: that of the last line of the previous export'),
    format: optional(
      oneOf<keyof typeof FORMATS>(['jsonl', 'ocsf']),
      'jsonl by default; ocsf is the Open Cybersecurity Schema Framework',
    ),
  },
  run: async (context, { since, after, format = 'jsonl' }) => {
    const { stdout } = context.terminal;
    const stopped = context.terminal.stopSignal();
    for await (const events of exported(context, { since: since?.(context.clock.now()), after })) {
      const lines = events.map((event) => jsonLine(FORMATS[format](event))).join('');
      if (!stdout.write(lines) && !stopped.aborted) {
        await once(stdout, 'drain', { signal: stopped }).catch((error: unknown) => {
          if (!stopped.aborted) throw error;
        });
      }
      if (stopped.reason === READER_CLOSED) break;
      if (stopped.aborted) throw new CliRefusal('cancelled; resume with --after CURSOR, the cursor of the last line');
    }
    return undefined;
  },
});

/** @throws {UsageError} for an invalid cursor */
async function* exported(...asked: Parameters<typeof exportAudit>): AsyncGenerator<ExportedEvent[]> {
  try {
    yield* (await exportAudit(...asked)).pages;
  } catch (error) {
    const isCursor = error instanceof AdminRefusal && error.reason === 'invalid_page';
    throw isCursor ? new UsageError('--after is not a cursor of audit export') : error;
  }
}
