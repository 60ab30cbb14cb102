/** What a 401 of `/graphql` asks for: `WWW-Authenticate` (RFC 9110, RFC 6750) and `Accept-Signature`. (Interface 6 and 7) */
import { isInnerList, parseDictionary } from 'structured-headers';
import { type Answer, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import {
  type As,
  ask,
  bearer,
  type IssuedKey,
  internalKey,
  newApiKey,
  newcomer,
  nobody,
} from '../support/gateway/graphql.js';
import { sendSigned, signerAt } from '../support/gateway/send-signed.js';
import { adding, neededComponents, QUERY } from '../support/independent/signer.js';

let gateway: TestGateway;
let key: IssuedKey;
let token: string;
beforeAll(async () => {
  gateway = await startGateway();
  key = await newApiKey(gateway);
  token = (await newcomer(gateway)).accessToken;
});
afterAll(() => gateway.close());

const CALLER = '{ caller { callerType } }';
const BEARER = 'Bearer realm="auth-gateway"';
const SIGNATURE = 'Signature realm="auth-gateway"';
const INTERNAL_KEY = 'InternalKey realm="auth-gateway"';

const field =
  (...values: string[]): As =>
  () => ({ authorization: values });
const both =
  (...all: As[]): As =>
  (body) =>
    Object.assign({}, ...all.map((as) => as(body)));
const halfSigned: As = () => ({ signature: 'x' });

interface Case {
  /** As a function, since the token is not there before the gateway */
  send: () => As;
  reason: string;
  /** Each challenge, up to its error_description */
  challenges: string[];
}

const malformed = (send: () => As): Case => ({
  send,
  reason: 'invalid_request',
  challenges: [`${BEARER}, error="invalid_request"`],
});
const otherScheme = (text: () => string): Case => ({
  send: () => field(text()),
  reason: 'unsupported_scheme',
  challenges: [BEARER],
});
const twoKinds = (send: () => As, ...challenges: string[]): Case => ({
  send,
  reason: 'multiple_credentials',
  challenges,
});

const TWO = 'error="multiple_credentials"';
const cases: Record<string, Case> = {
  nothing: { send: () => nobody, reason: 'missing_credentials', challenges: [BEARER, SIGNATURE, INTERNAL_KEY] },
  'a bad token': {
    send: () => bearer('x'),
    reason: 'invalid_token',
    challenges: [`${BEARER}, error="invalid_token"`],
  },
  'an empty field': malformed(() => field('')),
  'the scheme alone': malformed(() => field('Bearer')),
  'two tokens': malformed(() => field(`Bearer ${token} ${token}`)),
  'a token in quotes': malformed(() => field(`Bearer "${token}"`)),
  'a tab': malformed(() => field(`Bearer\t${token}`)),
  'a field that is no scheme': malformed(() => field(`"Bearer" ${token}`)),
  'two fields': malformed(() => field(`Bearer ${token}`, `Bearer ${token}`)),
  'two schemes': malformed(() => field(`Bearer ${token}`, 'Basic YTpi')),
  Basic: otherScheme(() => 'Basic YTpi'),
  Digest: otherScheme(() => 'Digest username="a", realm="b"'),
  'the scheme of another version': otherScheme(() => 'Signature keyId="ak_1",signature="AAAA"'),
  'no scheme': otherScheme(() => token),
  'a bad key': {
    send: () => internalKey('x'),
    reason: 'invalid_key',
    challenges: [`${INTERNAL_KEY}, error="invalid_key"`],
  },
  'half a signature': {
    send: () => halfSigned,
    reason: 'malformed_signature',
    challenges: [`${SIGNATURE}, error="malformed_signature"`],
  },
  'a token and a key': twoKinds(
    () => both(bearer(token), internalKey('x')),
    `${BEARER}, error="invalid_request"`,
    `${INTERNAL_KEY}, ${TWO}`,
  ),
  'another scheme and a signature': twoKinds(
    () => both(field('Basic YTpi'), key.as),
    `${BEARER}, error="invalid_request"`,
    `${SIGNATURE}, ${TWO}`,
  ),
  'all three': twoKinds(
    () => both(bearer(token), key.as, internalKey('x')),
    `${BEARER}, error="invalid_request"`,
    `${SIGNATURE}, ${TWO}`,
    `${INTERNAL_KEY}, ${TWO}`,
  ),
};

/** RFC 6750 section 3: what an error_description may hold. */
const DESCRIPTION = /, error_description="([\x20-\x21\x23-\x5b\x5d-\x7e]+)"/;

test.each(Object.entries(cases))('RFC 6750 section 3.1: the challenges of %s', async (_what, sent) => {
  const { status, code, reason, errors, headers } = await ask(gateway, sent.send(), CALLER);
  expect([status, code, reason]).toEqual([401, 'UNAUTHENTICATED', sent.reason]);
  expect([errors.length, headers['cache-control']]).toEqual([1, 'no-store']);
  const challenges = String(headers['www-authenticate']);
  const [, description] = DESCRIPTION.exec(challenges) ?? [];
  expect(challenges.replace(DESCRIPTION, '')).toBe(sent.challenges.join(', '));
  const bearerHasError = sent.challenges[0]?.startsWith(`${BEARER}, error`);
  expect(description).toBe(bearerHasError ? errors[0]?.message : undefined);
  expect('accept-signature' in headers).toBe(challenges.includes(SIGNATURE));
});

/** The one signature that an answer asks for. */
function askedFor({ headers }: Pick<Answer, 'headers'>) {
  const [[label, signature] = [], ...others] = parseDictionary(String(headers['accept-signature']));
  if (label === undefined || signature === undefined || !isInnerList(signature)) throw new Error('no signature');
  expect(others).toEqual([]);
  const [components, parameters] = signature;
  return { label, components: components.map(([name]) => `"${name}"`), parameters: Object.fromEntries(parameters) };
}

test('RFC 9421 section 5.1: Accept-Signature has the profile, and a fresh nonce each time', async () => {
  const [one, two] = [askedFor(await ask(gateway, nobody, CALLER)), askedFor(await ask(gateway, halfSigned, CALLER))];
  const { nonce, ...others } = one.parameters;
  expect(one).toMatchObject({ label: 'sig1', components: neededComponents(true) });
  expect(others).toEqual({ created: true, alg: 'hmac-sha256', tag: 'auth-gateway' });
  expect(nonce).toMatch(/^[\w-]{22}$/);
  expect(nonce).not.toBe(two.parameters['nonce']);
});

test.each([
  ['with a body', QUERY, 200],
  ['without a body', '', 400], // the signature is good, but there is no query
])('RFC 9421 section 5.2: the signature that is asked for, %s, is accepted', async (_what, body, status) => {
  const bare = { method: 'POST', target: '/graphql', body: Buffer.from(body), base: '' };
  const asked = askedFor(await sendSigned(gateway, { ...bare, headers: [['Content-Type', 'application/json']] }));
  expect(asked.components).toEqual(neededComponents(body !== ''));
  const { nonce, alg, tag } = asked.parameters;
  const signed = signerAt(
    gateway,
    key.keyId,
    key.secret,
  )({
    body,
    label: asked.label,
    components: asked.components,
    nonce: String(nonce),
    parameters: { alg: `"${alg}"`, tag: `"${tag}"` },
  });
  const typed = body === '' ? adding(signed, 'Content-Type', 'application/json') : signed;
  expect((await sendSigned(gateway, typed)).status).toBe(status);
  expect(await sendSigned(gateway, typed)).toMatchObject({ status: 401, reason: 'nonce_reused' });
});
