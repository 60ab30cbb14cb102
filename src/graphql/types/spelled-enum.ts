import { registerEnumType } from 'type-graphql';

/**
 * An enum whose values are spelled as in the specification, in the schema and in the code (Interface 7).
 * @param values descriptions by value
 */
export function spelledEnum<T extends string>(
  name: string,
  description: string,
  values: Record<T, string>,
): { [K in T]: K } {
  const names = Object.keys(values) as T[];
  const spelled = Object.fromEntries(names.map((value) => [value, value])) as { [K in T]: K };
  const valuesConfig = Object.fromEntries(names.map((value) => [value, { description: values[value] }]));
  registerEnumType(spelled, { name, description, valuesConfig: valuesConfig as { [K in T]: { description: string } } });
  return spelled;
}
