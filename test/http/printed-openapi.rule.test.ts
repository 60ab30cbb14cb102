/** `openapi.json` is that of the code. It needs no gateway, so `npm run check` asks it too. */
import { readFileSync } from 'node:fs';
import { openApiDocument } from '../../src/http/openapi/document.js';

test('openapi.json is what the code has; where it is not: npm run openapi', () => {
  const document = openApiDocument('http://localhost:3000');
  expect(readFileSync('openapi.json', 'utf8')).toBe(`${JSON.stringify(document, null, 2)}\n`);
});
