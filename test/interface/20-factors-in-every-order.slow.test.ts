/** Whatever happens in whatever order: each answer, session and count is as a model of one user has it. (Interface 20) */
import fc from 'fast-check';
import { DRAWN, type Step, tryInOrder } from './20-factors-acts.js';
import { start, stop } from './20-factors-model.js';

beforeAll(start);
afterAll(stop);

const of = (...acts: string[]): Step[] => acts.map((act) => ({ act, pick: 0 }));
/** From where most acts have something to do */
const BEGINNINGS: Step[][] = [
  of('a login'),
  of('a login', 'a login', 'a new app is begun', 'a new app is added', '31 seconds pass', 'a login'),
  of('a login', 'a passkey is added', 'a login'),
  of(
    'a login',
    'a new app is begun',
    'a new app is added',
    'a passkey is added',
    '31 seconds pass',
    'a login',
    'a login',
  ),
];

const act = fc.oneof(...DRAWN.map(({ weight, acts }) => ({ weight, arbitrary: fc.constantFrom(...acts) })));
const step = fc.record({ act, pick: fc.nat(2) });

test.each([0, 1, 2, 3])(
  'Interface 20: whatever happens in whatever order, after the beginning %i, everything is as it should be',
  async (beginning) => {
    const steps = fc.array(step, { minLength: 4, maxLength: 40, size: 'max' });
    const run = (rest: Step[]) => tryInOrder([...(BEGINNINGS[beginning] ?? []), ...rest]);
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: 40 });
  },
  300_000,
);
