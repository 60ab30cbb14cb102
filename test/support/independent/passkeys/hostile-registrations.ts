/** Registrations that must be refused, each for one alteration. (WebAuthn Level 3 section 7.1, Interface 20) */
import { generateKeyPairSync } from 'node:crypto';
import { type Cbor, head, toCbor } from './cbor.js';
import { makerCertificate } from './certificate.js';
import { HOSTILE_JSON, HOSTILE_PARTS, type Hostile, hostileTexts, type Json } from './hostile-parts.js';
import { coseKey, FLAGS, newKeyPair, type RegistrationDraft } from './software-authenticator.js';

type Change = (draft: RegistrationDraft) => void;

const attested: Record<string, Change> = {
  'a passkey that is not said (AT)': (draft) => {
    draft.flags &= ~FLAGS.AT;
  },
  'no passkey': (draft) => {
    draft.flags &= ~FLAGS.AT;
    draft.authenticatorDataBytes = (bytes) => bytes.subarray(0, 37);
  },
  'a passkey that is said and missing': (draft) => {
    draft.authenticatorDataBytes = (bytes) => bytes.subarray(0, 37);
  },
  'an id of 1024 bytes': (draft) => {
    draft.credentialId = Buffer.alloc(1024, 1);
  },
  'an empty id': (draft) => {
    draft.credentialId = Buffer.alloc(0);
  },
  'an id that is said to be longer than all': (draft) => {
    draft.credentialIdBytes = 1000;
  },
  'an id that is said to be one byte longer': (draft) => {
    draft.credentialIdBytes = draft.credentialId.length + 1;
  },
  'an id that is said to be one byte shorter': (draft) => {
    draft.credentialIdBytes = draft.credentialId.length - 1;
  },
  'authenticator data of 36 bytes': (draft) => {
    draft.authenticatorDataBytes = (bytes) => bytes.subarray(0, 36);
  },
  'authenticator data that are cut off': (draft) => {
    draft.authenticatorDataBytes = (bytes) => bytes.subarray(0, -1);
  },
  'authenticator data that are empty': (draft) => {
    draft.authenticatorDataBytes = () => Buffer.alloc(0);
  },
};

const rsa = (modulusLength: number, publicExponent: number) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey.export({ format: 'jwk' });

/** Labels of RFC 9053 that are set, or deleted if the value is undefined. */
function key(labels: Record<string, Cbor | undefined>): Change {
  return ({ publicKey }) => {
    for (const [label, value] of Object.entries(labels)) {
      if (value === undefined) publicKey.delete(Number(label));
      else publicKey.set(Number(label), value);
    }
  };
}

function anotherKey(make: () => Map<Cbor, Cbor>): Change {
  return (draft) => {
    draft.publicKey = make();
  };
}

/** What stands instead of the key, which is 77 bytes long if it is of P-256. */
function insteadOfKey(bytes: Buffer): Change {
  return (draft) => {
    draft.authenticatorDataBytes = (data) => Buffer.concat([data.subarray(0, -77), bytes]);
  };
}

/** Of a passkey of ES256 */
const keys: Record<string, Change> = {
  'a key without an algorithm': key({ 3: undefined }),
  'a key with the name of an algorithm': key({ 3: 'ES256' }),
  'a key of ES384': key({ 3: -35 }),
  'a key of ES256K': key({ 3: -47 }),
  'a key of EdDSA with a point of P-256': key({ 3: -8 }),
  'a key of RS256 with a point of P-256': key({ 3: -257 }),
  'a key of RS1': anotherKey(() => coseKey(rsa(2048, 65537)).set(3, -65535)),
  'a key of PS256': anotherKey(() => coseKey(rsa(2048, 65537)).set(3, -37)),
  'a key of ML-DSA-44': anotherKey(
    () =>
      new Map<Cbor, Cbor>([
        [1, 7],
        [3, -48],
        [-1, Buffer.alloc(1312)],
      ]),
  ),
  'a key without a type': key({ 1: undefined }),
  'a key of another type': key({ 1: 1 }),
  'a key that is symmetric': key({ 1: 4 }),
  'a key without a curve': key({ '-1': undefined }),
  'a key of P-384': key({ '-1': 2 }),
  'a key of secp256k1': key({ '-1': 8 }),
  'a point that is not on the curve': key({ '-3': Buffer.alloc(32, 1) }),
  'a point at infinity': key({ '-2': Buffer.alloc(32), '-3': Buffer.alloc(32) }),
  'a point that is compressed': key({ '-3': true }),
  'a point without y': key({ '-3': undefined }),
  'a point with x of 31 bytes': ({ publicKey }) => publicKey.set(-2, (publicKey.get(-2) as Buffer).subarray(1)),
  'a point with x of 33 bytes': ({ publicKey }) =>
    publicKey.set(-2, Buffer.concat([Buffer.alloc(1), publicKey.get(-2) as Buffer])),
  'a point in text': ({ publicKey }) => publicKey.set(-2, (publicKey.get(-2) as Buffer).toString('base64url')),
  'a modulus of 1024 bits': anotherKey(() => coseKey(rsa(1024, 65537))),
  'a modulus of 8192 bits': anotherKey(() => coseKey(rsa(2048, 65537)).set(-1, Buffer.alloc(1024, 0xc5))),
  'an exponent of 3': anotherKey(() => coseKey(rsa(2048, 3))),
  'an exponent of 1': anotherKey(() => coseKey(rsa(2048, 65537)).set(-2, Buffer.from([0, 0, 1]))),
  'an exponent of 256 bytes': anotherKey(() => coseKey(rsa(2048, 65537)).set(-2, Buffer.alloc(256, 0xc5))),
  'a key of Ed25519 with 31 bytes': anotherKey(() => ed25519().set(-2, Buffer.alloc(31, 1))),
  'a key of Ed25519 with 33 bytes': anotherKey(() => ed25519().set(-2, Buffer.alloc(33, 1))),
  'a key of X25519': anotherKey(() => ed25519().set(-1, 4)),
  'a key of Ed448': anotherKey(() => ed25519().set(-1, 7).set(-2, Buffer.alloc(57, 1))),
  'a key in words, as Firefox 117 wrote it': insteadOfKey(
    Buffer.concat([Buffer.from('a301634f4b500327206745643235353139', 'hex'), toCbor(-2), toCbor(Buffer.alloc(32, 1))]),
  ),
  'a key with one label twice': insteadOfKey(
    Buffer.concat([head(5, 3), ...[1, 2, 3, -7, 3, -7].map((value) => toCbor(value))]),
  ),
  'a key that is empty': anotherKey(() => new Map()),
  'a key that is a list': insteadOfKey(toCbor([1, 2, 3, -7])),
  'a key that is a number': insteadOfKey(Buffer.from([0])),
  'a key that is bytes': insteadOfKey(toCbor(Buffer.alloc(65, 4))),
  'a key of indefinite length': (draft) => {
    const entries = [...draft.publicKey].flat().map((value) => toCbor(value));
    insteadOfKey(Buffer.concat([Buffer.from([0xbf]), ...entries, Buffer.from([0xff])]))(draft);
  },
  'a key of a thousand levels': insteadOfKey(Buffer.concat([Buffer.alloc(1000, 0x81), Buffer.from([0])])),
  'a key that says that it has 2^32 labels': insteadOfKey(Buffer.from([0xba, 0xff, 0xff, 0xff, 0xff, 0x01])),
  'a key that says that it has 2^64 labels': insteadOfKey(Buffer.concat([Buffer.from([0xbb]), Buffer.alloc(8, 0xff)])),
};

function ed25519(): Map<Cbor, Cbor> {
  return coseKey(newKeyPair('EdDSA').publicKey.export({ format: 'jwk' }));
}

/** Sets a field of the attestation. */
function attestation(name: string, value: Cbor): Change {
  return (draft) => {
    draft.attestation.set(name, value);
  };
}

function attestationBytes(change: (bytes: Buffer) => Buffer): Change {
  return (draft) => {
    draft.attestationBytes = change;
  };
}

/** A good attestation by the passkey itself, but for its statement */
function selfAttestation(statement: (statement: Map<Cbor, Cbor>) => Map<Cbor, Cbor>): Change {
  return (draft) => {
    Object.assign(draft, { attestedBy: draft.privateKey, statement });
  };
}

function without(map: Map<Cbor, Cbor>, name: string): Map<Cbor, Cbor> {
  map.delete(name);
  return map;
}

const attestations: Record<string, Change> = {
  'an attestation without a format': ({ attestation: object }) => object.delete('fmt'),
  'an attestation of a format that is a number': attestation('fmt', 0),
  ...Object.fromEntries(
    ['', 'None', 'self', 'compound', 'fido-u2f', 'tpm', 'apple', 'android-key', 'android-safetynet', '__proto__'].map(
      (format) => [`an attestation of the format "${format}"`, attestation('fmt', format)],
    ),
  ),
  'an attestation "packed" without a statement': attestation('fmt', 'packed'),
  'an attestation "none" with a statement': attestation('attStmt', new Map([['alg', -7]])),
  'an attestation without a statement': ({ attestation: object }) => object.delete('attStmt'),
  'a statement that is a list': attestation('attStmt', []),
  'a statement that is null': attestation('attStmt', null),
  'an attestation by another key': (draft) => {
    draft.attestedBy = newKeyPair('ES256').privateKey;
  },
  'an attestation without a signature': selfAttestation((statement) => without(statement, 'sig')),
  'an attestation without an algorithm': selfAttestation((statement) => without(statement, 'alg')),
  'an attestation of another algorithm': selfAttestation((statement) => statement.set('alg', -257)),
  'an attestation whose signature is text': selfAttestation((statement) => statement.set('sig', 'signature')),
  'an attestation with an empty list of certificates': selfAttestation((statement) => statement.set('x5c', [])),
  'an attestation with a certificate': (draft) => {
    const { certificate, privateKey } = makerCertificate('http://127.0.0.1:1/revoked');
    draft.attestedBy = privateKey;
    draft.statement = (statement) => statement.set('x5c', [certificate]);
  },
  'an attestation that was altered after its signature': (draft) => {
    draft.attestedBy = draft.privateKey;
    draft.attestationBytes = (bytes) => {
      // The last bit of y would leave the curve: of the counter.
      bytes[bytes.lastIndexOf(draft.rpIdHash) + 36] = 9;
      return bytes;
    };
  },
  'authenticator data that are text': attestation('authData', 'data'),
  'authenticator data that are null': attestation('authData', null),
  'authenticator data that are a list': attestation('authData', [1]),
  'authenticator data twice': attestationBytes((bytes) => {
    const data = Buffer.concat([toCbor('authData'), toCbor(Buffer.alloc(37))]);
    return Buffer.concat([head(5, 4), bytes.subarray(1), data]);
  }),
  'no authenticator data': attestationBytes((bytes) =>
    Buffer.concat([head(5, 2), bytes.subarray(1, bytes.indexOf('hauthData'))]),
  ),
  'an attestation with one byte more': attestationBytes((bytes) => Buffer.concat([bytes, Buffer.alloc(1)])),
  'an attestation that is cut off': attestationBytes((bytes) => bytes.subarray(0, -1)),
  'an attestation twice': attestationBytes((bytes) => Buffer.concat([bytes, bytes])),
  'an attestation of indefinite length': attestationBytes((bytes) =>
    Buffer.concat([Buffer.from([0xbf]), bytes.subarray(1), Buffer.from([0xff])]),
  ),
  'an attestation with a tag': attestationBytes((bytes) => Buffer.concat([head(6, 55799), bytes])),
  'an attestation in a list': attestationBytes((bytes) => Buffer.concat([head(4, 1), bytes])),
  'an attestation that is empty': attestationBytes(() => toCbor(new Map())),
  'an attestation of a list of numbers': attestationBytes(() => toCbor([1, 2, 3])),
  'an attestation in JSON': attestationBytes(() => Buffer.from('{"fmt":"none","attStmt":{}}')),
  'an attestation of 9 kB': attestation('more', Buffer.alloc(9000)),
  'an attestation of five thousand levels': attestationBytes(() => Buffer.alloc(5000, 0x81)),
  'an attestation of five thousand tags': attestationBytes(() => Buffer.alloc(5000, 0xc1)),
  'an attestation that says that it is 4 GB': attestationBytes(() => Buffer.from([0x5a, 0xff, 0xff, 0xff, 0xff])),
  'an attestation that says that it has 2^32 items': attestationBytes(() =>
    Buffer.from([0x9a, 0xff, 0xff, 0xff, 0xff]),
  ),
  'an attestation that says that it has 2^64 names': attestationBytes(() =>
    Buffer.concat([Buffer.from([0xbb]), Buffer.alloc(8, 0xff)]),
  ),
  'an attestation of reserved bytes': attestationBytes(() => Buffer.from([0xfc, 0x1d, 0x3e])),
};

function transports(value: unknown): (json: Json) => unknown {
  return (json) => ({ ...json, response: { ...(json['response'] as Json), transports: value } });
}

const json: Array<{ name: string; alter: (json: Json) => unknown }> = [
  ...HOSTILE_JSON,
  ...hostileTexts('clientDataJSON'),
  ...hostileTexts('attestationObject'),
  { name: 'transports that are text', alter: transports('internal') },
  { name: 'transports that are an object', alter: transports({ 0: 'internal', length: 1 }) },
  { name: 'transports of lists', alter: transports([['internal']]) },
  { name: 'transports of markup', alter: transports(['<b>']) },
  { name: 'a transport of 1 MB', alter: transports(['a'.repeat(2 ** 20)]) },
  { name: 'a million transports', alter: transports(Array(1_000_000).fill('internal')) },
];

export const HOSTILE_REGISTRATIONS: Array<Hostile<RegistrationDraft>> = [
  ...HOSTILE_PARTS,
  ...Object.entries({ ...attested, ...keys, ...attestations }).map(([name, alter]) => ({ name, alter })),
  ...json.map(({ name, alter }) => ({
    name,
    alter: (draft: RegistrationDraft) => {
      draft.response = (response) => alter(response as unknown as Json);
    },
  })),
];
