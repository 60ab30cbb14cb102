/** Explains a wrong literal of the document: its input and what is required there, but never its value. (Interface 7) */
import {
  type ASTNode,
  BREAK,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isValueNode,
  Kind,
  type ObjectFieldNode,
  parse,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type InputFault, onlyFieldsOf, wanted, written } from './variables.js';

/**
 * @param faulty a literal, or a field of an object that its type does not have
 * @returns undefined if the schema has no input at its place
 */
export function faultOfLiteral(schema: GraphQLSchema, faulty: ValueNode | ObjectFieldNode): InputFault | undefined {
  if (faulty.loc === undefined) return undefined;
  const { start, source } = faulty.loc;
  const types = new TypeInfo(schema);
  const path: Array<string | number> = [];
  let fault: InputFault | undefined;
  const search = {
    enter(node: ASTNode, key: string | number | undefined) {
      const step = stepOf(node, key);
      if (step !== undefined) path.push(step);
      if (node.kind !== faulty.kind || node.loc?.start !== start) return undefined;
      fault = faultAt(types, faulty, path);
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

function faultAt(
  types: TypeInfo,
  { kind }: ValueNode | ObjectFieldNode,
  path: Array<string | number>,
): InputFault | undefined {
  const isField = kind === Kind.OBJECT_FIELD;
  const [input, ...inside] = isField ? path.slice(0, -1) : path;
  const type = isField ? types.getParentInputType() : types.getInputType();
  if (type == null || input === undefined) return undefined;
  const isDefaultOfVariable = types.getArgument() == null;
  return {
    argument: [...(isDefaultOfVariable ? [] : [input]), ...inside].findLast((part) => typeof part === 'string'),
    what: `${written(String(input), inside)} ${wantedInstead(type, kind)}`,
  };
}

function wantedInstead(type: GraphQLInputType, kind: Kind): string {
  const named = getNamedType(type);
  if (kind === Kind.OBJECT_FIELD && isInputObjectType(named)) return onlyFieldsOf(named);
  const isQuotedEnum = kind === Kind.STRING && isEnumType(named);
  return `${wanted(type, kind === Kind.NULL ? null : kind)}${isQuotedEnum ? ', without quotes' : ''}`;
}
