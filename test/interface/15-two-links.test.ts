/** The link that a user requested, and that of an operator. `15-links-in-every-order.slow` has random orders. (Interface 15) */
import { start, stop, tryInOrder } from './15-links.js';

beforeAll(start);
afterAll(stop);

test.each(['an operator invites', 'an operator gives out a link', 'an operator has a link mailed'])(
  'Interface 15: %s, and both that link and the one that somebody asks for work',
  async (issues) => {
    await tryInOrder([issues, 'somebody asks', 'somebody asks', 'the link of the operator is used', 'somebody asks']);
    await tryInOrder([issues, 'somebody asks', '11 minutes pass', 'the link that was asked for is used', issues]);
  },
);
