/**
 * An authenticator and the browser around it, in software: shares no code with src, and can alter every part of a
 * ceremony before it is signed or sent. (WebAuthn Level 3 sections 5, 6 and 8)
 */
import {
  createHash,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign as signWith,
} from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { type Cbor, toCbor } from './cbor.js';

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

export const FLAGS = { UP: 0x01, UV: 0x04, BE: 0x08, BS: 0x10, AT: 0x40, ED: 0x80 } as const;

export interface AuthenticatorOptions {
  rpId: string;
  origin: string;
  alg?: Algorithm;
  /** BE: its keys may be copied. */
  isSynced?: boolean;
  /** BS: its keys have been copied. */
  isBackedUp?: boolean;
  /** Whether its counter grows; by default that of a device-bound one does. */
  counts?: boolean;
}

/** What both ceremonies have, before it is put together. */
export interface Draft {
  clientData: Record<string, unknown>;
  clientDataBytes: (bytes: Buffer) => Buffer;
  rpIdHash: Buffer;
  flags: number;
  signCount: number;
  extensions: Cbor | undefined;
  afterAuthenticatorData: Buffer;
}

export interface RegistrationDraft extends Draft {
  aaguid: Buffer;
  credentialId: Buffer;
  /** Of the id, as it is said; undefined for its true length */
  credentialIdBytes: number | undefined;
  /** A COSE key */
  publicKey: Map<Cbor, Cbor>;
  /** `fmt`, `attStmt` and whatever else is added; `authData` comes last. */
  attestation: Map<Cbor, Cbor>;
  /** Makes an attestation `packed` of a signature by this key, which is the new one if it is by itself. */
  attestedBy: KeyObject | undefined;
  /** Of the `packed` attestation */
  statement: (statement: Map<Cbor, Cbor>) => Map<Cbor, Cbor>;
  readonly privateKey: KeyObject;
  authenticatorDataBytes: (bytes: Buffer) => Buffer;
  attestationBytes: (bytes: Buffer) => Buffer;
  response: (response: RegistrationResponseJSON) => unknown;
}

export interface AssertionDraft extends Draft {
  readonly privateKey: KeyObject;
  /** As it was enrolled: a COSE key */
  readonly publicKeyBytes: Buffer;
  sign: (data: Buffer) => Buffer;
  signatureBytes: (bytes: Buffer) => Buffer;
  /** After signing */
  authenticatorDataBytes: (bytes: Buffer) => Buffer;
  response: (response: AuthenticationResponseJSON) => unknown;
}

export interface HeldPasskey {
  id: Buffer;
  rpId: string;
  /** base64url */
  userHandle: string;
  privateKey: KeyObject;
  publicKey: Map<Cbor, Cbor>;
}

export class SoftwareAuthenticator {
  readonly passkeys: HeldPasskey[] = [];
  alg: Algorithm;
  isSynced: boolean;
  isBackedUp: boolean;
  origin: string;
  /** Of all its passkeys; 0 for ever if it does not count */
  signCount = 0;
  readonly #rpId: string;
  readonly #counts: boolean;

  constructor({ rpId, origin, alg = 'ES256', isSynced = false, isBackedUp = false, counts }: AuthenticatorOptions) {
    this.#rpId = rpId;
    this.origin = origin;
    this.alg = alg;
    this.isSynced = isSynced;
    this.isBackedUp = isBackedUp;
    this.#counts = counts ?? !isSynced;
  }

  /** `navigator.credentials.create`, by a user who agrees. */
  create(
    options: PublicKeyCredentialCreationOptionsJSON,
    alter: (draft: RegistrationDraft) => void = () => undefined,
  ): RegistrationResponseJSON {
    if (options.excludeCredentials?.some(({ id }) => this.#held(id) !== undefined)) {
      throw new Error('InvalidStateError');
    }
    const passkey = newPasskey(this.alg, options.rp.id ?? this.#rpId, options.user.id);
    const draft: RegistrationDraft = {
      ...this.#draft('webauthn.create', options.challenge, passkey.rpId),
      aaguid: Buffer.alloc(16),
      credentialId: passkey.id,
      credentialIdBytes: undefined,
      publicKey: new Map(passkey.publicKey),
      attestation: new Map<Cbor, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
      ]),
      attestedBy: undefined,
      statement: same,
      privateKey: passkey.privateKey,
      authenticatorDataBytes: same,
      attestationBytes: same,
      response: same,
    };
    draft.flags |= FLAGS.AT;
    alter(draft);
    this.passkeys.push(passkey);

    const idBytes = Buffer.alloc(2);
    idBytes.writeUInt16BE(draft.credentialIdBytes ?? draft.credentialId.length);
    const attested = Buffer.concat([draft.aaguid, idBytes, draft.credentialId, toCbor(draft.publicKey)]);
    const authData = draft.authenticatorDataBytes(authenticatorData(draft, attested));
    const clientData = clientDataBytes(draft);
    if (draft.attestedBy !== undefined) {
      const sig = signer(this.alg, draft.attestedBy)(Buffer.concat([authData, sha256(clientData)]));
      const statement = new Map<Cbor, Cbor>([
        ['alg', draft.publicKey.get(3) ?? null],
        ['sig', sig],
      ]);
      draft.attestation.set('fmt', 'packed').set('attStmt', draft.statement(statement));
    }
    if (!draft.attestation.has('authData')) draft.attestation.set('authData', authData);
    const attestation = toCbor(draft.attestation);
    const id = draft.credentialId.toString('base64url');
    return draft.response({
      id,
      rawId: id,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: { credProps: { rk: true } },
      response: {
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: draft.attestationBytes(attestation).toString('base64url'),
        transports: ['internal', 'hybrid'],
      },
    }) as RegistrationResponseJSON;
  }

  /** `navigator.credentials.get`, by a user who agrees and takes the newest passkey. */
  get(
    options: PublicKeyCredentialRequestOptionsJSON,
    alter: (draft: AssertionDraft) => void = () => undefined,
  ): AuthenticationResponseJSON {
    const allowed = options.allowCredentials ?? [];
    const passkey = this.passkeys.findLast(
      ({ id }) => allowed.length === 0 || allowed.some((one) => one.id === id.toString('base64url')),
    );
    if (passkey === undefined) throw new Error('NotAllowedError');
    if (this.#counts) this.signCount += 1;
    const draft: AssertionDraft = {
      ...this.#draft('webauthn.get', options.challenge, passkey.rpId),
      privateKey: passkey.privateKey,
      publicKeyBytes: toCbor(passkey.publicKey),
      sign: signer(this.alg, passkey.privateKey),
      signatureBytes: same,
      authenticatorDataBytes: same,
      response: same,
    };
    alter(draft);

    const authData = authenticatorData(draft, Buffer.alloc(0));
    const clientData = clientDataBytes(draft);
    const signature = draft.signatureBytes(draft.sign(Buffer.concat([authData, sha256(clientData)])));
    const id = passkey.id.toString('base64url');
    return draft.response({
      id,
      rawId: id,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: draft.authenticatorDataBytes(authData).toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: passkey.userHandle,
      },
    }) as AuthenticationResponseJSON;
  }

  #held(id: string): HeldPasskey | undefined {
    return this.passkeys.find((passkey) => passkey.id.toString('base64url') === id);
  }

  #draft(type: string, challenge: string, rpId: string): Draft {
    return {
      clientData: { type, challenge, origin: this.origin, crossOrigin: false },
      clientDataBytes: same,
      rpIdHash: sha256(Buffer.from(rpId)),
      flags: FLAGS.UP | FLAGS.UV | (this.isSynced ? FLAGS.BE : 0) | (this.isBackedUp ? FLAGS.BS : 0),
      signCount: this.signCount,
      extensions: undefined,
      afterAuthenticatorData: Buffer.alloc(0),
    };
  }
}

function same<Value>(value: Value): Value {
  return value;
}

export function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function clientDataBytes({ clientData, clientDataBytes: change }: Draft): Buffer {
  return change(Buffer.from(JSON.stringify(clientData)));
}

function authenticatorData(draft: Draft, attested: Buffer): Buffer {
  const fixed = Buffer.alloc(5);
  fixed.writeUInt8(draft.flags, 0);
  fixed.writeUInt32BE(draft.signCount, 1);
  const extensions = draft.extensions === undefined ? Buffer.alloc(0) : toCbor(draft.extensions);
  return Buffer.concat([draft.rpIdHash, fixed, attested, extensions, draft.afterAuthenticatorData]);
}

function newPasskey(alg: Algorithm, rpId: string, userHandle: string): HeldPasskey {
  const { privateKey, publicKey } = newKeyPair(alg);
  return { id: randomBytes(32), rpId, userHandle, privateKey, publicKey: coseKey(publicKey.export({ format: 'jwk' })) };
}

export function newKeyPair(alg: Algorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

/** Signs as WebAuthn wants it: ECDSA in DER, RSA by PKCS #1 v1.5. (WebAuthn Level 3 section 6.5.5) */
export function signer(alg: Algorithm, privateKey: KeyObject): (data: Buffer) => Buffer {
  return (data) => signWith(alg === 'EdDSA' ? null : 'sha256', data, privateKey);
}

/** RFC 9052 section 7, RFC 8230 section 4. */
export function coseKey({ kty, x = '', y = '', n = '', e = '' }: JsonWebKey): Map<Cbor, Cbor> {
  const [bytesX, bytesY, bytesN, bytesE] = [x, y, n, e].map((text) => Buffer.from(text, 'base64url')) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ];
  if (kty === 'EC')
    return new Map<Cbor, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytesX],
      [-3, bytesY],
    ]);
  if (kty === 'OKP')
    return new Map<Cbor, Cbor>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytesX],
    ]);
  return new Map<Cbor, Cbor>([
    [1, 3],
    [3, -257],
    [-1, bytesN],
    [-2, bytesE],
  ]);
}
