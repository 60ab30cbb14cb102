/** `1 fault`, `2 faults`: for words whose plural ends with an s. */
export function numberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
