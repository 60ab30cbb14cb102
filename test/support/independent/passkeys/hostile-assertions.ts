/** Assertions that must be refused, each for one alteration. (WebAuthn Level 3 section 7.2, Interface 20) */
import { createHash, createHmac, sign as signWith } from 'node:crypto';
import { HOSTILE_JSON, HOSTILE_PARTS, type Hostile, hostileTexts, type Json } from './hostile-parts.js';
import { type AssertionDraft, FLAGS, newKeyPair, sha256, signer } from './software-authenticator.js';

type Change = (draft: AssertionDraft) => void;

/** Alters authenticator data after they were signed. */
function afterSigning(offset: number, change: (byte: number) => number): Change {
  return (draft) => {
    draft.authenticatorDataBytes = (bytes) => {
      bytes[offset] = change(bytes[offset] ?? 0);
      return bytes;
    };
  };
}

function signature(change: (bytes: Buffer) => Buffer): Change {
  return (draft) => {
    draft.signatureBytes = change;
  };
}

function derInteger(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([2, bytes.length]), bytes]);
}

function derPair(r: Buffer, s: Buffer): Buffer {
  const content = Buffer.concat([derInteger(r), derInteger(s)]);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}

/** The order of P-256, as a positive integer */
const ORDER = Buffer.from('00ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');

const ZERO = Buffer.alloc(1);

const signatures: Record<string, Change> = {
  'a signature by another key': (draft) => {
    draft.sign = signer('ES256', newKeyPair('ES256').privateKey);
  },
  'a signature by a key of RSA': (draft) => {
    draft.sign = signer('RS256', newKeyPair('RS256').privateKey);
  },
  'a signature by a key of Ed25519': (draft) => {
    draft.sign = signer('EdDSA', newKeyPair('EdDSA').privateKey);
  },
  'a MAC with the public key': (draft) => {
    const secret = draft.publicKeyBytes;
    draft.sign = (data) => createHmac('sha256', secret).update(data).digest();
  },
  'a signature with SHA-1': (draft) => {
    draft.sign = (data) => signWith('sha1', data, draft.privateKey);
  },
  'a signature with SHA-512': (draft) => {
    draft.sign = (data) => signWith('sha512', data, draft.privateKey);
  },
  'a signature of numbers instead of DER': (draft) => {
    draft.sign = (data) => signWith('sha256', data, { key: draft.privateKey, dsaEncoding: 'ieee-p1363' });
  },
  'a signature of the hash of what is signed': (draft) => {
    const { sign } = draft;
    draft.sign = (data) => sign(sha256(data));
  },
  'a signature of the data in the other order': (draft) => {
    const { sign } = draft;
    draft.sign = (data) => sign(Buffer.concat([data.subarray(-32), data.subarray(0, -32)]));
  },
  'a signature of authenticator data alone': (draft) => {
    const { sign } = draft;
    draft.sign = (data) => sign(data.subarray(0, -32));
  },
  'a signature of client data alone': (draft) => {
    const { sign } = draft;
    draft.sign = (data) => sign(data.subarray(-32));
  },
  'a signature of other client data': (draft) => {
    const { sign } = draft;
    draft.sign = (data) => sign(Buffer.concat([data.subarray(0, -32), createHash('sha256').update('{}').digest()]));
  },
  'a signature with one bit altered': signature((bytes) => {
    const last = bytes.length - 1;
    bytes[last] = (bytes[last] ?? 0) ^ 1;
    return bytes;
  }),
  'a signature that is cut off': signature((bytes) => bytes.subarray(0, -1)),
  'a signature with r of zero': signature(() => derPair(ZERO, Buffer.from([1]))),
  'a signature of zeros': signature(() => derPair(ZERO, ZERO)),
  'a signature of the order of the curve': signature(() => derPair(ORDER, ORDER)),
  'a signature with r of 1 kB': signature(() =>
    Buffer.concat([Buffer.from('308203f80282', 'hex'), Buffer.alloc(1010, 1)]),
  ),
  'a signature of zero bytes': signature(() => Buffer.alloc(70)),
  'a signature that is no DER': signature(() => Buffer.from('signature')),
  'a signature of a thousand levels': signature(() => Buffer.alloc(1000, Buffer.from([0x30, 0x80]))),
};

const altered: Record<string, Change> = {
  'user verification (UV) set after signing': (draft) => {
    draft.flags &= ~FLAGS.UV;
    afterSigning(32, (flags) => flags | FLAGS.UV)(draft);
  },
  'user presence (UP) set after signing': (draft) => {
    draft.flags &= ~FLAGS.UP;
    afterSigning(32, (flags) => flags | FLAGS.UP)(draft);
  },
  'a reserved flag set after signing': afterSigning(32, (flags) => flags | 0x02),
  'a counter that was altered after signing': afterSigning(33, () => 1),
  'the relying party written after signing': (draft) => {
    const ours = draft.rpIdHash;
    draft.rpIdHash = sha256(Buffer.from('evil.example'));
    draft.authenticatorDataBytes = (bytes) => Buffer.concat([ours, bytes.subarray(32)]);
  },
  'authenticator data of 36 bytes': (draft) => {
    draft.authenticatorDataBytes = (bytes) => bytes.subarray(0, 36);
  },
  'client data with a space after signing': (draft) => {
    draft.response = (response) => ({
      ...response,
      response: {
        ...response.response,
        clientDataJSON: Buffer.from(`${Buffer.from(response.response.clientDataJSON, 'base64url')} `).toString(
          'base64url',
        ),
      },
    });
  },
  'a counter that stands still': (draft) => {
    draft.signCount -= 1;
  },
  'a counter that falls': (draft) => {
    draft.signCount -= 2;
  },
  'a counter that is 0 again': (draft) => {
    draft.signCount = 0;
  },
  'a key that can be copied (BE), which it could not when it was made': (draft) => {
    draft.flags |= FLAGS.BE;
  },
  'a passkey that is said and missing (AT)': (draft) => {
    draft.flags |= FLAGS.AT;
  },
};

const other = Buffer.alloc(32, 7).toString('base64url');

function userHandle(change: (handle: string) => unknown): (json: Json) => unknown {
  return (json) => {
    const inner = json['response'] as Json;
    return { ...json, response: { ...inner, userHandle: change(String(inner['userHandle'])) } };
  };
}

const json: Array<{ name: string; alter: (json: Json) => unknown }> = [
  ...HOSTILE_JSON,
  ...['clientDataJSON', 'authenticatorData', 'signature'].flatMap(hostileTexts),
  { name: 'another user', alter: userHandle(() => other) },
  { name: 'a user of no name', alter: userHandle(() => '') },
  { name: 'a user of an e-mail', alter: userHandle(() => 'ann@example.com') },
  { name: 'a user and one byte more', alter: userHandle((handle) => `${handle}A`) },
  { name: 'a user and half of their name', alter: userHandle((handle) => handle.slice(0, 20)) },
  { name: 'a user with padding', alter: userHandle((handle) => `${handle}=`) },
  { name: 'a user that is a list', alter: userHandle((handle) => [handle]) },
  { name: 'a user that is a number', alter: userHandle(() => 0) },
  { name: 'a user that is false', alter: userHandle(() => false) },
  { name: 'a user of 1 MB', alter: userHandle(() => 'A'.repeat(2 ** 20)) },
];

/** Of a device-bound passkey of ES256 that counts and has been used, so that its counter can stand still. */
export const HOSTILE_ASSERTIONS: Array<Hostile<AssertionDraft>> = [
  ...HOSTILE_PARTS,
  ...Object.entries({ ...signatures, ...altered }).map(([name, alter]) => ({ name, alter })),
  ...json.map(({ name, alter }) => ({
    name,
    alter: (draft: AssertionDraft) => {
      draft.response = (response) => alter(response as unknown as Json);
    },
  })),
];
