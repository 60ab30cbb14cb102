/** What a query says, as far as it can be parsed. */
import { type GraphQLSchema, type OperationDefinitionNode, parse, validate } from 'graphql';

/** @returns the name of the operation at the cursor, or of the first; undefined if it has none, which the gateway accepts of one alone */
export function operationAt(query: string, cursor: number): string | undefined {
  const operations = operationsOf(query);
  const at = operations.filter(({ loc }) => loc !== undefined && loc.start <= cursor).at(-1);
  return (at ?? operations[0])?.name?.value;
}

/** @returns how a list names the query: by its first operation, or by how it begins */
export function nameOf(query: string): string {
  return operationsOf(query)[0]?.name?.value ?? query.replace(/#.*/g, '').trim().slice(0, 40);
}

/** @returns the first fault and its place; undefined without one */
export function faultsOf(schema: GraphQLSchema, query: string): string | undefined {
  try {
    const [fault] = validate(schema, parse(query), undefined, { maxErrors: 1 });
    return fault === undefined ? undefined : worded(fault);
  } catch (error) {
    return worded(error as Error);
  }
}

function worded(fault: Error & { locations?: readonly { line: number }[] | undefined }): string {
  const line = fault.locations?.[0]?.line;
  return line === undefined ? fault.message : `Line ${line}: ${fault.message}`;
}

function operationsOf(query: string): OperationDefinitionNode[] {
  try {
    return parse(query).definitions.filter((definition) => definition.kind === 'OperationDefinition');
  } catch {
    return [];
  }
}
