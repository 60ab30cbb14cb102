/** Messages of graphql-js about a document, without the values in it. (Interface 5 and 7) */
import {
  type ASTNode,
  GraphQLError,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isValueNode,
  Kind,
  type ObjectFieldNode,
  type SourceLocation,
  type ValueNode,
  type VariableNode,
} from 'graphql';
import { faultOfLiteral } from './literals.js';
import type { DocumentCode } from './reasons.js';

/** An error about a document, as the client sees it */
export interface Masked {
  message: string;
  /** The input that a literal does not fit */
  argument?: string;
}

/**
 * The message may repeat names of the schema, and the name of the field, argument,
 * type or fragment that is at fault. Whatever else was sent is hidden: literals and the names in their objects, the
 * parameter `operationName`, and variables that are not declared, since a password that lost its quotes may read as one.
 */
export type Mask = (error: GraphQLError) => Masked;

const HIDDEN = '"…"';

/** The messages about an object that name only fields of the schema: what it lacks. */
const ABOUT_FIELDS =
  /^Field "[\w.]+" (of required type "[\w![\]]+" was not provided|must be non-null)\.$|^OneOf Input Object "\w+" must/;

/** The messages about a name in an object that may be part of a value. */
const UNKNOWN_FIELD = /^Field "\w+" is not defined by type /;
const REPEATED_FIELD = /^There can be only one input field named /;

/** The parser gives this limit the code of any syntax error. */
const TOO_MANY_TOKENS = 'Syntax Error: Document contains more';

export function createMask(schema: GraphQLSchema): Mask {
  const known = namesOf(schema);

  return ({ message, nodes = [], locations, extensions: { code } }) => {
    if (code === ('GRAPHQL_PARSE_FAILED' satisfies DocumentCode)) {
      const isTooLong = message.startsWith(TOO_MANY_TOKENS);
      return { message: isTooLong ? 'The document has too many tokens' : `Syntax error${at(locations)}` };
    }
    if (code === ('OPERATION_RESOLUTION_FAILURE' satisfies DocumentCode))
      return { message: 'operationName has to name an operation of the document' };
    const [node] = nodes;
    if (node !== undefined && (isLiteral(node) || isUnknownField(node, message)) && !ABOUT_FIELDS.test(message)) {
      const { what, argument } = faultOfLiteral(schema, node) ?? {};
      const unfit = `The value${at(locations)} does not fit its type${what === undefined ? '' : `: ${what}`}`;
      return { message: unfit, ...(argument !== undefined && { argument }) };
    }
    const atFault = new Set(REPEATED_FIELD.test(message) ? [] : nodes.map(nameOf));
    const withoutValues = message.replace(/"([^"]*)"/g, (quoted, text: string) => {
      const words = text.match(/\w+/g) ?? [];
      return words.length > 0 && words.every((word) => known.has(word) || atFault.has(word)) ? quoted : HIDDEN;
    });
    return { message: withoutValues };
  };
}

function at([first]: readonly SourceLocation[] = []): string {
  return first === undefined ? '' : ` at line ${first.line}, column ${first.column}`;
}

function isLiteral(node: ASTNode): node is Exclude<ValueNode, VariableNode> {
  return isValueNode(node) && node.kind !== Kind.VARIABLE;
}

function isUnknownField(node: ASTNode, message: string): node is ObjectFieldNode {
  return node.kind === Kind.OBJECT_FIELD && UNKNOWN_FIELD.test(message);
}

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
