/** Interface 5 and 7: what graphql-js says of a document, without the values that stand in it. */
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { type ASTNode, GraphQLError, type GraphQLSchema, isEnumType, isInputObjectType, Kind } from 'graphql';

/**
 * The message of an error about a document. It may repeat names of the schema, and the name of the field, argument,
 * type or fragment that is at fault. Whatever else was sent is hidden: literals, the parameter `operationName`, and
 * variables that are not declared, since a password that lost its quotes may read as one.
 */
export type Mask = (error: GraphQLError) => string;

const HIDDEN = '"…"';

/** Messages about a literal that hold no more than names of the schema. */
const ABOUT_FIELDS =
  /^Field "[\w.]+" (of required type "[\w![\]]+" was not provided|must be non-null)\.$|^OneOf Input Object "\w+" must/;
const TYPE_OF_LITERAL =
  /^Expected value of type "([\w![\]]+)"|^(\w+) cannot represent|^Enum "(\w+)" cannot|does not exist in "(\w+)" enum/;
const SUGGESTION = / Did you mean (?:the enum value )?"\w+"(?:,? (?:or )?"\w+"){0,4}\?$/;

export function createMask(schema: GraphQLSchema): Mask {
  const known = namesOf(schema);
  const isKnown = (text: string): boolean => (text.match(/\w+/g) ?? []).every((word) => known.has(word));

  const aboutLiteral = (message: string): string => {
    if (ABOUT_FIELDS.test(message)) return message;
    const type = TYPE_OF_LITERAL.exec(message)
      ?.slice(1)
      .find((name) => name !== undefined);
    const [suggestion = ''] = SUGGESTION.exec(message) ?? [];
    const names = suggestion.match(/"\w+"/g)?.join(' ') ?? '';
    const ofType = type !== undefined && isKnown(type) ? ` "${type}"` : '';
    return `A value does not fit its type${ofType}.${isKnown(names) ? suggestion : ''}`;
  };

  return ({ message, nodes = [], extensions: { code } }) => {
    if (code === ApolloServerErrorCode.GRAPHQL_PARSE_FAILED) return withoutToken(message);
    if (code === ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE)
      return 'operationName has to name an operation of the document';
    const [node] = nodes;
    if (node !== undefined && VALUES.has(node.kind)) return aboutLiteral(message);
    const atFault = new Set(nodes.map(nameOf));
    return message.replace(/"([^"]*)"/g, (quoted, text: string) => {
      const words = text.match(/\w+/g) ?? [];
      return words.length > 0 && words.every((word) => known.has(word) || atFault.has(word)) ? quoted : HIDDEN;
    });
  };
}

/** The parser names the token that it met by its kind and by its text. */
function withoutToken(message: string): string {
  const kind = /^Syntax Error: (?:Unexpected|Expected [^,]{1,40}, found) (?:<EOF>|"[^\w\s"]{1,3}"|[A-Z][A-Za-z]+)/;
  const [known] =
    /^Syntax Error: (?:Document contains more tha[nt] \d+ tokens|Unterminated string)/.exec(message) ?? [];
  const [what = known ?? 'Syntax Error: The document cannot be read'] = kind.exec(message) ?? [];
  return `${what}.`;
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

/** The name that a node declares or selects; a variable in use and an alias are none. */
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
