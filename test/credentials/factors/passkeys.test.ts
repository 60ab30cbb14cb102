/** Passkeys: good ceremonies of a software authenticator, and what is refused. (Interface 20) */
import { randomBytes } from 'node:crypto';
import {
  creationOptions,
  requestOptions,
  type StoredPasskey,
  verifyAssertion,
  verifyRegistration,
} from '../../../src/credentials/factors/passkeys.js';
import type { Cbor } from '../../support/independent/passkeys/cbor.js';
import { HOSTILE_ASSERTIONS } from '../../support/independent/passkeys/hostile-assertions.js';
import { HOSTILE_REGISTRATIONS } from '../../support/independent/passkeys/hostile-registrations.js';
import {
  type Algorithm,
  type AssertionDraft,
  type AuthenticatorOptions,
  FLAGS,
  type RegistrationDraft,
  SoftwareAuthenticator,
} from '../../support/independent/passkeys/software-authenticator.js';

const RP = { id: 'gate.example', name: 'Gate', origins: ['https://gate.example', 'https://app.gate.example'] };
const USER = randomBytes(32);

function newChallenge(): string {
  return randomBytes(32).toString('base64url');
}

function authenticatorWith(options: Partial<AuthenticatorOptions> = {}): SoftwareAuthenticator {
  return new SoftwareAuthenticator({ rpId: RP.id, origin: 'https://gate.example', ...options });
}

async function register(authenticator: SoftwareAuthenticator, alter?: (draft: RegistrationDraft) => void) {
  const challenge = newChallenge();
  const options = await creationOptions(RP, { challenge, userHandle: USER, email: 'ann@example.com', exclude: [] });
  return verifyRegistration(RP, authenticator.create(options, alter), challenge);
}

/** A passkey that has logged in as often as is said. */
async function enrolled(authenticator: SoftwareAuthenticator, uses = 0): Promise<StoredPasskey> {
  const passkey = await register(authenticator);
  if (passkey === undefined) throw new Error('refused');
  authenticator.signCount += uses;
  return { ...passkey, signCount: authenticator.signCount };
}

interface Use {
  handle?: 'required' | 'optional';
  /** Of the passkey */
  userHandle?: Uint8Array;
}

async function use(
  authenticator: SoftwareAuthenticator,
  passkey: StoredPasskey,
  alter?: (draft: AssertionDraft) => void,
  { handle = 'required', userHandle = USER }: Use = {},
) {
  const challenge = newChallenge();
  const response = authenticator.get(await requestOptions(RP, { challenge }), alter);
  return verifyAssertion(RP, response, challenge, passkey, userHandle, handle);
}

describe.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])('%s', (alg) => {
  test.each([
    { isSynced: false, isBackedUp: false },
    { isSynced: true, isBackedUp: false },
    { isSynced: true, isBackedUp: true },
  ])('Interface 20: a passkey is made and logs in: %p', async (backup) => {
    const authenticator = authenticatorWith({ alg, ...backup });
    const passkey = await register(authenticator);
    const { isSynced } = backup;
    expect(passkey).toMatchObject({ isSynced, signCount: 0, transports: ['internal', 'hybrid'] });

    for (const times of [1, 2]) {
      expect(await use(authenticator, passkey as StoredPasskey)).toEqual({ signCount: isSynced ? 0 : times });
    }
  });

  test('Interface 20: a signature that is altered, or by another key, is refused', async () => {
    const authenticator = authenticatorWith({ alg });
    const [first, second] = [await enrolled(authenticator), await enrolled(authenticator)];
    expect(await use(authenticator, second)).toBeDefined();
    expect(await use(authenticator, { ...first, credentialId: second.credentialId })).toBeUndefined();
    for (const place of [0, 5, 40, 63]) {
      const alter = (draft: AssertionDraft) => {
        draft.signatureBytes = (bytes) => bytes.fill((bytes[place] ?? 0) ^ 1, place, place + 1);
      };
      expect([place, await use(authenticator, second, alter)]).toEqual([place, undefined]);
    }
  });
});

describe('hostile', () => {
  test.each(HOSTILE_REGISTRATIONS)('Interface 20: a registration is refused: $name', async ({ alter }) => {
    const authenticator = authenticatorWith();
    expect(await register(authenticator)).toBeDefined();
    expect(await register(authenticator, alter)).toBeUndefined();
  });

  test.each(HOSTILE_ASSERTIONS)('Interface 20: an assertion is refused: $name', async ({ alter }) => {
    const authenticator = authenticatorWith();
    const passkey = await enrolled(authenticator, 5);
    for (const handle of ['required', 'optional'] as const) {
      authenticator.signCount = passkey.signCount;
      expect(await use(authenticator, passkey, alter, { handle })).toBeUndefined();
    }
    expect(await use(authenticator, passkey)).toBeDefined();
  });
});

describe('counters', () => {
  const ofDevice = { counts: true, isSynced: false, isBackedUp: false };
  const ofCopy = { counts: true, isSynced: true, isBackedUp: true };
  const ofKeyToCopy = { ...ofCopy, isBackedUp: false };
  test.each([
    ['device-bound', 0, 'comes', 0, ofDevice],
    ['device-bound', 0, 'comes', 1, ofDevice],
    ['device-bound', 7, 'comes', 8, ofDevice],
    ['device-bound', 7, 'comes', 2 ** 32 - 1, ofDevice],
    ['device-bound', 7, 'never comes', 7, ofDevice],
    ['device-bound', 7, 'never comes', 6, ofDevice],
    ['device-bound', 7, 'never comes', 0, ofDevice],
    ['copied', 7, 'comes', 7, ofCopy],
    ['copied', 7, 'comes', 6, ofCopy],
    ['copied', 7, 'comes', 0, ofCopy],
    ['not yet copied', 7, 'comes', 8, ofKeyToCopy],
    ['not yet copied', 7, 'never comes', 7, ofKeyToCopy],
  ])('Interface 20: of a key that is %s: after %p %s %p', async (_, stored, comes, next, options) => {
    const authenticator = authenticatorWith(options);
    const passkey = { ...(await enrolled(authenticator)), signCount: stored };
    const answer = await use(authenticator, passkey, (draft) => {
      draft.signCount = next;
    });
    expect(answer?.signCount).toBe(comes === 'comes' ? next : undefined);
  });
});

describe('backup', () => {
  test('Interface 20: a key is copied and its copies end (BS), if it can be (BE)', async () => {
    const authenticator = authenticatorWith({ isSynced: true });
    const passkey = await enrolled(authenticator);
    for (const isBackedUp of [false, true, false]) {
      authenticator.isBackedUp = isBackedUp;
      expect(await use(authenticator, passkey)).toEqual({ signCount: 0 });
    }
  });

  test.each([true, false])('Interface 20: a key that can be copied (BE: %p) stays so', async (isSynced) => {
    const authenticator = authenticatorWith({ isSynced });
    const passkey = await enrolled(authenticator);
    authenticator.isSynced = !isSynced;
    expect(await use(authenticator, { ...passkey, isSynced })).toBeUndefined();
    expect(await use(authenticator, { ...passkey, isSynced: !isSynced })).toBeDefined();
  });
});

test.each([undefined, null])(
  'Interface 20: an assertion of userHandle %p needs somebody else who names the user',
  async (none) => {
    const authenticator = authenticatorWith();
    const passkey = await enrolled(authenticator);
    const alter = (draft: AssertionDraft) => {
      draft.response = (response) => ({ ...response, response: { ...response.response, userHandle: none } });
    };
    expect(await use(authenticator, passkey, alter, { handle: 'required' })).toBeUndefined();
    expect(await use(authenticator, passkey, alter, { handle: 'optional' })).toBeDefined();
  },
);

test.each(['required', 'optional'] as const)('Interface 20: the userHandle is that of the user: %s', async (handle) => {
  const authenticator = authenticatorWith();
  const passkey = await enrolled(authenticator);
  expect(await use(authenticator, passkey, undefined, { handle, userHandle: randomBytes(32) })).toBeUndefined();
  expect(await use(authenticator, passkey, undefined, { handle, userHandle: USER.subarray(1) })).toBeUndefined();
  expect(await use(authenticator, passkey, undefined, { handle })).toBeDefined();
});

describe('what browsers and authenticators may add', () => {
  const additions: Record<string, (draft: RegistrationDraft | AssertionDraft) => void> = {
    'another origin of ours': ({ clientData }) => {
      clientData['origin'] = 'https://app.gate.example';
    },
    'client data without crossOrigin': ({ clientData }) => {
      delete clientData['crossOrigin'];
    },
    'client data with names of the future': ({ clientData }) => {
      clientData['other_keys_can_be_added_here'] = 'do not compare clientDataJSON against a template.';
    },
    'client data in UTF-8': ({ clientData }) => {
      clientData['more'] = 'größer als ASCII 🔑';
    },
    'client data in which __proto__ is a name': (draft) => {
      draft.clientDataBytes = (bytes) => Buffer.from(`{"__proto__":{"crossOrigin":true},${bytes.subarray(1)}`);
    },
    extensions: (draft) => {
      draft.flags |= FLAGS.ED;
      draft.extensions = new Map<string, Cbor>([
        ['credProtect', 2],
        ['hmac-secret', true],
        ['__proto__', new Map([['isAdmin', true]])],
      ]);
    },
    'JSON with more names': (draft) => {
      draft.response = (response: object) => ({ ...response, more: { constructor: null, toString: null } });
    },
  };

  test.each(Object.entries(additions))('Interface 20: %s', async (_, alter) => {
    const authenticator = authenticatorWith();
    expect(await register(authenticator, alter)).toBeDefined();
    const passkey = await enrolled(authenticator);
    expect(await use(authenticator, passkey, alter)).toBeDefined();
    expect({}).not.toHaveProperty('isAdmin');
  });

  test.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])(
    'Interface 20: an attestation by the key itself: %s',
    async (alg) => {
      const passkey = await register(authenticatorWith({ alg }), (draft) => {
        draft.attestedBy = draft.privateKey;
      });
      expect(passkey).toBeDefined();
    },
  );

  test.each([16, 1023])('Interface 20: an id of %p bytes', async (bytes) => {
    const id = randomBytes(bytes);
    const passkey = await register(authenticatorWith(), (draft) => {
      draft.credentialId = id;
    });
    expect(passkey?.credentialId).toBe(id.toString('base64url'));
  });

  test.each([
    [undefined, []],
    [null, []],
    [[], []],
    [
      ['usb', 'nfc', 'usb'],
      ['usb', 'nfc'],
    ],
    [
      ['smart-card', 'of-the-future'],
      ['smart-card', 'of-the-future'],
    ],
  ])('Interface 20: transports %p', async (given, expected) => {
    const passkey = await register(authenticatorWith(), (draft) => {
      draft.response = (response) => ({ ...response, response: { ...response.response, transports: given } });
    });
    expect(passkey?.transports).toEqual(expected);
  });
});

test('Interface 20: the response of one ceremony is none of the other', async () => {
  const authenticator = authenticatorWith();
  const passkey = await enrolled(authenticator);
  const challenge = newChallenge();
  const creation = { challenge, userHandle: USER, email: 'ann@example.com', exclude: [] };
  const registration = authenticator.create(await creationOptions(RP, creation));
  const assertion = authenticator.get(await requestOptions(RP, { challenge, allow: [passkey] }));

  expect(await verifyRegistration(RP, registration, challenge)).toBeDefined();
  expect(await verifyAssertion(RP, registration, challenge, passkey, USER, 'optional')).toBeUndefined();
  const both = { ...assertion, response: { ...registration.response, ...assertion.response } };
  expect(await verifyRegistration(RP, both, challenge)).toBeUndefined();
  expect(await verifyAssertion(RP, both, challenge, passkey, USER, 'optional')).toBeDefined();
});

describe('options', () => {
  const challenge = Buffer.alloc(32, 1).toString('base64url');
  const known = { credentialId: Buffer.alloc(16, 2).toString('base64url'), transports: ['usb'] };

  test('Interface 20: of a registration', async () => {
    const creation = { challenge, userHandle: USER, email: 'ann@example.com', exclude: [known] };
    expect(JSON.parse(JSON.stringify(await creationOptions(RP, creation)))).toEqual({
      challenge,
      rp: { id: 'gate.example', name: 'Gate' },
      user: { id: USER.toString('base64url'), name: 'ann@example.com', displayName: 'ann@example.com' },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      excludeCredentials: [{ type: 'public-key', id: known.credentialId, transports: ['usb'] }],
      extensions: { credProps: true },
      hints: [],
    });
  });

  test.each([
    [undefined, {}],
    [[], { allowCredentials: [] }],
    [[known], { allowCredentials: [{ type: 'public-key', id: known.credentialId, transports: ['usb'] }] }],
  ])('Interface 20: of a login by %p', async (allow, list) => {
    const options = await requestOptions(RP, { challenge, ...(allow && { allow }) });
    expect(JSON.parse(JSON.stringify(options))).toEqual({
      challenge,
      rpId: 'gate.example',
      timeout: 300_000,
      userVerification: 'required',
      ...list,
    });
  });
});
