import { registerEnumType } from 'type-graphql';

/**
 * An enum whose values are spelled as the specification has them, on both sides (Interface 7).
 * @param values each with its description
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
