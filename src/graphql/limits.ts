/** CONTRACT 7: what one operation may ask for. */
import type { ApolloServerPlugin } from '@apollo/server';
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import {
  type ComplexityEstimatorArgs,
  fieldExtensionsEstimator,
  getComplexity,
  simpleEstimator,
} from 'graphql-query-complexity/cjs';
import { FIRST } from './types/connection.js';

// The entry for `import` of graphql-query-complexity loads a second copy of graphql, hence its `/cjs`.

/** Bytes of a request body */
export const BODY_BYTES = 64 * 1024;
/** Lexical tokens of a document */
export const MOST_TOKENS = 2_000;
const MOST_DEPTH = 10;
const MOST_ALIASES = 15;
/** A field costs 1, a page what it may hold, any other list as much as ten. */
const MOST_COST = 10_000;
const USUAL_LIST = 10;

/** Cost of a list of unknown length. */
export function costOfList({ childComplexity }: ComplexityEstimatorArgs): number {
  return 1 + USUAL_LIST * childComplexity;
}

/** Cost of a connection: what `first` rows cost; null is answered like a `first` that is left out. */
export function costOfPage({ args, childComplexity }: ComplexityEstimatorArgs): number {
  const first: unknown = args['first'];
  return 1 + (typeof first === 'number' ? Math.max(first, 1) : FIRST) * childComplexity;
}

/** Cost of counts, which read a span of the log whole: at most three in an operation. */
export function costOfCounts({ childComplexity }: ComplexityEstimatorArgs): number {
  return 1 + 1_000 * childComplexity;
}

/** Beside the other validation errors (400), where the rules by themselves would throw (500). */
const report = {
  onReject: [(context: ValidationContext | null, error: GraphQLError) => context?.reportError(error)],
  propagateOnRejection: false,
};

/** Introspection is deeper than any other query and has its own switch. */
export const validationRules: ValidationRule[] = [
  maxDepthRule({ n: MOST_DEPTH, ignoreIntrospection: true, ...report }),
  maxAliasesRule({ n: MOST_ALIASES, allowList: [], ...report }),
];

/** Refuses an operation whose variables do not fit, or whose cost with them is above the limit. */
export function costLimit(schema: GraphQLSchema): ApolloServerPlugin {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ request, document, operation }) => {
        if (operation === undefined) return; // execution says that there is none of this name
        const variables = request.variables ?? {};
        const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
        if (errors !== undefined) throw refused('BAD_USER_INPUT', withoutValue(errors[0]?.message ?? ''));
        const cost = costOf(() =>
          getComplexity({
            schema,
            query: document,
            variables,
            ...(request.operationName ? { operationName: request.operationName } : {}),
            estimators: [fieldExtensionsEstimator(), simpleEstimator({ defaultComplexity: 1 })],
          }),
        );
        if (cost > MOST_COST) {
          throw refused('OPERATION_TOO_COSTLY', `The operation costs ${cost}; at most ${MOST_COST} is allowed`);
        }
      },
    }),
  };
}

/** Names the variable but not what was sent in it, which may be a password. */
function withoutValue(message: string): string {
  return message.replace(/ got invalid value .*$/s, ' got a value that does not fit its type.');
}

/** What is too large to be counted costs too much. */
function costOf(count: () => number): number {
  try {
    return count();
  } catch (error) {
    if (error instanceof GraphQLError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

function refused(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: 400 } } });
}
