/** What is covered, changed after signing; and the digest of the body. (Interface 6, RFC 9530) */
import { adding, changed, QUERY, type SignedRequest, sha256Digest, sha512Digest, without } from '../signer.js';
import type { RefusedCase } from './case.js';

const OTHER = QUERY.replace('callerType', '__typename');
const MD5 = 'md5=:1B2M2Y8AsgTpgAmY7PhCfg==:';

const withBody = (request: SignedRequest, body: string): SignedRequest => ({ ...request, body: Buffer.from(body) });
const withDigest = (request: SignedRequest, digest: string) => changed(request, 'content-digest', () => digest);

const targets: RefusedCase[] = [
  ['another method', 'invalid_signature', (sign) => ({ ...sign(), method: 'PUT' }), 'early'],
  ['the method in lower case', 'invalid_signature', (sign) => ({ ...sign(), method: 'post' }), 'early'],
  ['another path', 'invalid_signature', (sign) => ({ ...sign(), target: '/graphql/' }), 'early'],
  ['the path in another case', 'invalid_signature', (sign) => ({ ...sign(), target: '/GraphQL' }), 'early'],
  ['the path encoded', 'invalid_signature', (sign) => ({ ...sign(), target: '/graph%71l' }), 'early'],
  ['the path decoded', 'invalid_signature', (sign) => ({ ...sign({ target: '/graph%71l' }), target: '/graphql' })],
  ['dots in the path', 'invalid_signature', (sign) => ({ ...sign(), target: '/x/../graphql' }), 'early'],
  ['a fragment', 'malformed_signature', (sign) => ({ ...sign(), target: '/graphql#x' }), 'early'],
  ['a fragment after the query', 'malformed_signature', (sign) => ({ ...sign(), target: '/graphql?#x' }), 'early'],
  ['the asterisk form', 'malformed_signature', (sign) => ({ ...sign(), target: '*' }), 'early'],
  ['letters outside ASCII in the path', 'malformed_signature', (sign) => sign({ target: '/graphqlé' }), 'early'],
  ['a space in the path', 'malformed_signature', (sign) => sign({ target: '/graph ql ' }), 'early'],
  ['a line feed in the path', 'malformed_signature', (sign) => sign({ target: '/graphql\n' }), 'early'],
  ['a query added', 'invalid_signature', (sign) => ({ ...sign(), target: '/graphql?x=1' })],
  [
    'the query changed',
    'invalid_signature',
    (sign) => ({ ...sign({ target: '/graphql?x=1' }), target: '/graphql?x=2' }),
  ],
  ['the query taken off', 'invalid_signature', (sign) => ({ ...sign({ target: '/graphql?x=1' }), target: '/graphql' })],
  [
    'the query in another order',
    'invalid_signature',
    (sign) => ({ ...sign({ target: '/graphql?a=1&b=2' }), target: '/graphql?b=2&a=1' }),
  ],
  [
    'the query decoded',
    'invalid_signature',
    (sign) => ({ ...sign({ target: '/graphql?a=%7E' }), target: '/graphql?a=~' }),
  ],
  ['another host', 'invalid_signature', (sign) => sign({ authority: 'evil.example' })],
  ['another port', 'invalid_signature', (sign) => sign({ authority: 'localhost:1' })],
  ['a host in upper case', 'invalid_signature', (sign) => sign({ authority: 'LOCALHOST:3000' })],
];

const types: RefusedCase[] = [
  [
    'another',
    'invalid_signature',
    (sign) => changed(sign(), 'content-type', () => 'application/graphql+json'),
    'early',
  ],
  ['in another case', 'invalid_signature', (sign) => changed(sign(), 'content-type', () => 'Application/json')],
  [
    'with a parameter',
    'invalid_signature',
    (sign) => changed(sign(), 'content-type', (text) => `${text}; charset=utf-8`),
  ],
  ['taken off', 'malformed_signature', (sign) => without(sign(), 'content-type'), 'early'],
  ['empty', 'malformed_signature', (sign) => sign({ contentType: '' }), 'early'],
  ['twice', 'malformed_signature', (sign) => adding(sign(), 'Content-Type', 'application/json')],
  [
    'twice, and signed as joined',
    'malformed_signature',
    (sign) => {
      const signed = sign({ contentType: 'application/json, application/json' });
      return adding(
        changed(signed, 'content-type', () => 'application/json'),
        'content-type',
        'application/json',
      );
    },
  ],
  ['with letters outside ASCII', 'malformed_signature', (sign) => sign({ contentType: 'application/json;é' })],
  ['with a tab', 'malformed_signature', (sign) => sign({ contentType: 'application/json;\ta=1' })],
];

const bodies: RefusedCase[] = [
  ['one letter changed', 'content_digest_mismatch', (sign) => withBody(sign(), QUERY.replace('caller', 'Caller'))],
  ['a space more', 'content_digest_mismatch', (sign) => withBody(sign(), `${QUERY} `)],
  ['a byte less', 'content_digest_mismatch', (sign) => withBody(sign(), QUERY.slice(0, -1)), 'early'],
  ['taken off', 'malformed_signature', (sign) => withBody(sign(), ''), 'early'],
  ['added', 'insufficient_coverage', (sign) => withBody(sign({ body: '' }), QUERY), 'early'],
  [
    'added with its fields',
    'insufficient_coverage',
    (sign) => {
      const typed = adding(withBody(sign({ body: '' }), QUERY), 'Content-Type', 'application/json');
      return adding(typed, 'Content-Digest', sha256Digest(QUERY));
    },
  ],
  ['changed with its digest', 'invalid_signature', (sign) => withDigest(withBody(sign(), OTHER), sha256Digest(OTHER))],
];

const digests: RefusedCase[] = [
  ['by another algorithm', 'invalid_signature', (sign) => withDigest(sign(), sha512Digest(QUERY))],
  ['one more', 'invalid_signature', (sign) => withDigest(sign(), `${sha256Digest(QUERY)}, ${sha512Digest(QUERY)}`)],
  ['taken off', 'malformed_signature', (sign) => without(sign(), 'content-digest')],
  ['twice', 'malformed_signature', (sign) => adding(sign(), 'Content-Digest', sha256Digest(QUERY))],
  ...(
    [
      ['content_digest_mismatch', sha256Digest(OTHER)],
      ['content_digest_mismatch', sha512Digest(OTHER)],
      ['content_digest_mismatch', `${sha256Digest(QUERY)}, ${sha512Digest(OTHER)}`],
      ['content_digest_mismatch', `${sha256Digest(OTHER)}, ${sha512Digest(QUERY)}`],
      ['content_digest_mismatch', 'sha-256=:AAAA:'],
      ['content_digest_mismatch', 'sha-256=::'],
      ['content_digest_mismatch', sha256Digest(QUERY).replace('256', '512')],
      ['malformed_signature', ''],
      ['malformed_signature', MD5],
      ['malformed_signature', 'sha-256'],
      ['malformed_signature', 'sha-256=1'],
      ['malformed_signature', `unixsum=30637, ${sha256Digest(QUERY)}`],
      ['malformed_signature', `sha-256="${sha256Digest(QUERY).slice(9, -1)}"`],
      ['malformed_signature', `sha-256=(${sha256Digest(QUERY).slice(8)})`],
      ['malformed_signature', sha256Digest(QUERY).slice(9, -1)],
      ['malformed_signature', sha256Digest(QUERY).replaceAll(':', '')],
      ['malformed_signature', sha256Digest(QUERY).toUpperCase()],
      ['malformed_signature', `${sha256Digest(OTHER)}, ${sha256Digest(QUERY)}`],
      ['malformed_signature', `${sha256Digest(QUERY)},`],
    ] as const
  ).map(([reason, contentDigest]): RefusedCase => [contentDigest, reason, (sign) => sign({ contentDigest })]),
];

export const contentCases: RefusedCase[] = [
  ...targets.map(([name, ...rest]): RefusedCase => [`target: ${name}`, ...rest]),
  ...types.map(([name, ...rest]): RefusedCase => [`Content-Type: ${name}`, ...rest]),
  ...bodies.map(([name, ...rest]): RefusedCase => [`body: ${name}`, ...rest]),
  ...digests.map(([name, ...rest]): RefusedCase => [`Content-Digest: ${name}`, ...rest]),
];
