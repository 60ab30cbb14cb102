/** RFC 9421: HTTP message signatures in the profile of Interface 6. Parses and checks everything but the MAC and the nonce. */
import { timingSafeEqual } from 'node:crypto';
import { type BareItem, type InnerList, isInnerList, serializeDictionary } from 'structured-headers';
import * as z from 'zod';
import { epochSeconds } from '../../platform/clock.js';
import { type Explained, refused } from '../../platform/refused.js';
import { isKeySecret } from '../key-secrets.js';
import { checkContentDigest } from './content-digest.js';
import { fieldValues, onlyFieldValue, readDictionary } from './http-fields.js';
import { buildSignatureBase, hmacSha256, type RequestFacts } from './signature-base.js';

/** The caller of this file, who has the keys and the nonces, finds `nonce_reused` and `invalid_signature`. */
export type SignatureRefusal =
  | 'signature_expired'
  | 'nonce_reused'
  | 'insufficient_coverage'
  | 'content_digest_mismatch'
  | 'malformed_signature'
  | 'invalid_signature';

type RefusedSignature = Explained<SignatureRefusal>;

/** A well-formed and timely signature with full coverage and the right digest; its MAC is not checked yet. */
export interface RequestSignature {
  kind: 'signature';
  keyId: string;
  nonce: string;
  /** Seconds since the epoch */
  createdSeconds: number;
  /** The signature base (RFC 9421 section 2.5) */
  base: string;
  /** 32 bytes */
  mac: Uint8Array;
  /** `Content-Digest` (RFC 9530), if the signature covers it */
  contentDigest: string | undefined;
}

const INPUT_CHARACTERS = 1024;
const SIGNATURE_CHARACTERS = 256;
/** How old a signature may be, and how far ahead of our clock. */
export const PAST_SECONDS = 300;
export const AHEAD_SECONDS = 60;
const MAC_BYTES = 32;
/** A larger `created` is in milliseconds: as seconds it would be after the year 5138. */
const MILLISECONDS_FROM = 100_000_000_000;

const COVERED = ['@method', '@authority', '@path', '@query'];
const DIGEST = 'content-digest';
const OF_BODY = ['content-type', DIGEST];
const COVERED_WITH_BODY = [...COVERED, ...OF_BODY];
const TAG = 'auth-gateway';
const ALGORITHM = 'hmac-sha256';

const REQUIRED = ['created', 'nonce', 'keyid', 'tag'];

const parametersSchema = z.strictObject(
  {
    created: z.int('The parameter created must be an integer, seconds since 1970'),
    expires: z.int('The parameter expires must be an integer, seconds since 1970').optional(),
    nonce: z
      .string('The parameter nonce must be a string')
      .regex(
        /^[\w+/=.~-]{22,128}$/,
        'The parameter nonce must have 22 to 128 of the characters A-Z a-z 0-9 + / = _ . ~ -',
      ),
    keyid: z
      .string('The parameter keyid must be a string')
      .max(64, 'The parameter keyid is too long')
      .refine(
        (keyId) => !isKeySecret(keyId),
        'The parameter keyid must be the id of the key, not its secret; the secret was sent, so rotate the key',
      ),
    tag: z.literal(TAG, `The parameter tag must be "${TAG}"`),
    alg: z.literal(ALGORITHM, `The parameter alg must be "${ALGORITHM}", or be omitted`).optional(),
  },
  'The parameters must be created, nonce, keyid and tag, optionally alg and expires, and no others',
);

const malformed = (detail: string) => refused('malformed_signature', detail);
const expired = (detail: string) => refused('signature_expired', detail);

/** True if the request has a field of a signature, valid or not. */
export function presentsSignature(rawHeaders: readonly string[]): boolean {
  return ['signature', 'signature-input'].some((name) => fieldValues(rawHeaders, name).length > 0);
}

/**
 * `Accept-Signature` (RFC 9421 section 5.1): the signature that this request needs. The signer fills in `created` and
 * `keyid`, and copies the other parameters.
 * @param nonce a fresh one
 */
export function acceptSignature(
  { body, rawHeaders }: Pick<RequestFacts, 'body' | 'rawHeaders'>,
  nonce: string,
): string {
  const parameters = new Map<string, BareItem>(Object.entries({ created: true, nonce, alg: ALGORITHM, tag: TAG }));
  const hasBody = body === undefined ? fieldValues(rawHeaders, 'content-type').length > 0 : body.length > 0;
  const signature: InnerList = [requiredComponents(hasBody).map((name) => [name, new Map()]), parameters];
  return serializeDictionary(new Map([['sig1', signature]]));
}

/** Checks form, then coverage, then times, then the digest of the body. */
export function readRequestSignature(request: RequestFacts, now: Date): RequestSignature | RefusedSignature {
  const read = readFields(request.rawHeaders);
  if (read.kind === 'refused') return read;
  const { components, signatureParams, mac } = read;

  const missing = REQUIRED.filter((name) => !read.parameters.has(name));
  if (missing.length > 0) return malformed(`Parameters are missing: ${missing.join(', ')}`);
  const parsed = parametersSchema.safeParse(Object.fromEntries(read.parameters));
  if (!parsed.success) return malformed(parsed.error.issues[0]?.message ?? 'The parameters are not in order');
  const { keyid: keyId, nonce, created: createdSeconds, expires: expiresSeconds } = parsed.data;
  if (expiresSeconds !== undefined && expiresSeconds <= createdSeconds) {
    return malformed('The parameter expires must be later than created');
  }

  const uncovered = checkCoverage(components, request.body);
  if (uncovered !== undefined) return uncovered;
  const base = buildSignatureBase(components, signatureParams, request);
  if (typeof base !== 'string') {
    return malformed(`"${base.without}" is covered, so it must be sent exactly once, in printable ASCII`);
  }

  const contentDigest = components.includes(DIGEST) ? onlyFieldValue(request.rawHeaders, DIGEST) : undefined;
  const fault = checkTimes(createdSeconds, expiresSeconds, now) ?? checkBody(contentDigest, request.body);
  return fault ?? { kind: 'signature', keyId, nonce, createdSeconds, base, mac, contentDigest };
}

/** True if one of the secrets made the MAC. Takes the same time in every case. */
export function macMatches(
  { base, mac }: Pick<RequestSignature, 'base' | 'mac'>,
  secrets: readonly (string | Uint8Array)[],
): boolean {
  return secrets.map((secret) => timingSafeEqual(hmacSha256(secret, base), mac)).includes(true);
}

/** `Signature-Input` and `Signature` (RFC 9421 section 4): one label, the same in both. */
function readFields(rawHeaders: readonly string[]) {
  const inputText = fieldValues(rawHeaders, 'signature-input').join(', ');
  const signatureText = fieldValues(rawHeaders, 'signature').join(', ');
  if (inputText.length > INPUT_CHARACTERS || signatureText.length > SIGNATURE_CHARACTERS) {
    return malformed(`Signature-Input may have ${INPUT_CHARACTERS} characters, Signature ${SIGNATURE_CHARACTERS}`);
  }
  const inputs = readDictionary(inputText);
  const signatures = readDictionary(signatureText);
  if (inputs === undefined || signatures === undefined) {
    return malformed('Signature-Input and Signature must be dictionaries in the canonical form of RFC 9651');
  }
  const [[label = '', input] = [], otherInput] = inputs;
  const signature = signatures.get(label);
  if (input === undefined || otherInput !== undefined || signature === undefined || signatures.size !== 1) {
    return malformed('Send exactly one signature, with the same label in Signature-Input and Signature');
  }
  const [bytes, itsParameters] = signature;
  if (!(bytes instanceof ArrayBuffer) || bytes.byteLength !== MAC_BYTES || itsParameters.size > 0) {
    return malformed('The signature must be the 32 bytes of an HMAC-SHA-256, as :BASE64:');
  }
  const mustBeNames = 'The covered components must be a list of strings without parameters';
  if (!isInnerList(input)) return malformed(mustBeNames);
  const components = input[0].map(([name, { size }]) => (size === 0 ? name : undefined));
  if (!components.every((name) => typeof name === 'string')) return malformed(mustBeNames);
  const signatureParams = inputText.slice(`${label}=`.length); // canonical, as it is to be in the signature base
  return { kind: 'fields', components, parameters: input[1], signatureParams, mac: new Uint8Array(bytes) } as const;
}

function requiredComponents(hasBody: boolean): string[] {
  return hasBody ? COVERED_WITH_BODY : COVERED;
}

/** The components may have any order. Of a body that is not known, the signature says whether it is there. */
function checkCoverage(components: readonly string[], body: Uint8Array | undefined): RefusedSignature | undefined {
  const hasBody = body === undefined ? OF_BODY.some((name) => components.includes(name)) : body.length > 0;
  const needed = requiredComponents(hasBody);
  if (new Set(components).size < components.length || !components.every((name) => needed.includes(name))) {
    return malformed(
      'Cover exactly "@method" "@authority" "@path" "@query", and with a body also "content-type" "content-digest", ' +
        'each once',
    );
  }
  if (components.length === needed.length) return undefined;
  const detail = `The signature must cover all of ${needed.map((name) => `"${name}"`).join(' ')}`;
  return refused('insufficient_coverage', detail);
}

/** The window includes both ends; at `expires` it is too late. */
function checkTimes(created: number, expires: number | undefined, now: Date): RefusedSignature | undefined {
  const nowSeconds = epochSeconds(now);
  if (created >= MILLISECONDS_FROM) {
    return expired('The parameter created looks like milliseconds; it must be in seconds since 1970');
  }
  if (created < nowSeconds - PAST_SECONDS || created > nowSeconds + AHEAD_SECONDS) {
    return expired(
      `The signature was created more than ${PAST_SECONDS} s ago or ${AHEAD_SECONDS} s ahead; check the clock and sign again`,
    );
  }
  return expires !== undefined && expires <= nowSeconds
    ? expired('The parameter expires has passed; sign again')
    : undefined;
}

/** RFC 9530: a covered digest is that of the body. Without a body none is covered. */
function checkBody(contentDigest: string | undefined, body: Uint8Array | undefined): RefusedSignature | undefined {
  if (contentDigest === undefined) return undefined;
  switch (checkContentDigest(contentDigest, body)) {
    case 'matches':
      return undefined;
    case 'differs':
      return refused('content_digest_mismatch', 'Content-Digest does not match the body');
    case 'malformed':
      return malformed('Content-Digest must be a dictionary with sha-256 or sha-512, as in RFC 9530');
  }
}
