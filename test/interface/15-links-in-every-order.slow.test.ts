/** A link ends by its use, by its owner or by an operator, and never by a request of somebody else. (Interface 15) */
import fc from 'fast-check';
import { ACTS, start, stop, tryInOrder } from './15-links.js';

beforeAll(start);
afterAll(stop);

test('Interface 15: whatever happens in whatever order, exactly those links work that should', async () => {
  const acts = fc.array(fc.constantFrom(...Object.keys(ACTS), 'somebody asks'), { minLength: 3, maxLength: 9 });
  await fc.assert(fc.asyncProperty(acts, tryInOrder), { numRuns: 20 });
}, 120_000);
