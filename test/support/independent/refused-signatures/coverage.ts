/** Exactly the components of the profile are covered. (Interface 6, RFC 9421 section 2) */
import { adding, neededComponents, sha256Digest } from '../signer.js';
import type { RefusedCase } from './case.js';

const ALL = neededComponents(true);
const BODILESS = neededComponents(false);

const TOO_FEW: RefusedCase[] = [
  ['an empty list', 'insufficient_coverage', (sign) => sign({ components: [] })],
  ['the body left out', 'insufficient_coverage', (sign) => sign({ components: BODILESS })],
  ['only the body', 'insufficient_coverage', (sign) => sign({ components: ALL.slice(4) })],
  ...ALL.map(
    (left): RefusedCase => [
      `${left} left out`,
      'insufficient_coverage',
      (sign) => sign({ components: ALL.filter((name) => name !== left) }),
    ],
  ),
  ...BODILESS.map(
    (left): RefusedCase => [
      `${left} left out, without a body`,
      'insufficient_coverage',
      (sign) => sign({ method: 'GET', body: '', components: BODILESS.filter((name) => name !== left) }),
      'early',
    ],
  ),
];

const TOO_MUCH: RefusedCase[] = [
  ...['"@method"', '"content-digest"', '"host"', '"date"', '""', '"__proto__"', '"Content-Type"'],
  ...['"@target-uri"', '"@scheme"', '"@request-target"', '"@status"', '"@signature-params"', '"@none"', '"@Method"'],
  ...['"@query-param";name="x"', '"@method";req', '"x";bs', '"x";sf', '"x";tr', '"x";key="a"'],
  ...['content-type', '1', '1.5', '?1', ':AAAA:', '@1', '()'],
].map((item) => [`${item} besides`, 'malformed_signature', (sign) => sign({ components: [...ALL, item] })]);

const OTHERWISE: RefusedCase[] = [
  ...['"@method";req', '"@path";a=1', '"@query";a', '"content-type";sf', '"content-digest";key="sha-256"'].map(
    (item): RefusedCase => [
      `${item} instead`,
      'malformed_signature',
      (sign) => sign({ components: ALL.map((name) => (item.startsWith(name) ? item : name)) }),
    ],
  ),
  [
    'names as tokens',
    'malformed_signature',
    (sign) => sign({ components: ALL.map((name) => name.replaceAll(/"@?/g, '')) }),
  ],
  [
    'content-digest, without a body',
    'malformed_signature',
    (sign) =>
      adding(sign({ body: '', components: [...BODILESS, '"content-digest"'] }), 'Content-Digest', sha256Digest('')),
    'early',
  ],
  [
    'content-type, without a body',
    'malformed_signature',
    (sign) => adding(sign({ body: '', components: [...BODILESS, '"content-type"'] }), 'Content-Type', 'text/plain'),
    'early',
  ],
];

export const coverageCases: RefusedCase[] = [...TOO_FEW, ...TOO_MUCH, ...OTHERWISE].map(([name, ...rest]) => [
  `coverage: ${name}`,
  ...rest,
]);
