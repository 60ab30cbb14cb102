/** MAIL=log, which prints mails to the terminal. (Interface 17) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { until } from '../support/until.js';
import { countOf, redeem, requestReset } from './mailing.js';
import { readMail } from './read-mail.js';

const printed: string[] = [];
const captured = captureLog();
let gateway: TestGateway;
beforeAll(async () => {
  const print = (line: string): void => void printed.push(line);
  gateway = await startGateway({ env: { MAIL: 'log' }, outboxPollMs: 20, print, log: captured.log });
});
afterAll(() => gateway.close());

test('Interface 17: the whole mail is printed, and is not in the log', async () => {
  const user = await gateway.user({ email: 'ada@example.com' });
  await requestReset(gateway, user);
  await until('it is delivered', async () => (await countOf(gateway, 'delivered')) === 1);
  const mail = readMail(printed.join('\n'));
  expect(Object.fromEntries(mail.headers)).toEqual({
    date: gateway.clock.now().toUTCString(),
    from: 'auth-gateway@localhost',
    to: 'ada@example.com',
    subject: 'New password for localhost:3000',
    'message-id': expect.stringMatching(/^<[\da-f-]{36}@localhost>$/),
    'auto-submitted': 'auto-generated',
  });
  expect(mail.link).toMatch(/^http:\/\/localhost:3000\/set-password#token=pl_\w+$/);
  expect(await redeem(gateway, mail)).toBe(204);
  expect(captured.text()).not.toContain('ada@example.com');
  expect(captured.text()).not.toContain('pl_');
});
