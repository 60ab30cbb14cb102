/** Interface 7: says for which input a literal of the document is, and what is required there, but never repeats it. */
import {
  type ASTNode,
  BREAK,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isValueNode,
  Kind,
  parse,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type InputFault, wanted, written } from './variables.js';

/** @returns undefined if the schema has no input at the place of the literal */
export function faultOfLiteral(schema: GraphQLSchema, literal: ValueNode): InputFault | undefined {
  if (literal.loc === undefined) return undefined;
  const { start, source } = literal.loc;
  const types = new TypeInfo(schema);
  const path: Array<string | number> = [];
  let fault: InputFault | undefined;
  const search = {
    enter(node: ASTNode, key: string | number | undefined) {
      const step = stepOf(node, key);
      if (step !== undefined) path.push(step);
      if (node.kind !== literal.kind || node.loc?.start !== start) return undefined;
      fault = faultAt(types, literal, path);
      return BREAK;
    },
    leave(node: ASTNode, key: string | number | undefined) {
      if (stepOf(node, key) !== undefined) path.pop();
    },
  };
  visit(parse(source), visitWithTypeInfo(types, search));
  return fault;
}

/** The part of a path that a node adds: the name of an input, or a place in a list. */
function stepOf(node: ASTNode, key: string | number | undefined): string | number | undefined {
  if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) return node.name.value;
  if (node.kind === Kind.VARIABLE_DEFINITION) return node.variable.name.value;
  return isValueNode(node) && typeof key === 'number' ? key : undefined;
}

function faultAt(types: TypeInfo, { kind }: ValueNode, path: Array<string | number>): InputFault | undefined {
  const type = types.getInputType();
  const [input, ...inside] = path;
  if (type == null || input === undefined) return undefined;
  const isDefaultOfVariable = types.getArgument() == null;
  const isQuotedEnum = kind === Kind.STRING && isEnumType(getNamedType(type));
  return {
    argument: (isDefaultOfVariable ? inside : path).findLast((part) => typeof part === 'string'),
    what: `${written(String(input), inside)} ${wanted(type, kind === Kind.NULL ? null : kind)}${isQuotedEnum ? ', without quotes' : ''}`,
  };
}
