/**
 * Authorization. A field declares what it needs; its check and a sentence of its description follow from that. Queries
 * rely on the credential. A mutation reads the caller's row again, inside its transaction. (Interface 11)
 */
import { defaultFieldResolver, type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { Extensions } from 'type-graphql';
import { type Needs, type Operator, requireScope } from '../admin/administer.js';
import { asUser, type Caller, type UserCaller } from '../callers/caller.js';
import { kindOf } from '../callers/kinds.js';
import type { Db } from '../db/statement.js';
import type { OwnScope, Scopes } from '../domain/scopes.js';
import type { Standing } from '../domain/standing.js';
import { AdminRefusal } from '../listing/refusal.js';
import type { GraphqlContext } from './context.js';
import { errorOf } from './errors.js';

/** What a field requires of its caller. */
interface Requirement {
  sentence: string;
  /** @throws FORBIDDEN. Undefined if the function that the field calls checks by itself */
  check?(context: GraphqlContext, source: never): void;
}

const KEY = 'requirement';

/** Declares the scope that a field needs. */
export function RequireScope(scope: OwnScope) {
  return Extensions({
    [KEY]: { sentence: sentenceOf({ scope }), check: (context) => mustHave(scope, context) } satisfies Requirement,
  });
}

/** Declares a scope that users do not need for their own objects. @param ownerOf the owner of the parent */
export function RequireScopeUnlessOwn<Source>(scope: OwnScope, ownerOf: (source: Source) => string) {
  const check = (context: GraphqlContext, source: Source): void => {
    if (asUser(context.caller)?.sub !== ownerOf(source)) mustHave(scope, context);
  };
  return Extensions({ [KEY]: { sentence: sentenceOf({ scope, exceptOwn: true }), check } satisfies Requirement });
}

/** Declares that a field is only for users with an access token. */
export function RequireUser() {
  const check = ({ caller }: GraphqlContext): void => void userOf(caller);
  return Extensions({ [KEY]: { sentence: 'Only for callers of type `user`.', check } satisfies Requirement });
}

/** Declares that a field needs what the function that it calls needs; that function checks it. */
export function RequiresWhat({ needs }: { needs: Needs }) {
  return Extensions({ [KEY]: { sentence: sentenceOf(needs) } satisfies Requirement });
}

function sentenceOf({ scope, also = [], exceptOwn }: Needs): string {
  const scopes = [scope, ...also].map((name) => `\`${name}\``).join(' and ');
  return exceptOwn ? `Unless it is your own, needs ${scopes}.` : `Needs ${scopes}.`;
}

/** Adds the check of each field to its resolver, and the sentence to its description. */
export function enforceRequirements(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isObjectType(type)) Object.values(type.getFields()).forEach(enforce);
  }
}

function enforce(field: GraphQLField<never, GraphqlContext>): void {
  const requirement = field.extensions[KEY] as Requirement | undefined;
  if (requirement === undefined) return;
  const { sentence, check } = requirement;
  field.description = [field.description, sentence].filter(Boolean).join(' ');
  const { resolve = defaultFieldResolver } = field;
  if (check === undefined) return;
  field.resolve = (source, args, context, info) => {
    check(context, source);
    return resolve(source, args, context, info);
  };
}

/** @throws {AdminRefusal} FORBIDDEN */
function mustHave(scope: OwnScope, context: GraphqlContext): void {
  requireScope(scopesByCredential(context), scope);
}

/** What a query relies on. */
export function scopesByCredential({ caller, deps }: Pick<GraphqlContext, 'caller' | 'deps'>): Scopes {
  return kindOf(caller).scopes(caller, deps.config);
}

/** @throws {GraphQLError} FORBIDDEN for a key */
export function userOf(caller: Caller): UserCaller {
  const user = asUser(caller);
  if (user === undefined) throw errorOf('not_a_user', 'Only users with an access token can do this');
  return user;
}

/** The caller as the author of a change, with what its rows allow at that time. */
export function operatorOf({ caller, deps, origin }: GraphqlContext): Operator {
  const kind = kindOf(caller);
  const standing = async (db: Db): Promise<Standing> => {
    const found = await kind.standing(db, caller, deps.clock.now(), deps.config);
    if (found === undefined) throw new AdminRefusal('caller_inactive', 'The caller is no longer active');
    return found;
  };
  return { actor: kind.actor(caller), origin, standing };
}
