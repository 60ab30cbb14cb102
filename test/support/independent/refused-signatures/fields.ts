/** One signature in two fields (RFC 9421 section 4), by the right key over the right text. (Interface 6) */
import { createHmac } from 'node:crypto';
import { adding, changed, freshNonce, headerOf, hmacSha256, type SignedRequest, without } from '../signer.js';
import { type RefusedCase, withInput, withSignature } from './case.js';

const base64 = (text: string) => text.slice('sig1=:'.length, -1);

/** Both fields of `second` behind those of `first`. */
function joined(first: SignedRequest, second: SignedRequest): SignedRequest {
  const input = withInput(first, (text) => `${text}, ${headerOf(second, 'signature-input')}`);
  return withSignature(input, (text) => `${text}, ${headerOf(second, 'signature')}`);
}

const labels: RefusedCase[] = [
  ['two valid signatures', 'malformed_signature', (sign) => joined(sign(), sign({ label: 'sig2' }))],
  [
    'a forged signature before a valid one',
    'malformed_signature',
    (sign) => joined(sign({ secret: 'forged' }), sign({ label: 'sig2' })),
  ],
  [
    'a forged signature after a valid one',
    'malformed_signature',
    (sign) => joined(sign(), sign({ label: 'sig2', secret: 'forged' })),
  ],
  ['one label twice', 'malformed_signature', (sign) => joined(sign({ secret: 'forged' }), sign())],
  [
    'one label twice in Signature',
    'malformed_signature',
    (sign) => withSignature(sign(), (text) => `${text}, ${text}`),
  ],
  [
    'one label twice in Signature-Input',
    'malformed_signature',
    (sign) => withInput(sign(), (text) => `${text}, ${text}`),
  ],
  ['another label', 'malformed_signature', (sign) => withSignature(sign(), (text) => text.replace('sig1', 'sig2'))],
  [
    'a second label in Signature alone',
    'malformed_signature',
    (sign) => withSignature(sign(), (text) => `${text}, ${text.replace('sig1', 'sig2')}`),
  ],
  [
    'a second label in Signature-Input alone',
    'malformed_signature',
    (sign) => withInput(sign(), (text) => `${text}, ${text.replace('sig1', 'sig2')}`),
  ],
  ['a label in upper case', 'malformed_signature', (sign) => sign({ label: 'Sig1' })],
  ['the label __proto__', 'malformed_signature', (sign) => sign({ label: '__proto__' })],
  ['no Signature', 'malformed_signature', (sign) => without(sign(), 'signature')],
  ['no Signature-Input', 'malformed_signature', (sign) => without(sign(), 'signature-input')],
  ['an empty Signature', 'malformed_signature', (sign) => withSignature(sign(), () => '')],
  ['an empty Signature-Input', 'malformed_signature', (sign) => withInput(sign(), () => '')],
  [
    'two empty fields',
    'malformed_signature',
    (sign) =>
      withSignature(
        withInput(sign(), () => ''),
        () => '',
      ),
  ],
  ['a second Signature line', 'malformed_signature', (sign) => adding(sign(), 'Signature', 'sig2=:AAAA:')],
  ['an empty second Signature line', 'malformed_signature', (sign) => adding(sign(), 'signature', '')],
  ['a second Signature-Input line', 'malformed_signature', (sign) => adding(sign(), 'Signature-Input', 'sig2=()')],
  ['a long Signature-Input', 'malformed_signature', (sign) => sign({ parameters: { keyid: `"${'k'.repeat(900)}"` } })],
  ['a long Signature', 'malformed_signature', (sign) => sign({ label: 's'.repeat(210) })],
];

const forms: RefusedCase[] = [
  ['sig1', 'malformed_signature', (sign) => withInput(sign(), () => 'sig1')],
  ['sig1="text"', 'malformed_signature', (sign) => withInput(sign(), () => 'sig1="@method"')],
  ['sig1=(', 'malformed_signature', (sign) => withInput(sign(), (text) => text.slice(0, 9))],
  ['two spaces', 'malformed_signature', (sign) => withInput(sign(), (text) => text.replace(' ', '  '))],
  ['a trailing comma', 'malformed_signature', (sign) => withInput(sign(), (text) => `${text},`)],
  ['letters outside ASCII', 'malformed_signature', (sign) => withInput(sign(), (text) => text.replace('sig1', 'sïg1'))],
];

const MACS: Record<string, (base64: string) => string> = {
  'no bytes': () => 'sig1=::',
  '16 bytes': (text) => `sig1=:${Buffer.from(text, 'base64').subarray(16).toString('base64')}:`,
  '33 bytes': (text) => `sig1=:${Buffer.concat([Buffer.from(text, 'base64'), Buffer.alloc(1)]).toString('base64')}:`,
  'a string': (text) => `sig1="${text}"`,
  'a token': () => 'sig1=abc',
  'an integer': () => 'sig1=1',
  'a list': (text) => `sig1=(:${text}:)`,
  'a parameter': (text) => `sig1=:${text}:;a=1`,
  'no padding': (text) => `sig1=:${text.replace('=', '')}:`,
  'spare bits set': (text) => `sig1=:${text.replace(/(.)=$/, (_, last) => `${nextInBase64(last)}=`)}:`,
  base64url: () => `sig1=:${'-_'.repeat(21)}A=:`,
  'a space in it': (text) => `sig1=:${text.slice(0, 9)} ${text.slice(9)}:`,
  'no end': (text) => `sig1=:${text}`,
};

/** The last character of 32 bytes in base64 has two bits to spare: `A` and `B` mean the same bytes. */
function nextInBase64(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return alphabet[alphabet.indexOf(character) + 1] ?? '';
}

const macs: RefusedCase[] = [
  ...Object.entries(MACS).map(
    ([name, change]): RefusedCase => [
      name,
      'malformed_signature',
      (sign) => withSignature(sign(), (text) => change(base64(text))),
    ],
  ),
  ['zeros', 'invalid_signature', (sign) => sign({ mac: () => Buffer.alloc(32) })],
  ['of another request', 'invalid_signature', (sign) => withSignature(sign(), () => headerOf(sign(), 'signature'))],
  ['under another secret', 'invalid_signature', (sign) => sign({ secret: 'aks_another' })],
  ['under an empty secret', 'invalid_signature', (sign) => sign({ secret: '' })],
  [
    'HMAC-SHA-512 cut short',
    'invalid_signature',
    (sign) => sign({ mac: (base, secret) => createHmac('sha512', secret).update(base).digest().subarray(0, 32) }),
  ],
  [
    'over a line feed more',
    'invalid_signature',
    (sign) => sign({ mac: (base, secret) => hmacSha256(`${base}\n`, secret) }),
  ],
  [
    'over CRLF',
    'invalid_signature',
    (sign) => sign({ mac: (base, secret) => hmacSha256(base.replaceAll('\n', '\r\n'), secret) }),
  ],
  [
    'over no @signature-params',
    'invalid_signature',
    (sign) => sign({ mac: (base, secret) => hmacSha256(base.split('\n').slice(0, -1).join('\n'), secret) }),
  ],
];

/** `Signature-Input` changed after signing, into another good one. */
const inputs: RefusedCase[] = [
  ['created', (text: string) => text.replace(/created=(\d+)/, (_, created) => `created=${Number(created) - 1}`)],
  ['nonce', (text: string) => text.replace(/nonce="\w+"/, `nonce="${freshNonce()}"`)],
  ['keyid', (text: string) => text.replace(/keyid="\w+"/, 'keyid="ak_unknown"')],
  ['alg added', (text: string) => `${text};alg="hmac-sha256"`],
  ['expires added', (text: string) => `${text};expires=9999999999`],
  ['the order', (text: string) => text.replace('"@method" "@authority"', '"@authority" "@method"')],
].map(([name, change]) => [
  `${name} changed after signing`,
  'invalid_signature',
  (sign) => withInput(sign(), change as (text: string) => string),
]);

const keys: RefusedCase[] = [
  ...['__proto__', 'constructor', '', 'ak_unknown', "' or 1=1 --", '%00', 'k'.repeat(64)].map(
    (keyId): RefusedCase => [`keyid="${keyId}"`, 'invalid_signature', (sign) => sign({ keyId })],
  ),
  [
    'the name of another key',
    'invalid_signature',
    (sign, _, other) => {
      const [name = ''] = /keyid="\w+"/.exec(headerOf(other(), 'signature-input')) ?? [];
      return sign({ keyId: name.slice('keyid="'.length, -1) });
    },
  ],
  [
    'the fields of another key on this request',
    'invalid_signature',
    (sign, _, other) => changed(sign(), 'signature', () => headerOf(other(), 'signature')),
  ],
];

export const fieldCases: RefusedCase[] = [
  ...labels.map(([name, ...rest]): RefusedCase => [`fields: ${name}`, ...rest]),
  ...forms.map(([name, ...rest]): RefusedCase => [`Signature-Input: ${name}`, ...rest]),
  ...macs.map(([name, ...rest]): RefusedCase => [`MAC: ${name}`, ...rest]),
  ...inputs.map(([name, ...rest]): RefusedCase => [`Signature-Input: ${name}`, ...rest]),
  ...keys.map(([name, ...rest]): RefusedCase => [`key: ${name}`, ...rest]),
];
