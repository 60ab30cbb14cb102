/** Rules that want a recent proof or a second factor, for each family of proxies. (Interface 18 and 20, RFC 9470) */
import { askAs, FAMILIES, FORWARD_AUTH } from '../support/gateway/authz.js';
import { codeAt, confirm, renewed, withTotp } from '../support/gateway/factors.js';
import { type Answer, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newCronKey, newcomer } from '../support/gateway/graphql.js';
import { refresh } from '../support/gateway/routes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { ...FORWARD_AUTH, ACCESS_TOKEN_TTL_SECONDS: '3600' } });
});
afterAll(() => gateway.close());

const challenge = (parameters: string) =>
  `Bearer realm="auth-gateway", error="insufficient_user_authentication", ${parameters}`;

function refusalOf({ status, headers, json }: Answer): object {
  return { status, reason: json.reason, challenge: headers['www-authenticate'] };
}

describe.each(FAMILIES)('Interface 18: %s', (family) => {
  const asked = (accessToken: string, rule: string) =>
    askAs(gateway, family, rule, { headers: { authorization: `Bearer ${accessToken}` } });
  const refused = (parameters: string) => ({
    status: 401,
    reason: 'confirmation_required',
    challenge: challenge(parameters),
  });

  test('max_age: a user passes for so long after the login, then not by a refresh, but after a confirmation', async () => {
    const { accessToken, refreshToken } = await newcomer(gateway);
    const rule = 'caller=user;max_age=300';
    gateway.clock.advance(300);
    expect((await asked(accessToken, rule)).status).toBe(200);
    gateway.clock.advance(1);
    expect(refusalOf(await asked(accessToken, rule))).toEqual(refused('max_age="300"'));
    const refreshed = (await refresh(gateway, refreshToken)).json.access_token;
    expect(refusalOf(await asked(refreshed, rule))).toEqual(refused('max_age="300"'));
    const confirmed = await confirm(gateway, refreshed, { password: PASSWORD });
    expect((await asked(confirmed.json.access_token, rule)).status).toBe(200);
    expect((await asked(accessToken, rule)).status).toBe(401); // which says what it said
  });

  test('acr: a user passes after a second factor in this session', async () => {
    const password = await newcomer(gateway);
    const rule = 'caller=user;acr=aal2';
    expect(refusalOf(await asked(password.accessToken, rule))).toEqual(refused('acr_values="aal2"'));
    const factor = await withTotp(gateway);
    expect((await asked(factor.accessToken, rule)).status).toBe(401); // issued before
    expect((await asked((await renewed(gateway, factor)).accessToken, rule)).status).toBe(200);
  });

  test('both: the challenge names both, and one confirmation by the factor does', async () => {
    const factor = await withTotp(gateway);
    gateway.clock.advance(400);
    const rule = 'caller=user,cron;acr=aal2;max_age=300';
    const both = refused('max_age="300", acr_values="aal2"');
    const renewedToken = (await renewed(gateway, factor)).accessToken;
    for (const token of [factor.accessToken, renewedToken]) expect(refusalOf(await asked(token, rule))).toEqual(both);
    const code = codeAt(factor.secret, gateway.clock.now());
    const { json } = await confirm(gateway, factor.accessToken, { code });
    expect((await asked(json.access_token, rule)).status).toBe(200);
    const { secret } = await newCronKey(gateway);
    expect((await askAs(gateway, family, rule, { headers: { 'x-internal-key': secret } })).status).toBe(200);
  });

  test('a rule that wants it of keys alone is refused', async () => {
    const { accessToken } = await newcomer(gateway);
    const { status, json } = await asked(accessToken, 'caller=api_key;max_age=300');
    expect([status, json.reason]).toEqual([400, 'rule_invalid']);
  });
});
