/** Signed requests and internal keys, each changed in one place or more, and several credentials at once. (Interface 6) */
import {
  freshNonce,
  type Signing,
  sha256Digest,
  sha512Digest,
  signByHand,
} from '../../test/support/independent/signer.js';
import type { Dice } from './dice.js';
import type { HttpRequest, World } from './request.js';
import { fieldText, mutateBytes, mutateField } from './texts.js';

export function signatureRequest(dice: Dice, world: World): HttpRequest {
  if (dice.chance(0.25)) return internalKeyRequest(dice, world);
  const request = signByHand(signing(dice, world));
  let headers = request.headers;
  if (dice.chance(0.4)) {
    const changed = dice.pick(['content-type', 'content-digest', 'signature-input', 'signature']);
    headers = headers.map(([name, value]) => [name, name.toLowerCase() === changed ? odd(dice, value) : value]);
  }
  if (dice.chance(0.1)) headers = [...headers, dice.pick(headers)];
  if (dice.chance(0.1)) headers = [...headers, ...credential(dice, world)];
  if (dice.chance(0.05)) headers = headers.filter(() => dice.chance(0.8));
  return {
    method: 'POST',
    path: request.target,
    headers,
    body: dice.chance(0.9) ? request.body : mutateBytes(dice, request.body),
    mayEcho: 'nowhere',
  };
}

function signing(dice: Dice, { gateway, api }: World): Parameters<typeof signByHand>[0] {
  const { word, digits } = dice.secret;
  const nowSeconds = Math.floor(gateway.clock.now().getTime() / 1000);
  const good = { keyId: api.keyId, secret: api.secret, authority: gateway.config.publicAuthority, nowSeconds };
  const body = dice.pick(['{"query":"{ caller { callerType } }"}', `{"query":"# ${word}\\n{ __typename }"}`, '', word]);
  const parameters = dice.pick([
    'created',
    'nonce',
    'keyid',
    'tag',
    'alg',
    'expires',
    word.toLowerCase(),
    'sf',
  ] as const);
  const value = dice.pick([
    ...[null, `"${word}"`, digits, `-${digits}`, '1.0', '?1', `:${word}:`, `"${word}`, `(${word})`, '', `@${digits}`],
    ...[
      '999999999999999',
      '1e3',
      `%"${word}%00"`,
      '"hmac-sha256"',
      '"auth-gateway"',
      `${nowSeconds}`,
      `"${api.keyId}"`,
    ],
    ...[`"${freshNonce()}"`, `${nowSeconds + 60}`, `"${'x'.repeat(dice.int(20, 1_100))}"`, fieldText(dice)],
  ]);
  const changes: Partial<Signing>[] = [
    { parameters: { [parameters]: value } },
    { parameters: { [parameters]: value } },
    { label: dice.pick([word.toLowerCase(), word, '*a', '', 'sig1;a', '__proto__', 'a'.repeat(200)]) },
    { components: dice.some(components(dice)) },
    { components: [...components(dice), dice.pick(components(dice))] },
    { afterParameters: dice.pick([';a', `;${word.toLowerCase()}=1`, ', sig2=()', ';', ' ', `;created=${digits}`]) },
    { nonce: dice.pick([word, '', 'x'.repeat(200), 'A'.repeat(22)]) },
    { keyId: dice.pick([word, '', '__proto__', `ak_${word}`, 'ak_00000000000000000000']) },
    { secret: word },
    { authority: `${word}.example` },
    {
      target: dice.pick([`/graphql?${word}`, '/graphql?', '/graphql?%', '/graphql?a=1&a=2', '/graphql/', '//graphql']),
    },
    { contentDigest: dice.pick([sha512Digest(body), `sha-512=:${word}:`, `md5=:${word}:`, sha256Digest(word), '']) },
    { contentType: dice.pick(['application/json; charset=utf-8', word, 'text/plain', 'APPLICATION/JSON']) },
    { mac: () => dice.bytes(dice.pick([0, 31, 32, 33])) },
    { nowSeconds: nowSeconds + dice.pick([-301, -300, 60, 61, 1e15, -nowSeconds]) },
  ];
  return Object.assign({ ...good, body }, ...Array.from({ length: dice.int(0, 2) }, () => dice.pick(changes)));
}

function components(dice: Dice): string[] {
  const { word } = dice.secret;
  return [
    ...['"@method"', '"@authority"', '"@path"', '"@query"', '"content-type"', '"content-digest"'],
    ...['"@method";req', '"@target-uri"', '"@query-param";name="a"', '"cookie"', '"signature"', `"${word}"`, '"x";bs'],
  ];
}

function odd(dice: Dice, value: string): string {
  if (dice.chance(0.5)) return mutateField(dice, value);
  return dice.pick([
    fieldText(dice),
    value.repeat(dice.int(2, 20)),
    `${value}, ${value}`,
    value.toUpperCase(),
    ` ${value} `,
    `${value};a=${dice.secret.digits}`,
    `${'('.repeat(3_000)}${value}`,
    `${value}${'"'.repeat(3_000)}`,
    '',
  ]);
}

function internalKeyRequest(dice: Dice, world: World): HttpRequest {
  const { word } = dice.secret;
  const good = world.cron.secret;
  const [keyId = '', secret = ''] = good.split('.');
  const value = dice.pick([
    good,
    mutateField(dice, good),
    `${keyId}.${word}`,
    `${keyId}.`,
    `.${secret}`,
    `${keyId}.cks_${word.padEnd(49, 'x')}`,
    `ck_${word.padEnd(20, 'x')}.${secret}`,
    `${good}, ${good}`,
    `${good} `,
    `${world.api.keyId}.${world.api.secret}`,
    'x'.repeat(dice.int(1_000, 7_000)) + word,
    fieldText(dice),
    '',
  ]);
  const headers: HttpRequest['headers'] = [
    ['Content-Type', 'application/json'],
    ['X-Internal-Key', value],
  ];
  if (dice.chance(0.1)) headers.push(['x-internal-key', dice.pick([good, word])]);
  if (dice.chance(0.15)) headers.push(...credential(dice, world));
  const body = Buffer.from(dice.pick(['{"query":"{ caller { callerType } }"}', '', word, `{"query":"${word}"`]));
  return { method: 'POST', path: '/graphql', headers, body, mayEcho: 'nowhere' };
}

/** One more of any kind, good or not. */
function credential(dice: Dice, { cron, known }: World): HttpRequest['headers'] {
  return [
    dice.pick<[string, string]>([
      ['X-Internal-Key', cron.secret],
      ['X-Internal-Key', dice.secret.word],
      ['Authorization', `Bearer ${known.accessToken}`],
      ['Authorization', `Bearer ${dice.secret.word}`],
      ['Authorization', ''],
      ['Signature', 'sig1=:AAAA:'],
      ['Signature-Input', `sig1=("${dice.secret.word}")`],
    ]),
  ];
}
