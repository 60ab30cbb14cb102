/** Builds the schema from the code; `schema.graphql` is its printed form. */
import 'reflect-metadata';
import {
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
  specifiedDirectives,
} from 'graphql';
import { buildSchema, type PubSub, type ResolverData } from 'type-graphql';
import { hasNul } from '../platform/text.js';
import { enforceRequirements, REQUIRES_SCOPES, requirementOf } from './authorization.js';
import type { GraphqlContext } from './context.js';
import { errorOf, outagesAs503 } from './errors.js';
import { AuditActorResolver, AuditResolver } from './resolvers/audit.js';
import { CallerResolver } from './resolvers/caller.js';
import { DeviceResolver } from './resolvers/devices.js';
import { FactorResolver } from './resolvers/factors.js';
import { GatewayResolver } from './resolvers/gateway.js';
import { ApiKeyResolver, CronKeyResolver } from './resolvers/keys.js';
import { ManyUsersResolver } from './resolvers/many-users.js';
import { SessionResolver } from './resolvers/sessions.js';
import { UserResolver } from './resolvers/users.js';
import { WebhookResolver } from './resolvers/webhooks.js';
import { CALLER_TYPES } from './types/caller.js';

export async function createSchema(): Promise<GraphQLSchema> {
  const schema = await buildSchema({
    resolvers: [
      CallerResolver,
      UserResolver,
      ManyUsersResolver,
      SessionResolver,
      DeviceResolver,
      FactorResolver,
      AuditResolver,
      AuditActorResolver,
      ApiKeyResolver,
      CronKeyResolver,
      WebhookResolver,
      GatewayResolver,
    ],
    directives: [...specifiedDirectives, REQUIRES_SCOPES],
    orphanedTypes: Object.values(CALLER_TYPES), // no field refers to them
    globalMiddlewares: [
      ({ args, context, info }: ResolverData<GraphqlContext>, next) => {
        if (info.fieldName === 'caller') return next(); // the most frequent field, and already known
        if (info.operation.operation === 'subscription' && info.path.prev === undefined) return next(); // already read
        refuseNul(args, '');
        const { caller, deps, ids, isGone, concurrency } = context;
        const isRoot = info.path.prev === undefined; // below the root, loaders read all rows of a page at once
        const asksDatabase = info.fieldName !== 'gateway'; // what does not ask it need not wait for others
        const kind = info.operation.operation === 'mutation' ? 'changes' : 'reads';
        const limited = () => concurrency.ofCaller(caller, kind, isGone, next);
        return outagesAs503(deps, ids, isRoot && asksDatabase ? limited : next);
      },
    ],
    pubSub: NO_TOPICS,
    skipCheck: true, // Apollo also checks the schema
    validate: false, // inputs are checked where they are used
  });
  enforceRequirements(schema);
  describe(
    schema.getQueryType(),
    'Read operations. A field other than `caller` is null if it fails; see `errors`. The other fields still return data.',
  );
  describe(
    schema.getSubscriptionType(),
    'Events as they happen, as Server-Sent Events: `Accept: text/event-stream`, one operation a request.',
  );
  describe(
    schema.getMutationType(),
    'Write operations. Every change is recorded in the audit log. A field is null if it fails: if the `path` of the error ' +
      'ends with the field, nothing was changed, unless its `reason` is `unavailable` and the answer of the database was lost; if the ' +
      'path continues below it, the change was made.',
  );
  return schema;
}

/** type-graphql demands one for subscriptions, and asks it only for topics, which ours has none of. */
const NO_TOPICS: PubSub = { publish: () => undefined, async *subscribe() {} };

/** type-graphql cannot describe the root types. */
function describe(type: GraphQLObjectType | null | undefined, description: string): void {
  if (type) type.description = description;
}

/** PostgreSQL cannot store NUL in text, so nothing can match. @param argument the name of the value */
function refuseNul(value: unknown, argument: string): void {
  if (typeof value === 'string' && hasNul(value)) {
    throw errorOf('invalid_text', 'An argument contains the NUL character', undefined, { argument });
  }
  if (Array.isArray(value)) for (const item of value) refuseNul(item, argument);
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value)) refuseNul(field, name);
}

/** The text of `schema.graphql`. graphql-js prints no directives of fields, so `@requiresScopes` is added to its text. */
export async function printedSchema(): Promise<string> {
  const schema = lexicographicSortSchema(await createSchema());
  const text = printSchema(schema);
  let printed = '';
  let end = 0;
  for (const node of parse(text).definitions) {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    const { [node.name.value]: type } = schema.getTypeMap();
    for (const { name, loc } of node.fields ?? []) {
      const field = isObjectType(type) ? type.getFields()[name.value] : undefined;
      const scopes = field && requirementOf(field)?.scopes;
      if (scopes === undefined || loc === undefined) continue;
      printed += `${text.slice(end, loc.end)} @requiresScopes(scopes: ${JSON.stringify(scopes).replaceAll(',', ', ')})`;
      end = loc.end;
    }
  }
  return `${printed}${text.slice(end)}\n`;
}
