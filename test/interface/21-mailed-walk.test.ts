/** A change of an e-mail and its way back by the links in mails, from beginning to end. (Interface 17 and 21) */
import { settled } from '../mail/mailing.js';
import { newAddress, redeemEmail, requestEmail, undoEmail } from '../support/gateway/account.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { CHOSEN, redeem } from '../support/gateway/passwords.js';
import { login } from '../support/gateway/routes.js';

let printed: string[] = [];
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    env: { MAIL: 'log' },
    outboxPollMs: 20,
    print: (line) => void printed.push(line),
  });
});
afterAll(() => gateway.close());

/** The links that an act has mailed, with the address that each went to */
async function mailedBy(act: () => Promise<unknown>): Promise<Array<{ to: string; link: string }>> {
  printed = [];
  await act();
  await settled(gateway);
  let to = '';
  const links = new Map<string, string>();
  for (const line of printed) {
    to = /^To: (.+)$/.exec(line)?.[1] ?? to;
    const link = /https?:\S+#(?:email|undo|token)=\w+/.exec(line)?.[0];
    if (link !== undefined) links.set(link, to);
  }
  return [...links].map(([link, address]) => ({ to: address, link }));
}

const tokenOf = (mails: Array<{ link: string }>): string => mails[0]?.link.split('=')[1] ?? '';

test('Interface 21: the new address gets a link, the old one a way back, and then a link for a new password', async () => {
  const { user, accessToken } = await newcomer(gateway);
  const to = newAddress();
  const asked = await mailedBy(() => requestEmail(gateway, accessToken, to));
  expect(asked).toEqual([{ to, link: expect.stringMatching(/^http:\/\/localhost:3000\/account#email=el_\w+$/) }]);

  const changed = await mailedBy(() => redeemEmail(gateway, accessToken, tokenOf(asked)));
  expect(changed).toEqual([
    { to: user.email, link: expect.stringMatching(/^http:\/\/localhost:3000\/account#undo=eu_\w+$/) },
  ]);

  const undone = await mailedBy(() => undoEmail(gateway, tokenOf(changed)));
  expect(undone).toEqual([
    { to: user.email, link: expect.stringMatching(/^http:\/\/localhost:3000\/set-password#token=pl_\w+$/) },
  ]);
  expect((await redeem(gateway, tokenOf(undone), CHOSEN)).status).toBe(204);
  expect((await login(gateway, user.email, CHOSEN)).status).toBe(200);
});

test('Interface 21: resets that were asked for before do not keep that link back', async () => {
  const { user, accessToken } = await newcomer(gateway);
  const to = newAddress();
  const asked = await mailedBy(() => requestEmail(gateway, accessToken, to));
  const changed = await mailedBy(() => redeemEmail(gateway, accessToken, tokenOf(asked)));
  const body = { email: to };
  for (let i = 0; i < 4; i += 1) await mailedBy(() => gateway.send('POST', '/auth/password/forgot', { body }));
  expect(await mailedBy(() => undoEmail(gateway, tokenOf(changed)))).toMatchObject([{ to: user.email }]);
});

test('Interface 21: nothing is mailed to an address that is taken, reserved or one’s own', async () => {
  const taken = await gateway.user();
  const other = await newcomer(gateway);
  const link = tokenOf(await mailedBy(() => requestEmail(gateway, other.accessToken, newAddress())));
  await mailedBy(() => redeemEmail(gateway, other.accessToken, link));
  for (const email of [() => taken.email, () => other.user.email, (own: string) => own]) {
    const person = await newcomer(gateway);
    expect(await mailedBy(() => requestEmail(gateway, person.accessToken, email(person.user.email)))).toEqual([]);
  }
});
