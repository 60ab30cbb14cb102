/** CONTRACT 11: who may ask what. Queries go by the credential; a mutation reads the caller's row again. */
import { GraphQLError } from 'graphql';
import { type AuthCheckerFn, Authorized } from 'type-graphql';
import type { Operator } from '../admin/administer.js';
import { AdminRefusal } from '../admin/refusal.js';
import type { Actor } from '../audit/events.js';
import type { Caller, UserCaller } from '../callers/caller.js';
import { type Db, only, statement } from '../db/statement.js';
import type { Role } from '../roles.js';
import { hasScope, type OwnScope, ROLE_SCOPES, type Scopes } from '../scopes.js';
import type { GraphqlContext } from './context.js';

/** What a query asks of its caller: a scope, or to be a user. */
type Requirement = OwnScope | typeof USER;

const USER = Symbol('user');

/** Declares the scope that a field asks for. */
export function RequireScope(scope: OwnScope) {
  return Authorized<Requirement>(scope);
}

/** Declares that a field is for users, by access token. */
export function RequireUser() {
  return Authorized<Requirement>(USER);
}

/**
 * Checks what a field declares, by the credential of the request. (An arrow, since type-graphql takes a function that
 * has a prototype for a class.)
 * @throws {GraphQLError} FORBIDDEN
 */
export const checkRequirement: AuthCheckerFn<GraphqlContext, Requirement> = (
  { context: { caller } },
  [requirement],
) => {
  if (requirement === undefined) return true;
  if (requirement === USER) {
    userOf(caller);
    return true;
  }
  if (hasScope(scopesOf(caller), requirement)) return true;
  throw forbidden(`This needs the scope ${requirement}`);
};

export function scopesOf(caller: Caller): Scopes {
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
export function operatorOf({ caller, client }: GraphqlContext): Operator {
  return { actor: actorOf(caller), client, scopesNow: (db) => scopesNow(db, caller) };
}

function actorOf(caller: Caller): Actor {
  if (caller.callerType === 'user') return { caller_type: 'user', sub: caller.sub };
  return { caller_type: caller.callerType, key_id: caller.keyId };
}

/** Reads the caller's row: who is deactivated, removed or revoked has no power left, whatever the credential says. */
async function scopesNow(db: Db, caller: Caller): Promise<Scopes> {
  const scopes = caller.callerType === 'user' ? await scopesOfUser(db, caller.sub) : await scopesOfKey(db, caller);
  if (scopes === undefined) throw new AdminRefusal('forbidden', 'The caller is no longer active');
  return scopes;
}

const roleOfUser = statement('role_of_user', { id: 'uuid' }, { role: only<Role>('text') })`
  select role from users where id = :id and is_active`;

const scopesOfApiKey = scopesOfKeyIn('api_keys');
const scopesOfCronKey = scopesOfKeyIn('cron_keys');

function scopesOfKeyIn(table: 'api_keys' | 'cron_keys') {
  return statement(`scopes_in_${table}`, { key_id: 'text' }, { scopes: 'text[]' })`
    select scopes from ${table} where key_id = :key_id and revoked_at is null`;
}

async function scopesOfUser(db: Db, id: string): Promise<Scopes | undefined> {
  const [user] = await db.run(roleOfUser, { id });
  return user && ROLE_SCOPES[user.role];
}

async function scopesOfKey(db: Db, { callerType, keyId }: Exclude<Caller, UserCaller>): Promise<Scopes | undefined> {
  const [key] = await db.run(callerType === 'api_key' ? scopesOfApiKey : scopesOfCronKey, { key_id: keyId });
  return key?.scopes;
}
