/** Interface 5 and 7: what graphql-js says of a document, without the values that stand in it. */
import { ApolloServerErrorCode } from '@apollo/server/errors';
import {
  type ASTNode,
  GraphQLError,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  Kind,
  type SourceLocation,
} from 'graphql';

/**
 * The message of an error about a document. It may repeat names of the schema, and the name of the field, argument,
 * type or fragment that is at fault. Whatever else was sent is hidden: literals, the parameter `operationName`, and
 * variables that are not declared, since a password that lost its quotes may read as one.
 */
export type Mask = (error: GraphQLError) => string;

const HIDDEN = '"…"';

/** The messages about an object that name only fields of the schema: what it lacks. */
const ABOUT_FIELDS =
  /^Field "[\w.]+" (of required type "[\w![\]]+" was not provided|must be non-null)\.$|^OneOf Input Object "\w+" must/;

/** The parser gives this limit the code of any syntax error. */
const TOO_MANY_TOKENS = 'Syntax Error: Document contains more';

export function createMask(schema: GraphQLSchema): Mask {
  const known = namesOf(schema);

  return ({ message, nodes = [], locations, extensions: { code } }) => {
    if (code === ApolloServerErrorCode.GRAPHQL_PARSE_FAILED)
      return message.startsWith(TOO_MANY_TOKENS) ? 'The document has too many tokens' : `Syntax error${at(locations)}`;
    if (code === ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE)
      return 'operationName has to name an operation of the document';
    const [node] = nodes;
    if (node !== undefined && VALUES.has(node.kind) && !ABOUT_FIELDS.test(message))
      return `The value${at(locations)} does not fit its type`;
    const atFault = new Set(nodes.map(nameOf));
    return message.replace(/"([^"]*)"/g, (quoted, text: string) => {
      const words = text.match(/\w+/g) ?? [];
      return words.length > 0 && words.every((word) => known.has(word) || atFault.has(word)) ? quoted : HIDDEN;
    });
  };
}

function at([first]: readonly SourceLocation[] = []): string {
  return first === undefined ? '' : ` at line ${first.line}, column ${first.column}`;
}

const VALUES: ReadonlySet<string> = new Set([
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
]);

/** The name that a node declares or selects; undefined for a used variable and an alias. */
function nameOf(node: ASTNode): string | undefined {
  if (node.kind === Kind.VARIABLE) return undefined;
  if (node.kind === Kind.NAME) return node.value;
  if (node.kind === Kind.VARIABLE_DEFINITION) return node.variable.name.value;
  return 'name' in node && node.name !== undefined ? node.name.value : undefined;
}

/** Every name that the schema has. */
function namesOf(schema: GraphQLSchema): Set<string> {
  const names = new Set(['__schema', '__type', '__typename', ...Object.keys(schema.getTypeMap())]);
  for (const directive of schema.getDirectives()) {
    names.add(directive.name);
    for (const { name } of directive.args) names.add(name);
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (isEnumType(type)) for (const { name } of type.getValues()) names.add(name);
    if (!('getFields' in type)) continue;
    for (const [name, field] of Object.entries(type.getFields())) {
      names.add(name);
      if (!isInputObjectType(type) && 'args' in field) for (const { name: argument } of field.args) names.add(argument);
    }
  }
  return names;
}
