/** The parameters, their types and the times they name. (Interface 6, RFC 9421 section 2.3) */
import { freshNonce } from '../signer.js';
import type { RefusedCase } from './case.js';

const N = 'abcdefghijklmnopqrstuv';

/** Raw texts that are not the parameter's; null leaves it out. */
const MALFORMED: Record<string, (string | null)[]> = {
  created: [null, '"abc"', 'abc', '?1', ':AAAA:', '@1700000000', '1234567890123456', '--1', '1e9', '""', ''],
  nonce: [null, '""', '1', N, `:${N}==:`, `"${N.slice(1)}"`, `"${'n'.repeat(129)}"`, `"${N} "`, `"${N}:"`, `"${N},"`],
  'nonce ': [`"${N}*"`, `"${N}%"`, `"${N}é"`, `"${N}\\""`, `"${N}\\n"`, `"${N}\t"`, `"${N}`, `${N}"`],
  keyid: [null, 'ak_1', '1', ':AAAA:', `"${'k'.repeat(65)}"`],
  tag: [null, '"other"', '"Auth-Gateway"', '"auth-gateway "', '""', 'auth-gateway', '?1'],
  alg: ['"hmac-sha512"', '"HMAC-SHA256"', '"none"', '"ed25519"', '""', 'hmac-sha256', '256'],
  expires: ['"9999999999"', 'soon', '?0', '9999999999.5', '@9999999999', ''],
  foo: ['"bar"', '1'],
  Created: ['1'],
};

const types: RefusedCase[] = Object.entries(MALFORMED).flatMap(([name, texts]) =>
  texts.map(
    (text): RefusedCase => [
      `${name}=${text ?? ' left out'}`,
      'malformed_signature',
      (sign) => sign({ parameters: { [name.trim()]: text } }),
    ],
  ),
);

const forms: RefusedCase[] = [
  ['created=NOW.0', 'malformed_signature', (sign, now) => sign({ parameters: { created: `${now}.0` } })],
  ['created=NOW.5', 'malformed_signature', (sign, now) => sign({ parameters: { created: `${now}.5` } })],
  ['created=0NOW', 'malformed_signature', (sign, now) => sign({ parameters: { created: `0${now}` } })],
  ['created="NOW"', 'malformed_signature', (sign, now) => sign({ parameters: { created: `"${now}"` } })],
  ['created twice', 'malformed_signature', (sign, now) => sign({ afterParameters: `;created=${now}` })],
  [
    'created stale, then now',
    'malformed_signature',
    (sign, now) => sign({ nowSeconds: now - 999, afterParameters: `;created=${now}` }),
  ],
  ['nonce twice', 'malformed_signature', (sign) => sign({ afterParameters: `;nonce="${freshNonce()}"` })],
  ['keyid twice', 'malformed_signature', (sign) => sign({ afterParameters: ';keyid="ak_other"' })],
  ['expires without a value', 'malformed_signature', (sign) => sign({ afterParameters: ';expires' })],
  ['a space after a semicolon', 'malformed_signature', (sign) => sign({ afterParameters: '; alg="hmac-sha256"' })],
  ['a trailing semicolon', 'malformed_signature', (sign) => sign({ afterParameters: ';' })],
];

const times: RefusedCase[] = [
  ['created 301 s ago', 'signature_expired', (sign, now) => sign({ nowSeconds: now - 301 })],
  ['created a day ago', 'signature_expired', (sign, now) => sign({ nowSeconds: now - 86_400 })],
  ['created 61 s ahead', 'signature_expired', (sign, now) => sign({ nowSeconds: now + 61 })],
  ['created in milliseconds', 'signature_expired', (sign, now) => sign({ nowSeconds: now * 1000 })],
  ['created=0', 'signature_expired', (sign) => sign({ nowSeconds: 0 })],
  ['created before 1970', 'signature_expired', (sign, now) => sign({ nowSeconds: -now })],
  [
    'expires now',
    'signature_expired',
    (sign, now) => sign({ nowSeconds: now - 10, parameters: { expires: `${now}` } }),
  ],
  [
    'expires past',
    'signature_expired',
    (sign, now) => sign({ nowSeconds: now - 10, parameters: { expires: `${now - 1}` } }),
  ],
  [
    'expires ahead, created 301 s ago',
    'signature_expired',
    (sign, now) => sign({ nowSeconds: now - 301, parameters: { expires: `${now + 60}` } }),
  ],
  ['expires at created', 'malformed_signature', (sign, now) => sign({ parameters: { expires: `${now}` } })],
  ['expires before created', 'malformed_signature', (sign, now) => sign({ parameters: { expires: `${now - 1}` } })],
  ['expires=LATER.0', 'malformed_signature', (sign, now) => sign({ parameters: { expires: `${now + 60}.0` } })],
];

export const parameterCases: RefusedCase[] = [...types, ...forms, ...times].map(([name, ...rest]) => [
  `parameter ${name}`,
  ...rest,
]);
