/** OpenAPI of exports. (Interface 24) */
import * as z from 'zod';
import { AUDIT_FILTER, type Filter, USER_FILTER } from '../export-query.js';
import { AUTHZ_ERRORS } from '../refusals.js';
import { INVALID_HTTP, json, OF_EVERY_ROUTE, PERHAPS, refusal, withFields } from './answers.js';
import { ACCEPT_SIGNATURE, ANY_CHALLENGE, always, EXPORT_FIELDS, KEY_COUNTED, RETRY_AFTER } from './fields.js';

const NOBODY = { detail: 'Send an access token, a signed request or an internal key', reason: 'missing_credentials' };
const OF_KEY = { name: 'rate_limited', reason: 'rate_limited', detail: AUTHZ_ERRORS.rate_limited.detail } as const;

function download(operationId: string, summary: string, scope: string, filter: Filter, file: object): object {
  const parameters = Object.entries(filter).map(([name, values]) => {
    const { $schema: _, ...schema } = z.toJSONSchema(values, { io: 'input' });
    return { name, in: 'query', schema };
  });
  const { headers } = json('', '', {}, { ...KEY_COUNTED, ...EXPORT_FIELDS }) as { headers: object };
  return {
    operationId,
    summary,
    description: `Needs the scope \`${scope}\`. A list is repeated or has commas. The last line has the count: a file without it is incomplete.`,
    tags: ['exports'],
    security: [{ accessToken: [] }, { signedRequest: [] }, { internalKey: [] }],
    parameters,
    responses: {
      ...OF_EVERY_ROUTE,
      200: { description: 'The file.', headers, content: file },
      400: misfit(`${Object.keys(filter).find((name) => name.startsWith('is'))} must be true or false`),
      401: json('Not exactly one valid credential, or the session has ended.', 'CallerRefused', NOBODY, {
        'WWW-Authenticate': always(ANY_CHALLENGE),
        'Accept-Signature': ACCEPT_SIGNATURE,
      }),
      403: refusal(
        'No scope, or none before a second factor.',
        ['scope_missing', 'second_factor_required'],
        KEY_COUNTED,
      ),
      429: refusal(
        'An export of this caller or four of others are under way; too many requests of this key or on this connection.',
        ['too_many_streams', OF_KEY, 'too_many_requests'],
        { ...PERHAPS, ...KEY_COUNTED, 'Retry-After': RETRY_AFTER },
      ),
      500: withFields('InternalError', KEY_COUNTED),
      503: withFields('Unavailable', KEY_COUNTED),
    },
  };
}

/** Any sentence about a parameter. */
function misfit(detail: string): object {
  const sentences = [{ name: 'parameter', reason: 'malformed_request', detail } as const, ...INVALID_HTTP];
  const answer = refusal('Not valid HTTP, or a parameter is unknown or does not fit.', sentences, {
    ...PERHAPS,
    ...KEY_COUNTED,
  });
  const { content } = answer as { content: Record<string, object> };
  const schema = { $ref: '#/components/schemas/Error' };
  return { ...answer, content: { 'application/json': { ...content['application/json'], schema } } };
}

const csv = (example: string): object => ({ 'text/csv': { schema: { type: 'string' }, example } });

export function exportRoutes(): object {
  const lines = { 'application/jsonl': { schema: { type: 'string' }, example: '{"count":0}\n' } };
  const users = csv('"id","email"\r\n"count","0"\r\n');
  const events = csv('"id","event_type"\r\n"count","0"\r\n');
  return {
    '/export/audit.csv': {
      get: download('exportAuditCsv', 'Download the audit log for spreadsheets', 'audit:read', AUDIT_FILTER, events),
    },
    '/export/audit.jsonl': {
      get: download('exportAuditLines', 'Download the audit log as JSON lines', 'audit:read', AUDIT_FILTER, lines),
    },
    '/export/users.csv': {
      get: download('exportUsers', 'Download the users for spreadsheets', 'users:read', USER_FILTER, users),
    },
  };
}
