/** Interface 7: which input of a variable does not fit its type, by its name in the schema. */
import { coerceInputValue, type GraphQLError, type GraphQLSchema, isInputType, Kind, typeFromAST } from 'graphql';

const MISSING = /^Field "(\w+)" of required type/;

/**
 * @param error what graphql-js says of the variable
 * @param variables as they were sent
 * @returns the innermost name; undefined where it is the variable itself that does not fit
 */
export function inputAtFault(
  schema: GraphQLSchema,
  { nodes: [definition] = [] }: GraphQLError,
  variables: Readonly<Record<string, unknown>>,
): string | undefined {
  if (definition?.kind !== Kind.VARIABLE_DEFINITION) return undefined;
  const type = typeFromAST(schema, definition.type);
  if (!isInputType(type)) return undefined;
  let found: string | undefined;
  try {
    coerceInputValue(variables[definition.variable.name.value], type, (path, _value, error) => {
      const [, missing] = MISSING.exec(error.message) ?? [];
      found = missing ?? path.findLast((part) => typeof part === 'string');
      throw error; // the first is enough: a list may have thousands
    });
  } catch {
    return found;
  }
  return undefined;
}
