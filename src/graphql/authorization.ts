/**
 * Authorization. A field declares what it needs; its check and a sentence of its description follow from that. Queries
 * rely on the credential. A mutation reads the caller's row again, inside its transaction. (Interface 11)
 */
import {
  DirectiveLocation,
  defaultFieldResolver,
  GraphQLDirective,
  type GraphQLField,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  isObjectType,
} from 'graphql';
import { Extensions } from 'type-graphql';
import { type Needs, type Operator, requireScope } from '../admin/administer.js';
import { asUser, type Caller, type UserCaller } from '../callers/caller.js';
import { kindOf } from '../callers/kinds.js';
import type { Db } from '../db/statement.js';
import { hasScope, type OwnScope, type Scopes } from '../domain/scopes.js';
import type { Standing } from '../domain/standing.js';
import { AdminRefusal } from '../listing/refusal.js';
import type { GraphqlContext } from './context.js';
import { errorOf } from './errors.js';

/** What a field requires of its caller: `extensions.requirement`. */
export interface Requirement {
  /** Alternatives, each a list of scopes that are all needed. Undefined if no scope is needed in every case, as for own objects */
  scopes: OwnScope[][] | undefined;
  sentence: string;
  /** @throws FORBIDDEN. Undefined if the function that the field calls checks by itself */
  check?: ((context: GraphqlContext, source: never) => void) | undefined;
}

const KEY = 'requirement';

/** Federation has the same name, argument and meaning, so its tools read it. (Interface 24) */
export const REQUIRES_SCOPES = new GraphQLDirective({
  name: 'requiresScopes',
  description: 'Scopes that every caller needs for this field.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    scopes: {
      description: 'Alternatives, each a list of scopes that are all needed.',
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString))))),
    },
  },
});

/** Declares the scope that a field needs. @param others scopes of which each is enough too */
export function RequireScope(scope: OwnScope, ...others: OwnScope[]) {
  const check = (context: GraphqlContext): void => {
    const scopes = scopesByCredential(context);
    if (!others.some((other) => hasScope(scopes, other))) requireScope(scopes, scope);
  };
  return declare({ scopes: [scope, ...others].map((one) => [one]), check });
}

/** Declares a scope that users do not need for their own objects. @param ownerOf the owner of the parent */
export function RequireScopeUnlessOwn<Source>(scope: OwnScope, ownerOf: (source: Source) => string) {
  const check = (context: GraphqlContext, source: Source): void => {
    if (asUser(context.caller)?.sub !== ownerOf(source)) requireScope(scopesByCredential(context), scope);
  };
  return declare({ scopes: undefined, sentence: sentenceOf([[scope]], true), check });
}

/** Declares that a field is only for users with an access token. */
export function RequireUser() {
  const check = ({ caller }: GraphqlContext): void => void userOf(caller);
  return declare({ scopes: undefined, sentence: 'Only for callers of type `user`.', check });
}

/** Declares that a field needs what the function that it calls needs; that function checks it. */
export function RequiresWhat({ needs: { scope, also = [], exceptOwn } }: { needs: Needs }) {
  const scopes = [[scope, ...also]];
  return exceptOwn ? declare({ scopes: undefined, sentence: sentenceOf(scopes, true) }) : declare({ scopes });
}

function declare({ scopes, sentence = sentenceOf(scopes ?? []), check }: Partial<Requirement>) {
  return Extensions({ [KEY]: { scopes, sentence, check } satisfies Requirement });
}

function sentenceOf(scopes: OwnScope[][], exceptOwn = false): string {
  const needed = scopes.map((all) => all.map((scope) => `\`${scope}\``).join(' and ')).join(' or ');
  return exceptOwn ? `Unless it is your own, needs ${needed}.` : `Needs ${needed}.`;
}

/** Adds the check of each field to its resolver, and the sentence to its description. */
export function enforceRequirements(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isObjectType(type)) Object.values(type.getFields()).forEach(enforce);
  }
}

export function requirementOf({ extensions }: GraphQLField<never, GraphqlContext>): Requirement | undefined {
  return extensions[KEY] as Requirement | undefined;
}

function enforce(field: GraphQLField<never, GraphqlContext>): void {
  const requirement = requirementOf(field);
  if (requirement === undefined) return;
  const { sentence, check } = requirement;
  field.description = [field.description, sentence].filter(Boolean).join(' ');
  const { resolve = defaultFieldResolver } = field;
  if (check === undefined) return;
  const { subscribe } = field;
  if (subscribe !== undefined) {
    field.subscribe = (source, args, context, info) => {
      check(context, source);
      return subscribe(source, args, context, info);
    };
    return;
  }
  field.resolve = (source, args, context, info) => {
    check(context, source);
    return resolve(source, args, context, info);
  };
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
