/** The variables that a printed command line of the gateway begins with. */
export function variablesOf(command: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(command.matchAll(/([A-Z_]+)=(\S+)/g), ([, name = '', value = '']) => [name, value]),
  );
}
