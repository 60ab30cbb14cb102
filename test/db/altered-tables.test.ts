/** A newer version alters tables while this one runs. (Interface 8) */
import { logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { refresh } from '../support/gateway/routes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test('statements that connections have prepared go on after a column has changed its type', async () => {
  const { email } = await gateway.user();
  const all = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 12 }, work));
  await all(() => logIn(gateway, email));
  await gateway.rows('alter table users alter column locked_until type timestamptz(3)');
  await gateway.rows('alter table users alter column role type varchar(40)');
  await all(async () => {
    const { answer } = await logIn(gateway, email);
    expect(answer.status).toBe(200);
    expect((await refresh(gateway, refreshTokenOf(answer))).status).toBe(200);
  });
});
