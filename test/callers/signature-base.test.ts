/** The honest mistakes behind `invalid_signature`, each read off `extensions.signatureBase`. (Interface 6) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type IssuedKey, newApiKey } from '../support/gateway/graphql.js';
import { sendSigned, signerAt } from '../support/gateway/send-signed.js';
import { changed, hmacSha256, type Sign, type SignedRequest, without } from '../support/independent/signer.js';

let gateway: TestGateway;
let key: IssuedKey;
let sign: Sign;
beforeAll(async () => {
  gateway = await startGateway();
  key = await newApiKey(gateway);
  sign = signerAt(gateway, key.keyId, key.secret);
});
afterAll(() => gateway.close());

/** Signs another text than the one that the request stands for. */
function signedOver(change: (base: string) => string): SignedRequest {
  const request = sign({ mac: (base, secret) => hmacSha256(change(base), secret) });
  return { ...request, base: change(request.base) };
}

interface Mistake {
  name: string;
  make: () => SignedRequest;
  /** The line that was signed, and the line in its place that the gateway has */
  differs: Array<[signed: string, arrived: string]>;
}

const mistakes: Mistake[] = [
  {
    name: 'the authority is the address that was connected to',
    make: () => sign({ authority: '10.0.0.7:3000' }),
    differs: [['"@authority": 10.0.0.7:3000', '"@authority": localhost:3000']],
  },
  {
    name: 'a space in the query is sent in another way',
    make: () => ({ ...sign({ target: '/graphql?x=a+b' }), target: '/graphql?x=a%20b' }),
    differs: [['"@query": ?x=a+b', '"@query": ?x=a%20b']],
  },
  {
    name: 'a charset is added to the content type',
    make: () => changed(sign(), 'content-type', (text) => `${text}; charset=utf-8`),
    differs: [['"content-type": application/json', '"content-type": application/json; charset=utf-8']],
  },
  {
    name: 'the method is signed in lower case',
    make: () => ({ ...sign({ method: 'post' }), method: 'POST' }),
    differs: [['"@method": post', '"@method": POST']],
  },
  {
    name: 'a query that is not there is signed as nothing',
    make: () => signedOver((base) => base.replace('"@query": ?', '"@query": ')),
    differs: [['"@query": ', '"@query": ?']],
  },
  { name: 'nothing differs, so it is the secret', make: () => sign({ secret: 'aks_another' }), differs: [] },
];

test.each([
  ['without a nonce', () => sign({ parameters: { nonce: null } }), 'Parameters are missing: nonce'],
  [
    'with the signature alone',
    () => sign({ parameters: { created: null, nonce: null, keyid: null, tag: null } }),
    'Parameters are missing: created, nonce, keyid, tag',
  ],
  [
    'that covers a digest that is not sent',
    () => without(sign(), 'content-digest'),
    '"content-digest" is covered, so it must be sent exactly once, in printable ASCII',
  ],
  [
    'with the secret in place of the id',
    () => sign({ keyId: key.secret }),
    'The parameter keyid must be the id of the key, not its secret; the secret was sent, so rotate the key',
  ],
] as const)('a signature %s is told so', async (_name, make, message) => {
  const { status, reason, text } = await sendSigned(gateway, make());
  expect([status, reason, JSON.parse(text).errors[0].message]).toEqual([401, 'malformed_signature', message]);
  expect(text).not.toContain(key.secret);
});

test.each(mistakes)('$name', async ({ make, differs }) => {
  const request = make();
  const { status, reason, signatureBase } = await sendSigned(gateway, request);
  expect([status, reason]).toEqual([401, 'invalid_signature']);
  const [signed, arrived] = [request.base, String(signatureBase)].map((base) => base.split('\n'));
  expect(arrived).toHaveLength(signed?.length ?? 0);
  const pairs = (signed ?? []).map((line, i) => [line, arrived?.[i]]);
  expect(pairs.filter(([one, other]) => one !== other)).toEqual(differs);
});

test('what is given back is the text that would have been right', async () => {
  const request = sign({ secret: 'aks_another' });
  const { signatureBase } = await sendSigned(gateway, request);
  const mac = hmacSha256(String(signatureBase), key.secret).toString('base64');
  const { status } = await sendSigned(
    gateway,
    changed(request, 'signature', () => `sig1=:${mac}:`),
  );
  expect(status).toBe(200);
});

test('a base of more than 4096 characters is not given back', async () => {
  const to = async (length: number) => {
    const query = (rest: number): string => `/graphql?${'x'.repeat(rest)}`;
    const spare = length - sign({ target: query(0) }).base.length;
    const request = sign({ target: query(spare), secret: 'aks_another' });
    expect(request.base).toHaveLength(length);
    return (await sendSigned(gateway, request)).signatureBase === request.base;
  };
  expect([await to(4096), await to(4097)]).toEqual([true, false]);
});
