/** CONTRACT 7: errors carry a code, never a stack or a database text. */
import { HeaderMap } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { AdminRefusal, type AdminRefusalCode } from '../admin/refusal.js';
import { isOutage } from '../db/outage.js';
import { describeError, type Logger } from '../platform/logger.js';
import { RETRY_AFTER_SECONDS } from '../platform/outage.js';
import type { Mask } from './masking.js';

/** One header field, in the form that Apollo takes from an error (the types of another server stand in the way). */
export function headerOf(name: string, value: string): HeaderMap & Record<string, string> {
  return new HeaderMap([[name, value]]) as HeaderMap & Record<string, string>;
}

/** Turns an outage into 503 with Retry-After, before Apollo makes it a 500 or, in a resolver, a 200. */
export async function outagesAs503<T>(log: Logger, requestId: unknown, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOutage(error)) throw error;
    log.warn({ requestId, error: describeError(error) }, 'answered 503');
    throw new GraphQLError('Service temporarily unavailable, try again later', {
      extensions: {
        code: 'SERVICE_UNAVAILABLE',
        http: { status: 503, headers: headerOf('retry-after', String(RETRY_AFTER_SECONDS)) },
      },
    });
  }
}

function codeOf(refusal: AdminRefusalCode): string {
  if (refusal === 'forbidden') return 'FORBIDDEN';
  if (refusal === 'too_much_to_read') return 'OPERATION_TOO_COSTLY';
  return refusal.endsWith('_unknown') ? 'NOT_FOUND' : 'BAD_USER_INPUT';
}

/** Codes of errors whose texts are of graphql-js. */
const ABOUT_THE_DOCUMENT: ReadonlySet<string> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]);

/** What leaves of an error: that of a refusal as it is, of a document no value, of a bug only that it happened. */
export function formatError(log: Logger, mask: Mask) {
  return (formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError => {
    const cause = unwrapResolverError(error);
    if (cause instanceof AdminRefusal) {
      return { ...formatted, message: cause.message, extensions: { code: codeOf(cause.code), reason: cause.code } };
    }
    const code = String(formatted.extensions?.['code']);
    if (ABOUT_THE_DOCUMENT.has(code) && error instanceof GraphQLError) return { ...formatted, message: mask(error) };
    if (code !== 'INTERNAL_SERVER_ERROR') return formatted;
    log.error({ error: describeError(cause) }, 'unexpected error in GraphQL');
    const { path, locations } = formatted;
    return {
      message: 'Internal server error',
      ...(path && { path }),
      ...(locations && { locations }),
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    };
  };
}
