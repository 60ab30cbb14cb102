/** What may be typed at a place of a query. Read by its tokens, since a query that is being typed cannot be parsed. */
import type { GraphQLArgument, GraphQLField, GraphQLNamedType, GraphQLSchema } from 'graphql';
import { getNamedType, isInterfaceType, isObjectType, Lexer, Source, TokenKind } from 'graphql';

export interface Completions {
  /** Whose fields or arguments these are */
  of: string;
  /** The part of a name that is there already */
  begun: string;
  options: readonly (GraphQLField<unknown, unknown> | GraphQLArgument)[];
}

/** @returns undefined if no field or argument may stand there */
export function completionsAt(schema: GraphQLSchema, query: string, cursor: number): Completions | undefined {
  const before = query.slice(0, cursor);
  const begun = /[_A-Za-z]\w*$/.exec(before)?.[0] ?? '';
  const lexer = new Lexer(new Source(before.slice(0, before.length - begun.length)));
  /** The types whose braces are open */
  const open: (GraphQLNamedType | undefined)[] = [];
  /** Whose fields the next brace opens */
  let next: GraphQLNamedType | null | undefined = schema.getQueryType();
  let field: GraphQLField<unknown, unknown> | undefined;
  /** How many brackets are open in arguments */
  let depth = 0;
  let previous = '';
  try {
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
      const { kind, value } = token;
      if (depth > 0 || kind === TokenKind.PAREN_L) {
        if (/[([{]/.test(kind)) depth += 1;
        if (/[)\]}]/.test(kind)) depth -= 1;
      } else if (kind === TokenKind.BRACE_L) {
        open.push(next ?? undefined);
        next = undefined;
      } else if (kind === TokenKind.BRACE_R) {
        open.pop();
        if (open.length === 0) next = schema.getQueryType();
      } else if (kind === TokenKind.SPREAD) {
        next = open.at(-1); // of an inline fragment without a type
      } else if (kind === TokenKind.AT) {
        field = undefined; // the arguments are the directive's
      } else if (kind === TokenKind.NAME && previous === 'on') {
        next = schema.getType(value);
      } else if (kind === TokenKind.NAME && open.length === 0) {
        if (value === 'mutation') next = schema.getMutationType();
      } else if (kind === TokenKind.NAME && !/[@$]/.test(previous) && previous !== TokenKind.SPREAD) {
        field = fieldsOf(open.at(-1)).find(({ name }) => name === value);
        next = field && getNamedType(field.type);
      }
      const isOn = value === 'on' && (previous === TokenKind.SPREAD || open.length === 0);
      previous = kind === TokenKind.NAME ? (isOn ? 'on' : 'name') : kind;
    }
  } catch {
    return undefined; // in a string
  }
  if (/#.*$/.test(before)) return undefined;
  if (depth === 1 && open.length > 0 && field !== undefined && previous !== TokenKind.COLON) {
    return { of: field.name, begun, options: field.args };
  }
  const type = open.at(-1);
  if (depth > 0 || type === undefined || /^(?:\.\.\.|@|\$|on)$/.test(previous)) return undefined;
  return { of: type.name, begun, options: fieldsOf(type) };
}

function fieldsOf(type: GraphQLNamedType | undefined): GraphQLField<unknown, unknown>[] {
  return isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
}
