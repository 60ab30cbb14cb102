/** Errors carry a code, never a stack or a database text. (Interface 7) */
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { isOutage } from '../db/outage.js';
import { AdminRefusal } from '../listing/refusal.js';
import type { RequestIds } from '../platform/logger.js';
import { OUTAGE_DETAIL, RETRY_AFTER_SECONDS } from '../platform/outage.js';
import { type ErrorLines, reportBug, reportOutage } from '../readiness/error-lines.js';
import type { Mask } from './masking.js';
import { CODES, type DocumentCode, type GraphqlReason } from './reasons.js';

/** Status and header fields of the response, in the form that Apollo reads from an error. Names are in lower case. */
export function status(code: number, ...fields: Array<[name: string, value: string]>) {
  return { status: code, headers: new Map(fields) };
}

type Status = ReturnType<typeof status>;

/**
 * One of our own errors.
 * @param http the status of the whole response; undefined if other fields may have data
 * @param more further extensions
 */
export function errorOf(reason: GraphqlReason, message: string, http?: Status, more?: object): GraphQLError {
  return new GraphQLError(message, { extensions: { code: CODES[reason], reason, ...more, ...(http && { http }) } });
}

/** Turns an outage into 503 with Retry-After. Apollo would answer 500 or, in a resolver, 200. */
export async function outagesAs503<T>(lines: ErrorLines, ids: RequestIds, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOutage(error)) throw error;
    reportOutage(lines, ids, error);
    const unavailable = status(503, ['retry-after', String(RETRY_AFTER_SECONDS)]);
    throw errorOf('unavailable', OUTAGE_DETAIL, unavailable);
  }
}

/** Codes of errors whose texts are of graphql-js. */
const ABOUT_THE_DOCUMENT: ReadonlySet<unknown> = new Set<DocumentCode>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]);

/** The client sees a refusal unchanged, an error in the document without submitted values, and of a bug only that it happened. */
export function formatError(lines: ErrorLines, mask: Mask, idsOfRequest: () => RequestIds | undefined) {
  return (formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError => {
    const cause = error instanceof GraphQLError && error.path ? (error.originalError ?? error) : error;
    if (cause instanceof AdminRefusal) {
      const { details, message, reason } = cause;
      return { ...formatted, message, extensions: { code: CODES[reason], reason, ...details } };
    }
    const code = formatted.extensions?.['code'];
    if (ABOUT_THE_DOCUMENT.has(code) && error instanceof GraphQLError) {
      const { message, ...more } = mask(error);
      return { ...formatted, message, extensions: { ...formatted.extensions, ...more } };
    }
    if (code !== CODES.internal_error) return formatted;
    reportBug(lines, idsOfRequest(), cause, 'unexpected error in GraphQL');
    const { path, locations } = formatted;
    return {
      message: 'Internal server error',
      ...(path && { path }),
      ...(locations && { locations }),
      extensions: { code, reason: 'internal_error' satisfies GraphqlReason },
    };
  };
}
