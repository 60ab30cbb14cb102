/** CONTRACT 11: who may ask what. Queries go by the credential; a mutation reads the caller's row again. */
import { GraphQLError } from 'graphql';
import { type AuthCheckerFn, Authorized } from 'type-graphql';
import { type By, type Held, holds } from '../admin/administer.js';
import { AdminRefusal } from '../admin/refusal.js';
import type { Actor } from '../audit/events.js';
import type { Caller, UserCaller } from '../callers/caller.js';
import type { Sql } from '../db/database.js';
import { type OwnScope, ROLE_SCOPES } from '../scopes.js';
import type { GraphqlContext } from './context.js';

/** What a query needs: a scope, or to be a user. */
type Requirement = OwnScope | 'a user caller';

/** Declares what a field needs. */
export function Needs(requirement: Requirement) {
  return Authorized<Requirement>(requirement);
}

/**
 * Checks what `Needs` declares, by the credential of the request. (An arrow, since type-graphql takes a function that
 * has a prototype for a class.)
 * @throws {GraphQLError} FORBIDDEN
 */
export const checkNeeds: AuthCheckerFn<GraphqlContext, Requirement> = ({ context: { caller } }, [requirement]) => {
  if (requirement === undefined) return true;
  if (requirement === 'a user caller') {
    userOf(caller);
    return true;
  }
  if (holds(heldByCredential(caller), requirement)) return true;
  throw forbidden(`This needs the scope ${requirement}`);
};

export function heldByCredential(caller: Caller): Held {
  return caller.callerType === 'user' ? ROLE_SCOPES[caller.role] : caller.scopes;
}

/** @throws {GraphQLError} FORBIDDEN for a key */
export function userOf(caller: Caller): UserCaller {
  if (caller.callerType === 'user') return caller;
  throw forbidden('This is for users, by access token');
}

function forbidden(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'FORBIDDEN' } });
}

/** The caller as one who makes a change. */
export function byCaller({ caller, client }: GraphqlContext): By {
  return { actor: actorOf(caller), client, held: (sql) => heldNow(sql, caller) };
}

function actorOf(caller: Caller): Actor {
  if (caller.callerType === 'user') return { caller_type: 'user', sub: caller.sub };
  return { caller_type: caller.callerType, key_id: caller.keyId };
}

/** Reads the caller's row: who is deactivated, removed or revoked has no power left, whatever the credential says. */
async function heldNow(sql: Sql, caller: Caller): Promise<Held> {
  const held = caller.callerType === 'user' ? await heldByUser(sql, caller.sub) : await heldByKey(sql, caller);
  if (held === undefined) throw new AdminRefusal('forbidden', 'The caller is no longer active');
  return held;
}

async function heldByUser(sql: Sql, id: string): Promise<Held | undefined> {
  const user = await sql.selectFrom('users').select(['role', 'is_active']).where('id', '=', id).executeTakeFirst();
  return user?.is_active ? ROLE_SCOPES[user.role] : undefined;
}

async function heldByKey(sql: Sql, { callerType, keyId }: Exclude<Caller, UserCaller>): Promise<Held | undefined> {
  const key = await sql
    .selectFrom(callerType === 'api_key' ? 'api_keys' : 'cron_keys')
    .select('scopes')
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return key?.scopes;
}
