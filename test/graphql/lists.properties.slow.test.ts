/** Every list in every order, over many random rows, page sizes, and rows that come and go. (Interface 24) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { expectToAndFro, expectWholeWalks, type On, ORDERS } from './every-list.js';

let gateway: TestGateway;
let on: On;
beforeAll(async () => {
  gateway = await startGateway();
  on = { gateway, as: (await newcomer(gateway, 'admin')).as };
});
afterAll(() => gateway.close());

const RUNS = 10;

test.each(ORDERS)('Interface 24: %s by %s %s: random lists are read whole, forward and backward', (...order) =>
  expectWholeWalks(on, order, RUNS),
);

test.each(ORDERS)(
  'Interface 24: %s by %s %s: random walks to and fro, while rows come and go, miss and repeat none',
  (...order) => expectToAndFro(on, order, RUNS),
);
