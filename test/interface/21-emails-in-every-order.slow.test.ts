/** Whatever happens in whatever order: each answer, e-mail, link and reservation is as a model of two users has it. (Interface 21) */
import fc from 'fast-check';
import { DRAWN, type Step, tryInOrder } from './21-emails-acts.js';
import { start, stop } from './21-emails-model.js';

beforeAll(start);
afterAll(stop);

const of = (who: number, pick: number, ...acts: string[]): Step[] => acts.map((act) => ({ act, who, pick }));
/** From where most acts have something to do; the picks are addresses that nobody has */
const BEGINNINGS: Step[][] = [
  [],
  of(0, 2, 'a login', 'a request', 'the newest link is used'),
  [
    ...of(0, 2, 'a login', 'a request', 'the newest link is used'),
    ...of(0, 3, 'a request', 'the newest link is used'),
    ...of(1, 0, 'a login', 'a request'),
  ],
];

const act = fc.oneof(...DRAWN.map(({ weight, acts }) => ({ weight, arbitrary: fc.constantFrom(...acts) })));
const step = fc.record({ act, who: fc.nat(1), pick: fc.nat(3) });

test.each([0, 1, 2])(
  'Interface 21: whatever happens in whatever order, after the beginning %i, each address has at most one owner',
  async (beginning) => {
    const steps = fc.array(step, { minLength: 4, maxLength: 40, size: 'max' });
    const run = (rest: Step[]) => tryInOrder([...(BEGINNINGS[beginning] ?? []), ...rest]);
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: 30 });
  },
  300_000,
);
