/** An enum whose values are spelled as the specification has them, on both sides (CONTRACT 7). */
export function spelledEnum<const T extends string>(names: readonly T[]): { [K in T]: K } {
  return Object.fromEntries(names.map((name) => [name, name])) as { [K in T]: K };
}
