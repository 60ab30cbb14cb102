/** The schema, built from the code; `schema.graphql` at the root is its print. */
import 'reflect-metadata';
import { type GraphQLObjectType, type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchema, type ResolverData } from 'type-graphql';
import { hasNul } from '../platform/text.js';
import { enforceRequirements } from './authorization.js';
import type { GraphqlContext } from './context.js';
import { errorOf, outagesAs503 } from './errors.js';
import { AuditResolver } from './resolvers/audit.js';
import { CallerResolver } from './resolvers/caller.js';
import { ApiKeyResolver, CronKeyResolver } from './resolvers/keys.js';
import { SessionResolver } from './resolvers/sessions.js';
import { UserResolver } from './resolvers/users.js';
import { CALLER_TYPES } from './types/caller.js';

export async function createSchema(): Promise<GraphQLSchema> {
  const schema = await buildSchema({
    resolvers: [CallerResolver, UserResolver, SessionResolver, AuditResolver, ApiKeyResolver, CronKeyResolver],
    orphanedTypes: Object.values(CALLER_TYPES), // which no field names
    globalMiddlewares: [
      ({ args, context, info }: ResolverData<GraphqlContext>, next) => {
        if (info.fieldName === 'caller') return next(); // is known already, and asked for most
        refuseNul(args, '');
        const { caller, deps, ids, isGone, turns } = context;
        const isRoot = info.path.prev === undefined; // below, loaders take a turn for all rows of a page
        const kind = info.operation.operation === 'mutation' ? 'changes' : 'reads';
        const inTurn = () => turns.ofCaller(caller, kind, isGone, next);
        return outagesAs503(deps, ids, isRoot ? inTurn : next);
      },
    ],
    skipCheck: true, // Apollo looks at the schema, too
    validate: false, // bodies are checked where they are used
  });
  enforceRequirements(schema);
  describe(
    schema.getQueryType(),
    'Read operations. A field other than `caller` is null if it fails; see `errors`. The other fields still return data.',
  );
  describe(
    schema.getMutationType(),
    'Write operations. Every change is recorded in the audit log. A field is null if it fails: if the `path` of the error ' +
      'ends with the field, nothing was changed; if the path continues below it, the change was made.',
  );
  return schema;
}

/** Of the roots type-graphql asks for no description. */
function describe(type: GraphQLObjectType | null | undefined, description: string): void {
  if (type) type.description = description;
}

/** There is nothing to be found or named by a text with NUL. @param argument the name under which the value was sent */
function refuseNul(value: unknown, argument: string): void {
  if (typeof value === 'string' && hasNul(value)) {
    throw errorOf('invalid_text', 'An argument contains the NUL character', undefined, { argument });
  }
  if (Array.isArray(value)) for (const item of value) refuseNul(item, argument);
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value)) refuseNul(field, name);
}

/** The text of `schema.graphql`. */
export async function printedSchema(): Promise<string> {
  return `${printSchema(lexicographicSortSchema(await createSchema()))}\n`;
}
