/** CONTRACT 11: who may ask what. Queries go by the credential; a mutation reads the caller's row again. */
import { type AuthCheckerFn, Authorized } from 'type-graphql';
import type { Operator } from '../admin/administer.js';
import { AdminRefusal } from '../admin/refusal.js';
import { asUser, type Caller, type UserCaller } from '../callers/caller.js';
import { kindOf } from '../callers/kinds.js';
import type { Db } from '../db/statement.js';
import { hasScope, type OwnScope, type Scopes } from '../scopes.js';
import type { GraphqlContext } from './context.js';
import { errorOf } from './errors.js';

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
  if (hasScope(kindOf(caller).scopes(caller), requirement)) return true;
  throw errorOf('FORBIDDEN', `This needs the scope ${requirement}`);
};

/** @throws {GraphQLError} FORBIDDEN for a key */
export function userOf(caller: Caller): UserCaller {
  const user = asUser(caller);
  if (user === undefined) throw errorOf('FORBIDDEN', 'This is for users, by access token');
  return user;
}

/** The caller as one who makes a change, with the power that its row has by then. */
export function operatorOf({ caller, client }: GraphqlContext): Operator {
  const kind = kindOf(caller);
  const scopesNow = async (db: Db): Promise<Scopes> => {
    const scopes = await kind.scopesNow(db, caller);
    if (scopes === undefined) throw new AdminRefusal('forbidden', 'The caller is no longer active');
    return scopes;
  };
  return { actor: kind.actor(caller), client, scopesNow };
}
