/** Exports: the audit log and the users as files, streamed in bounded memory. (Interface 24) */
import type { Express, RequestHandler, Response } from 'express';
import { exportUsers } from '../../admin/user-export.js';
import { exportAudit } from '../../audit/export.js';
import type { Caller, CallerDeps } from '../../callers/caller.js';
import { kindOf } from '../../callers/kinds.js';
import { challengeOf } from '../../callers/resolve-caller.js';
import { hasScope, type OwnScope } from '../../domain/scopes.js';
import { AdminRefusal } from '../../listing/refusal.js';
import { csvOf } from '../../platform/csv.js';
import { Outage, RETRY_AFTER_SECONDS } from '../../platform/outage.js';
import { addReadOnly, sendError } from '../errors.js';
import { type Asked, AUDIT_FILTER, type Filter, parseQuery, USER_FILTER } from '../export-query.js';
import type { RestReason } from '../refusals.js';
import { readCaller } from '../rest-caller.js';
import { sendStream } from '../send-stream.js';

type Row = Record<string, unknown>;

interface Exported {
  /** RFC 3339 */
  until: string;
  pages: AsyncIterable<Row[]>;
}

interface Format {
  type: string;
  /** In front of the rows */
  head: string;
  text(rows: readonly Row[]): string;
  /** A file without its last line is not complete */
  last(count: number): string;
}

/** Exports at once in an instance, each of another caller: they share the connections of administration. */
const AT_ONCE = 4;

/** How long a client may take nothing: milliseconds */
const STALLED_MS = 60_000;
/** Rows that it takes at once, so few that a slow line has them in this time */
const PART_ROWS = 50;

/** `audit export` has the same, and the cursor last. */
const AUDIT = csv(
  ...['id', 'event_type', 'entity_type', 'user_id', 'ip_address', 'user_agent', 'metadata', 'created_at', 'cursor'],
);
const USERS = csv(
  ...['id', 'email', 'role', 'is_active', 'has_password', 'is_locked', 'failed_login_attempts', 'locked_until'],
  ...['last_login_at', 'created_at'],
);
const JSON_LINES: Format = {
  type: 'application/jsonl',
  head: '',
  text: (rows) => rows.map(({ written_at: _, cursor, ...event }) => `${asciiJson({ ...event, cursor })}\n`).join(''),
  last: (count) => `${JSON.stringify({ count })}\n`,
};

export function addExportRoutes(app: Express, deps: CallerDeps): void {
  const { clock, config, db } = deps;
  /** Callers of running exports */
  const running = new Set<string>();

  /** By the credential and by the rows now. A download outlives its access token, but not its session. */
  const refusalOf = async (caller: Caller, scope: OwnScope) => {
    const kind = kindOf(caller);
    const lasting = { ...caller, expiresAt: Number.POSITIVE_INFINITY };
    const now = await kind.scopesNow(db, lasting, clock.now(), config);
    if (now === undefined) return 'session_ended';
    const all = [kind.scopes(caller, config), now];
    if (all.includes('after_factor')) return 'second_factor_required';
    return all.every((scopes) => hasScope(scopes, scope)) ? undefined : 'scope_missing';
  };

  const add = <F extends Filter>(
    path: `/export/${string}`,
    scope: OwnScope,
    format: Format,
    filter: F,
    open: (asked: Asked<F>) => Promise<Exported>,
  ): void => {
    const get: RequestHandler = async (req, res) => {
      const caller = await readCaller(deps, req, res);
      if (caller === undefined) return;
      const refusal = await refusalOf(caller, scope);
      if (refusal === 'session_ended') {
        return sendError(res.set('WWW-Authenticate', challengeOf(kindOf(caller))), refusal);
      }
      if (refusal !== undefined) return sendError(res, refusal, undefined, 403);
      const parsed = parseQuery(filter, new URL(req.originalUrl, config.publicUrl).searchParams);
      if ('fault' in parsed) return sendError(res, 'malformed_request', { detail: parsed.fault });
      const id = `${caller.callerType} ${kindOf(caller).id(caller)}`;
      if (running.has(id) || running.size >= AT_ONCE) {
        return sendError(res.set('Retry-After', String(RETRY_AFTER_SECONDS)), 'too_many_streams');
      }
      running.add(id);
      try {
        const opened = await open(parsed.asked).catch(faultOf);
        if ('fault' in opened) return sendError(res, 'malformed_request', { detail: opened.fault });
        const { until, pages } = opened;
        res.setHeader('Content-Type', format.type); // Express would add to it
        res.set({ 'Content-Disposition': `attachment; filename="${fileName(path, until)}"`, 'Export-Until': until });
        const lines = textOf(res, format, pages, () => refusalOf(caller, scope));
        await sendStream(res, req.method === 'HEAD' ? [] : lines, STALLED_MS);
      } finally {
        running.delete(id);
      }
    };
    addReadOnly(app, path, get);
  };

  add('/export/audit.csv', 'audit:read', AUDIT, AUDIT_FILTER, (asked) => exportAudit(deps, asked));
  add('/export/audit.jsonl', 'audit:read', JSON_LINES, AUDIT_FILTER, (asked) => exportAudit(deps, asked));
  add('/export/users.csv', 'users:read', USERS, USER_FILTER, (asked) => exportUsers(deps, asked));
}

/** `audit-2026-11-28T03-10-00Z.csv` */
function fileName(path: string, until: string): string {
  return path.replace('/export/', '').replace('.', `-${until.slice(0, 19).replaceAll(':', '-')}Z.`);
}

/** What is wrong with the filter. @throws {Outage} if a transaction that writes to the log does not end, or what was thrown */
function faultOf(error: unknown): { fault: string } {
  if (!(error instanceof AdminRefusal)) throw error;
  if (error.reason === 'too_much_to_read') throw new Outage(error.message);
  return { fault: error.message };
}

/** @param refusal read before each page: if the right has ended, the answer breaks off */
async function* textOf(
  res: Response,
  { head, text, last }: Format,
  pages: Exported['pages'],
  refusal: () => Promise<RestReason | undefined>,
): AsyncGenerator<string> {
  yield head;
  let count = 0;
  for await (const rows of pages) {
    const refused = await refusal();
    if (refused !== undefined) {
      res.locals.outcome = refused;
      return void res.destroy();
    }
    count += rows.length;
    for (let i = 0; i < rows.length; i += PART_ROWS) yield text(rows.slice(i, i + PART_ROWS));
  }
  res.locals.outcome = 'success';
  yield last(count);
}

/** RFC 4180, UTF-8 without a byte order mark, which programs would take for a part of the first name. */
function csv(...columns: string[]): Format {
  return {
    type: 'text/csv; charset=utf-8; header=present',
    head: csvOf([columns]),
    text: (rows) => csvOf(rows.map((row) => columns.map((name) => cellOf(row[name])))),
    last: (count) => csvOf([['count', String(count), ...columns.slice(2).map(() => '')]]),
  };
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? asciiJson(value) : String(value);
}

/** In ASCII, which every spreadsheet reads without being told the encoding, and which no reader splits into lines. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
