/** Interface 7: what one operation may ask for. */
import type { ApolloServerPlugin } from '@apollo/server';
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import {
  type ComplexityEstimatorArgs,
  fieldExtensionsEstimator,
  getComplexity,
  simpleEstimator,
} from 'graphql-query-complexity/cjs';
import { FIRST_REFUSED, MAX_ROWS } from '../listing/page.js';
import { errorOf, status } from './errors.js';
import type { Mask } from './masking.js';
import { faultOfVariable } from './variables.js';

// The entry for `import` of graphql-query-complexity loads a second copy of graphql, hence its `/cjs`.

/** Lexical tokens of a document */
export const MAX_TOKENS = 1_500;
/** Documents that are kept parsed and validated: characters of their trees as JSON, a quarter of the bytes they take */
export const KEPT_DOCUMENTS = 4 * 1024 * 1024;
const MAX_DEPTH = 10;
const MAX_ALIASES = 15;
/** A field costs 1 (some two microseconds), a long one more; what asks the database also costs by itself. */
const MAX_COST = 10_000;
/** Of a field of the roots */
const STATEMENT_COST = 20;
/** Of each row of a page, beside what is selected of it */
const ROW_COST = 5;
/** Of a story, which may read all that the log has on a user: at most three in an operation. */
const TIMELINE_COST = 3_000;
/** Of counts, which read a span of the log whole: at most three in an operation. */
const COUNTS_COST = 3_000;
/** Of the number of rows of a list, which reads 10,000 of them, once. */
const TOTAL_COST = 1_000;
/** A name in a document is spelled out (GraphQL section 2.1.9), so that its text tells whether it has this one. */
const COUNT_FIELD = 'totalCount';
/** Of fields that may hold kilobytes, and of User-Agents */
export const COST_OF_SCOPES = 10;
export const COST_OF_METADATA = 15;
export const COST_OF_USER_AGENT = 3;
/** Validation errors that are reported, and values that do not fit: each looks through the whole document. */
export const MAX_ERRORS = 5;

/** Rows of a page, unless said otherwise. */
export const FIRST = 50;

/** Cost of a connection: what `first` rows cost; null is answered like a `first` that is left out. */
export function costOfPage({ args, childComplexity }: ComplexityEstimatorArgs): number {
  const first: unknown = args['first'];
  return STATEMENT_COST + (typeof first === 'number' ? Math.max(first, 1) : FIRST) * (ROW_COST + childComplexity);
}

export function costOfCounts({ childComplexity }: ComplexityEstimatorArgs): number {
  return COUNTS_COST + childComplexity;
}

/** Cost of what a loader reads for all rows of a page. */
export function costOfLoaded({ childComplexity }: ComplexityEstimatorArgs): number {
  return STATEMENT_COST + childComplexity;
}

/** Cost of what is read once and not for each row of the page around it. */
function costOnce({ field, childComplexity }: ComplexityEstimatorArgs): number {
  return (field.name === COUNT_FIELD ? TOTAL_COST : 0) + childComplexity;
}

/** How many pages ask for more rows than a page has. */
function tooLong({ args, childComplexity }: ComplexityEstimatorArgs): number {
  return (args['first'] > MAX_ROWS ? 1 : 0) + childComplexity;
}

export function costOfStory(args: ComplexityEstimatorArgs): number {
  return TIMELINE_COST + costOfPage(args);
}

/** Cost of any other field of the roots. */
function costOfRootField({ type, childComplexity }: ComplexityEstimatorArgs): number | undefined {
  return /^(Query|Mutation)$/.test(type.name) ? STATEMENT_COST + childComplexity : undefined;
}

/** Beside the other validation errors (400), where the rules by themselves would throw (500). */
const report = {
  onReject: [(context: ValidationContext | null, error: GraphQLError) => context?.reportError(error)],
  propagateOnRejection: false,
};

/** Where the schema lacks a kind of operation, graphql-js validates nothing of it and fails to execute it. */
const knownOperationRule: ValidationRule = (context) => ({
  OperationDefinition: (node) => {
    if (context.getSchema().getRootType(node.operation) != null) return;
    context.reportError(new GraphQLError(`The schema has no ${node.operation} operations`, { nodes: node }));
  },
});

/** Introspection is deeper than any other query and has its own switch. */
export const validationRules: ValidationRule[] = [
  knownOperationRule,
  maxDepthRule({ n: MAX_DEPTH, ignoreIntrospection: true, ...report }),
  maxAliasesRule({ n: MAX_ALIASES, allowList: [], ...report }),
];

/** Refuses an operation whose variables do not fit, or whose cost with them is above the limit. */
export function costLimit(schema: GraphQLSchema, mask: Mask): ApolloServerPlugin {
  const estimators = [fieldExtensionsEstimator(), costOfRootField, simpleEstimator({ defaultComplexity: 1 })];
  /** Of operations without variables, as long as their documents are kept */
  const known = new WeakMap<OperationDefinitionNode, number>();
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ request, document, operation }) => {
        if (operation === undefined) return; // execution says that there is none of this name
        const variables = request.variables ?? {};
        const definitions = operation.variableDefinitions ?? [];
        const { errors } = getVariableValues(schema, definitions, variables, { maxErrors: 1 });
        const [error] = errors ?? [];
        if (error !== undefined) {
          const fault = faultOfVariable(schema, error, variables);
          const message = withoutValue(error.message, fault?.what);
          throw errorOf('invalid_variable', message, status(400), { argument: fault?.argument });
        }
        const { operationName } = request;
        const asked = { schema, query: document, variables, ...(operationName ? { operationName } : {}) };
        const hasCounts = request.query?.includes(COUNT_FIELD) ?? false; // few have, and each look takes its time
        const cost =
          known.get(operation) ??
          costOf(() => {
            const once = hasCounts ? getComplexity({ ...asked, estimators: [costOnce] }) : 0;
            return getComplexity({ ...asked, estimators }) + once;
          }, mask);
        if (definitions.length === 0) known.set(operation, cost);
        if (cost > MAX_COST) {
          const isPageTooLong =
            cost < Number.POSITIVE_INFINITY && getComplexity({ ...asked, estimators: [tooLong] }) > 0;
          if (isPageTooLong) throw errorOf('invalid_page', FIRST_REFUSED, status(400), { argument: 'first' });
          const message = `The operation costs ${cost}; at most ${MAX_COST} is allowed`;
          throw errorOf('cost_above_limit', message, status(400));
        }
      },
    }),
  };
}

/** Names the variable but not what was sent in it, which may be a password. @param what is wanted, and where */
function withoutValue(message: string, what: string | undefined): string {
  const wanted = what === undefined ? '' : `: ${what}`;
  return message.replace(/ got invalid value .*$/s, () => ` got a value that does not fit its type${wanted}.`);
}

/** What is too large to be counted costs too much; an argument that a variable does not fit has no cost. */
function costOf(count: () => number, mask: Mask): number {
  try {
    return count();
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (error.message.startsWith('Query exceeds')) return Number.POSITIVE_INFINITY;
    throw errorOf('invalid_variable', mask(error), status(400));
  }
}
