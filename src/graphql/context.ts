/** What every resolver is given: the caller, resolved once a request, and the parts of the gateway. */
import DataLoader from 'dataloader';
import { GraphQLError } from 'graphql';
import { listSessions, type Session } from '../admin/sessions.js';
import type { Client } from '../auth/audit.js';
import type { Caller, CallerRequest, Resolution } from '../callers/caller.js';
import type { CallerDependencies } from '../callers/dependencies.js';
import { resolveCaller } from '../callers/resolve-caller.js';
import type { Passwords } from '../credentials/passwords.js';
import type { Logger } from '../platform/logger.js';
import { headerOf } from './errors.js';

export interface GraphqlDependencies extends CallerDependencies {
  log: Logger;
  passwords: Passwords;
}

export interface GraphqlContext {
  caller: Caller;
  /** Where the request came from */
  client: Client;
  deps: GraphqlDependencies;
  /** As in the log */
  requestId: unknown;
  /** Sessions of users by id, read for all of a page at once */
  sessionsOf: DataLoader<string, Session[]>;
}

/**
 * Resolves the caller and builds the context.
 * @throws {GraphQLError} UNAUTHENTICATED (401) or RATE_LIMITED (429); and what `resolveCaller` throws
 */
export async function createContext(
  deps: GraphqlDependencies,
  request: CallerRequest,
  client: Client,
  requestId: unknown,
): Promise<GraphqlContext> {
  const resolution = await resolveCaller(deps, request);
  if (resolution.kind === 'caller')
    return { caller: resolution.caller, client, deps, requestId, sessionsOf: sessionLoader(deps) };
  throw refusalError(resolution, deps.clock.now());
}

function sessionLoader({ clock, db }: GraphqlDependencies): DataLoader<string, Session[]> {
  return new DataLoader(async (userIds) => {
    const ofUser = Map.groupBy(await listSessions(db, userIds, clock.now()), ({ userId }) => userId);
    return userIds.map((id) => ofUser.get(id) ?? []);
  });
}

/** How each kind of credential is asked for (RFC 9110 section 11.6.1; RFC 6750 for Bearer). */
const CHALLENGES: Record<Caller['callerType'], string> = {
  user: 'Bearer realm="auth-gateway"',
  api_key: 'Signature realm="auth-gateway"',
  cron: 'InternalKey realm="auth-gateway"',
};

function refusalError(refusal: Exclude<Resolution, { kind: 'caller' }>, now: Date): GraphQLError {
  if (refusal.kind === 'rate_limited') {
    return new GraphQLError('Too many requests for this key, try again later', {
      extensions: {
        code: 'RATE_LIMITED',
        http: { status: 429, headers: headerOf('retry-after', String(refusal.retryAfterSeconds)) },
      },
    });
  }
  const { reason, detail, credential } = refusal;
  const challenge =
    credential === undefined ? Object.values(CHALLENGES).join(', ') : `${CHALLENGES[credential]}, error="${reason}"`;
  return new GraphQLError(detail, {
    extensions: {
      code: 'UNAUTHENTICATED',
      reason,
      ...(reason === 'signature_expired' ? { serverTime: now.toISOString() } : {}),
      http: { status: 401, headers: headerOf('www-authenticate', challenge) },
    },
  });
}
