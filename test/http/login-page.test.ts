/** docs/login.md has every refusal of spec 7. */
import { readFileSync } from 'node:fs';
import { REFUSALS } from '../../src/http/refusals.js';

test('docs/login.md has the status, the detail and the cookie of every refusal', () => {
  const rows = readFileSync('docs/login.md', 'utf8').matchAll(
    /^\| (?:login|refresh) \| (\d+) \| `(.+)` \| (\w+) \|$/gm,
  );
  const told = [...rows].map(([, status, detail, cookie]) => ({ status: Number(status), detail, cookie }));
  expect(told).toEqual(Object.values(REFUSALS));
});
