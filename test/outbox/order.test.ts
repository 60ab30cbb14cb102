/** Interface 17: every event once, in order; what fails is tried again. */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook } from '../../src/admin/webhooks.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type Receiver, startReceiver } from './receiver.js';

let receiver: Receiver;
let gateway: TestGateway;
beforeEach(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({ env: { WEBHOOK_HOSTS: receiver.authority }, outboxPollMs: 20 });
});
afterEach(async () => {
  await gateway.close();
  await receiver.close();
});

test('17: a webhook receives its own creation, then every event, in order', async () => {
  await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  for (let i = 0; i < 5; i += 1) await gateway.user();
  await receiver.reached(6);
  expect(receiver.types()).toEqual(['webhook_created', ...Array(5).fill('user_created')]);
  const sequences = receiver.received.map(({ json }) => json.data.sequence);
  expect(sequences).toEqual(sequences.toSorted());
});
