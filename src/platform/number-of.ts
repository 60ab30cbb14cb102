/** `1 fault`, `2 faults`: for words with a regular plural. */
export function numberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
