/** Explains a variable of the wrong type: the wrong part and what is required there, but never its value. (Interface 7) */
import {
  coerceInputValue,
  type GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInputType,
  Kind,
  typeFromAST,
} from 'graphql';

/** What is wrong with an input, in a variable or in the document */
export interface InputFault {
  /** The innermost name; undefined if the variable itself is invalid */
  argument: string | undefined;
  /** The path and what is required there, such as `input.role must be one of viewer, analyst, admin` */
  what: string;
}

type Path = ReadonlyArray<string | number>;

const MISSING = /^Field "(\w+)" of required type/;

/**
 * @param error error of graphql-js about the variable
 * @param variables as sent
 * @returns the first fault; undefined if the error is not about a value
 */
export function faultOfVariable(
  schema: GraphQLSchema,
  { nodes: [definition] = [] }: GraphQLError,
  variables: Readonly<Record<string, unknown>>,
): InputFault | undefined {
  if (definition?.kind !== Kind.VARIABLE_DEFINITION) return undefined;
  const type = typeFromAST(schema, definition.type);
  if (!isInputType(type)) return undefined;
  const name = definition.variable.name.value;
  let found: InputFault | undefined;
  try {
    coerceInputValue(variables[name], type, (path, value, error) => {
      const [, missing] = MISSING.exec(error.message) ?? [];
      found = {
        argument: missing ?? path.findLast((part) => typeof part === 'string'),
        what: missing
          ? `${written(name, [...path, missing])} is missing`
          : `${written(name, path)} ${wanted(typeAt(type, path), value)}`,
      };
      throw error; // the first is enough: a list may have thousands
    });
  } catch {
    return found;
  }
  return undefined;
}

/** Such as `input.scopes[1]`. */
export function written(variable: string, path: Path): string {
  return variable + path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
}

function typeAt(type: GraphQLInputType, path: Path): GraphQLInputType {
  let found = type;
  for (const part of path) {
    const outer = getNamedType(found);
    const field = isInputObjectType(outer) && typeof part === 'string' ? outer.getFields()[part] : undefined;
    if (field !== undefined) found = field.type;
  }
  return found;
}

const FORMATS: Readonly<Record<string, string>> = {
  Boolean: 'true or false',
  DateTime: 'an RFC 3339 time such as 2007-12-03T10:15:30Z',
  ID: 'text',
  Int: 'a 32-bit integer',
  String: 'text',
};

/** What an object with an unknown field may have */
export function onlyFieldsOf(type: GraphQLInputObjectType): string {
  return `must have no fields but ${Object.keys(type.getFields()).join(', ')}`;
}

/** @param value that is there instead; its content is not used */
export function wanted(type: GraphQLInputType, value: unknown): string {
  const named = getNamedType(type);
  if (value == null) return 'must not be null';
  if (isInputObjectType(named)) {
    const isObject = typeof value === 'object' && !Array.isArray(value);
    return isObject ? onlyFieldsOf(named) : `must be an object (${named.name})`;
  }
  if (isEnumType(named)) {
    return `must be one of ${named
      .getValues()
      .map(({ name }) => name)
      .join(', ')}`;
  }
  return `must be ${FORMATS[named.name] ?? `a ${named.name}`}`;
}
