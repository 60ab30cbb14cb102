/** Limits of one operation. (Interface 7) */
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import {
  type ComplexityEstimator,
  type ComplexityEstimatorArgs,
  fieldExtensionsEstimator,
  getComplexity,
} from 'graphql-query-complexity/cjs';
import type { UserOrder } from '../admin/users.js';
import type { AuditEventFilter } from '../audit/log.js';
import { MAX_PASSKEYS } from '../domain/factors.js';
import { DEFAULT_ROWS, MAX_ROWS, type Ordering, rowsRefused } from '../listing/keyset.js';
import { MAX_ATTEMPTS } from '../outbox/attempts.js';
import { dearestPath, type FieldCost } from './dearest-path.js';
import { errorOf, status } from './errors.js';
import type { Mask } from './masking.js';
import { faultOfVariable } from './variables.js';

// The entry for `import` of graphql-query-complexity loads a second copy of graphql, hence its `/cjs`.

/** Lexical tokens of a document */
export const MAX_TOKENS = 1_500;
/** Cache of parsed and validated documents: characters of their trees as JSON, a quarter of the memory in bytes */
export const DOCUMENT_CACHE_SIZE = 4 * 1024 * 1024;
/** The same of trusted documents */
export const TRUSTED_CACHE_SIZE = 4 * DOCUMENT_CACHE_SIZE;
export const MAX_DEPTH = 10;
export const MAX_ALIASES = 15;
/** A field costs 1 (about two microseconds), a long one more. Each database query has its own cost in addition. */
export const MAX_COST = 10_000;
/** Cost of a root field */
export const STATEMENT_COST = 20;
/** Cost of each row of a page, in addition to its selected fields */
export const ROW_COST = 5;
/** Cost of what may read every event of a user, such as a timeline: at most three in an operation. */
export const TIMELINE_COST = 3_000;
/** Cost of counts, which read a whole range of the log: at most three in an operation. */
export const COUNTS_COST = 3_000;
/** Cost of `totalCount`, which reads up to 10,000 rows once. */
export const TOTAL_COST = 1_000;
/** Cost of an order that no index has: it reads every user once. */
export const SORT_COST = 1_000;
/** Names cannot be escaped in a document (GraphQL section 2.1.9), so a text search finds this one. */
const COUNT_FIELD = 'totalCount';
/** Cost of fields that may hold kilobytes, and of User-Agents */
export const COST_OF_SCOPES = 10;
export const COST_OF_EVENT_TYPES = 10;
export const COST_OF_URL = 3;
export const COST_OF_METADATA = 15;
export const COST_OF_USER_AGENT = 3;
/** Cost of the findings of `doctor`: about fifty rows, and once a minute a run that asks every store. */
export const COST_OF_CHECKS = 1_000;
/** Cost of the state of mail: up to 20,000 events are counted. */
export const COST_OF_MAIL = 1_000;
/** Maximum number of reported validation errors and invalid values: each costs a pass over the whole document. */
export const MAX_ERRORS = 5;

/** Interface 16: a user has no more; `migrations` has the trigger. */
const MAX_DEVICES = 20;

/** One authenticator app and the passkeys */
const MAX_FACTORS = 1 + MAX_PASSKEYS;

/** Cost of a connection with `first` or `last` rows. Null is as if left out. */
export function costOfPage({ args: { first, last }, childComplexity }: ComplexityEstimatorArgs): number {
  return STATEMENT_COST + Math.max(first ?? last ?? DEFAULT_ROWS, 1) * (ROW_COST + childComplexity);
}

/** Cost of login counts: a million takes 1.4 s, so at most three in an operation. */
export function costOfAddresses(args: ComplexityEstimatorArgs): number {
  return COUNTS_COST + costOfPage(args);
}

/** Cost of a page of audit events. To find a login and logouts by their session may read every event of a user. */
export function costOfEvents(args: ComplexityEstimatorArgs): number {
  const { sessionId } = (args.args['filter'] ?? {}) as AuditEventFilter;
  return costOfPage(args) + (sessionId == null ? 0 : TIMELINE_COST);
}

/** Cost of events as they happen: as a page of them. */
export function costOfFollowed({ childComplexity }: ComplexityEstimatorArgs): number {
  return STATEMENT_COST + DEFAULT_ROWS * (ROW_COST + childComplexity);
}

/** Cost of a page of users. */
export function costOfUsers(args: ComplexityEstimatorArgs): number {
  const { order, orderBy }: { order?: Ordering<UserOrder> | null; orderBy?: UserOrder | null } = args.args;
  return costOfPage(args) + ((order?.field ?? orderBy) === 'last_login_at' ? SORT_COST : 0);
}

/** Cost of the devices of a user. */
export function costOfDevices({ childComplexity }: ComplexityEstimatorArgs): number {
  return STATEMENT_COST + MAX_DEVICES * (ROW_COST + childComplexity);
}

/** Cost of the second factors of a user. */
export function costOfFactors({ childComplexity }: ComplexityEstimatorArgs): number {
  return STATEMENT_COST + MAX_FACTORS * (ROW_COST + childComplexity);
}

/** Cost of the last attempts of a webhook. */
export function costOfAttempts({ childComplexity }: ComplexityEstimatorArgs): number {
  return STATEMENT_COST + MAX_ATTEMPTS * (ROW_COST + childComplexity);
}

export function costOfCounts({ childComplexity }: ComplexityEstimatorArgs): number {
  return COUNTS_COST + childComplexity;
}

/** Cost of a field that a loader reads for all rows of a page. */
export function costOfLoaded({ childComplexity }: ComplexityEstimatorArgs): number {
  return STATEMENT_COST + childComplexity;
}

/** Cost of fields that are read once instead of once a row. */
function costOnce({ field, childComplexity }: ComplexityEstimatorArgs): number {
  return (field.name === COUNT_FIELD ? TOTAL_COST : 0) + childComplexity;
}

/** The argument of a connection that exceeds the maximum page size. */
function tooLong({ args }: ComplexityEstimatorArgs): 'first' | 'last' | undefined {
  return (['first', 'last'] as const).find((argument) => args[argument] > MAX_ROWS);
}

export function costOfTimeline(args: ComplexityEstimatorArgs): number {
  return TIMELINE_COST + costOfPage(args);
}

/** Cost of a change of many users, or of lines to import: as of a page of them. */
export function costOfMany({ args: { input }, childComplexity }: ComplexityEstimatorArgs): number {
  const { ids, lines } = input as { ids?: string[]; lines?: string[] };
  return STATEMENT_COST + (ids ?? lines ?? []).length * (ROW_COST + childComplexity);
}

/** Cost of any other root field. */
function costOfRootField({ type, childComplexity }: ComplexityEstimatorArgs): number | undefined {
  return /^(Query|Mutation)$/.test(type.name) ? STATEMENT_COST + childComplexity : undefined;
}

/** Reports with the other validation errors (400). By themselves the rules would throw (500). */
const report = {
  onReject: [(context: ValidationContext | null, error: GraphQLError) => context?.reportError(error)],
  propagateOnRejection: false,
};

/** Introspection is exempt from the depth limit: it has its own switch. */
export const validationRules: ValidationRule[] = [
  maxDepthRule({ n: MAX_DEPTH, ignoreIntrospection: true, ...report }),
  maxAliasesRule({ n: MAX_ALIASES, allowList: [], ...report }),
];

const ofItsOwn = fieldExtensionsEstimator();

/** Cost of a field with its children. */
function costOfField(args: ComplexityEstimatorArgs): number {
  return ofItsOwn(args) ?? costOfRootField(args) ?? 1 + args.childComplexity;
}

/** One operation of a valid document */
export interface AskedOperation {
  query: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Record<string, unknown>;
  /** The document as it was sent */
  text: string;
}

export interface CostLimit {
  /** Infinite if the cost is too large to compute. @throws {GraphQLError} `invalid_variable` */
  costOf(asked: AskedOperation): number;
  /** @throws {GraphQLError} `cost_above_limit`, or `invalid_page` if that is why */
  check(asked: AskedOperation, cost: number): void;
}

export function createCostLimit(schema: GraphQLSchema, mask: Mask): CostLimit {
  /** Costs of operations without variables, while their documents are cached */
  const known = new WeakMap<OperationDefinitionNode, number>();
  const estimate = ({ query, operation: { name }, variables }: AskedOperation, estimator: ComplexityEstimator) =>
    getComplexity({ schema, query, variables, estimators: [estimator], ...(name && { operationName: name.value }) });
  const hasCounts = ({ text }: AskedOperation) => text.includes(COUNT_FIELD); // rare, and a second estimate takes time
  return {
    costOf: (asked) => {
      const { operation, variables } = asked;
      const definitions = operation.variableDefinitions ?? [];
      const { errors } = getVariableValues(schema, definitions, variables, { maxErrors: 1 });
      const [error] = errors ?? [];
      if (error !== undefined) {
        const fault = faultOfVariable(schema, error, variables);
        const message = withoutValue(error.message, fault?.what);
        throw errorOf('invalid_variable', message, status(400), { argument: fault?.argument });
      }
      const cost =
        known.get(operation) ??
        orInfinite(() => estimate(asked, costOfField) + (hasCounts(asked) ? estimate(asked, costOnce) : 0), mask);
      if (definitions.length === 0) known.set(operation, cost);
      return cost;
    },
    check: (asked, cost) => {
      if (cost <= MAX_COST) return;
      const message = `The operation costs ${cost}; at most ${MAX_COST} is allowed`;
      if (cost === Number.POSITIVE_INFINITY) throw errorOf('cost_above_limit', message, status(400));
      const costs = new Map<FieldNode, FieldCost>();
      let refused: ReturnType<typeof tooLong>;
      estimate(asked, (args) => {
        const rows = () => costOfField({ ...args, childComplexity: 1 }) - costOfField({ ...args, childComplexity: 0 });
        costs.set(args.node, { inRow: costOfField(args), once: 0, rows });
        refused ??= tooLong(args);
        return costOfField(args);
      });
      if (refused) throw errorOf('invalid_page', rowsRefused(refused), status(400), { argument: refused });
      if (hasCounts(asked))
        estimate(asked, (args) => {
          const once = costOnce(args);
          Object.assign(costs.get(args.node) ?? {}, { once } satisfies Partial<FieldCost>);
          return once;
        });
      const { query, operation, variables } = asked;
      const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
      const path = dearestPath(query, operation, coerced, costs);
      throw errorOf('cost_above_limit', `${message}. The dearest part is ${path}`, status(400), { dearestPath: path });
    },
  };
}

/** Names the variable but not its value, which may be a password. @param what is required, and where */
function withoutValue(message: string, what: string | undefined): string {
  const wanted = what === undefined ? '' : `: ${what}`;
  return message.replace(/ got invalid value .*$/s, () => ` got a value that does not fit its type${wanted}.`);
}

/** Infinite if the cost is too large to compute. An invalid variable is refused. */
function orInfinite(count: () => number, mask: Mask): number {
  try {
    return count();
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (error.message.startsWith('Query exceeds')) return Number.POSITIVE_INFINITY;
    const { message, ...more } = mask(error);
    throw errorOf('invalid_variable', message, status(400), more);
  }
}
