/** Brings about each answer of the gate and of introspection. (Interface 22 and 23) */
import { ORIGIN } from '../support/gateway/authz.js';
import { type Answer, refreshTokenOf, type TestGateway } from '../support/gateway/gateway.js';
import { type As, newApiKey, newCronKey, newcomer, nobody } from '../support/gateway/graphql.js';
import { login } from '../support/gateway/routes.js';
import { signByHand } from '../support/independent/signer.js';
import { lacksColumn, lacksTable, whileAway, withFault } from '../support/postgres/faults.js';
import type { Row } from './openapi-factor-answers.js';

const GATE = '/auth/gate';
const INTROSPECT = '/oauth/introspect';
export const GATE_ROUTES = [GATE, INTROSPECT];
/** The page, with an address that leads to a service */
export const PAGE_URL = `/gate?origin=${encodeURIComponent(ORIGIN)}&target=%2F`;

const BODY = { origin: ORIGIN, target: '/', state: 'A'.repeat(43) };
const FORM = 'application/x-www-form-urlencoded';
const FOREIGN = { origin: 'https://evil.example.net' };

/** @param on the gateways, once they have started; `off` has no services, `limited` answers one request of an address */
export function gateRows(on: () => Record<'gateway' | 'limited' | 'off', TestGateway>): Row[] {
  const gateway = () => on().gateway;
  const send = (body: unknown, headers: Record<string, string> = {}, to = gateway()): Promise<Answer> =>
    to.send('POST', GATE, { headers, body });
  const ofSession = async () => ({
    cookie: `refresh_token=${refreshTokenOf(await login(gateway(), (await gateway().user()).email))}`,
  });
  const ask = (by: As, body = 'token=x', type = FORM): Promise<Answer> =>
    gateway().send('POST', INTROSPECT, { headers: { 'content-type': type, ...by(body) }, body });
  const byKey = async (
    body: string,
    scopes = ['tokens:introspect'],
    rateLimit = 10,
  ): Promise<() => Promise<Answer>> => {
    const { keyId, secret } = await newApiKey(gateway(), scopes, rateLimit);
    const { clock, config } = gateway();
    const sign: As = () => {
      const nowSeconds = Math.floor(clock.now().getTime() / 1000);
      const key = { keyId, secret, nowSeconds, authority: config.publicAuthority };
      return Object.fromEntries(signByHand({ ...key, target: INTROSPECT, contentType: FORM, body }).headers);
    };
    return () => ask(sign, body);
  };
  const answered = async (...key: Parameters<typeof byKey>) => (await byKey(...key))();

  return [
    ['/gate', 404, 'not_found', () => on().off.send('GET', PAGE_URL)],
    [GATE, 200, '', async () => send(BODY, await ofSession())],
    [GATE, 400, 'body_not_json', () => send('{', { 'content-type': 'application/json' })],
    [GATE, 401, 'session_ended', () => send(BODY)],
    [GATE, 403, 'in_development', () => send(BODY, FOREIGN)],
    [GATE, 403, 'cross_site', () => send(BODY, FOREIGN, on().limited)],
    [GATE, 404, 'not_found', () => send(BODY, {}, on().off)],
    [GATE, 413, 'body_too_large', () => send(' '.repeat(20_000), { 'content-type': 'application/json' })],
    [GATE, 415, 'unsupported_media_type', () => send('x')],
    [GATE, 422, '', () => send({ ...BODY, origin: 'https://evil.example.net' })],
    [
      GATE,
      429,
      'rate_limited',
      async () => {
        await send(BODY, {}, on().limited);
        return send(BODY, {}, on().limited);
      },
    ],
    [
      GATE,
      500,
      'internal_error',
      async () => {
        const headers = await ofSession();
        return withFault(gateway(), lacksTable('gate_codes'), () => send(BODY, headers));
      },
    ],
    [
      GATE,
      503,
      'unavailable',
      async () => {
        const headers = await ofSession();
        return whileAway(gateway().database, () => send(BODY, headers));
      },
    ],

    [INTROSPECT, 200, '', async () => answered(`token=${(await newcomer(gateway())).accessToken}`)],
    [INTROSPECT, 200, '', () => answered('token=x')],
    [INTROSPECT, 400, 'token', () => answered('token=x&token=x')],
    [INTROSPECT, 401, '', () => ask(nobody)],
    [INTROSPECT, 401, '', () => ask(() => ({ 'x-internal-key': 'x' }))],
    [INTROSPECT, 401, '', () => ask(() => ({ signature: 'x' }))],
    [INTROSPECT, 403, 'caller_not_allowed', async () => ask((await newcomer(gateway(), 'admin')).as)],
    [INTROSPECT, 403, 'scope_missing', () => answered('token=x', ['audit:read'])],
    [INTROSPECT, 413, 'body_too_large', () => ask(nobody, `token=${'x'.repeat(20_000)}`)],
    [INTROSPECT, 415, 'unsupported_media_type', () => ask(nobody, '{"token":"x"}', 'application/json')],
    [
      INTROSPECT,
      429,
      'rate_limited',
      async () => {
        const again = await byKey('token=x', undefined, 1);
        await again();
        return again();
      },
    ],
    [
      INTROSPECT,
      500,
      'internal_error',
      async () => {
        const asks = await byKey(`token=${(await newcomer(gateway())).accessToken}`);
        return withFault(gateway(), lacksColumn('refresh_tokens', 'revoked'), asks);
      },
    ],
    [
      INTROSPECT,
      503,
      'unavailable',
      async () => {
        const { as } = await newCronKey(gateway(), ['tokens:introspect']);
        return whileAway(gateway().database, () => ask(as));
      },
    ],
  ];
}
