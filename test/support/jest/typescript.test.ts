/** `npm test` itself: what a failing test prints. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Leaves nothing in JavaScript, so that lines below have another number there. */
interface Failure {
  stack: string;
}

test('a stack has the path and the line of the TypeScript source', () => {
  const path = fileURLToPath(import.meta.url);
  const { stack } = new Error('here') as Failure;
  const line =
    readFileSync(path, 'utf8')
      .split('\n')
      .findIndex((text) => text.includes("new Error('here')")) + 1;
  expect(stack).toContain(`${path}:${line}:`);
});
