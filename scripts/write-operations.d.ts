/** What `pages/console/operations.ts` should be. */
export function printedOperations(): Promise<string>;

export const PRINTED: string;
