/** Properties of every assertion, and of every JSON in the place of a response. (Interface 20) */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { challengeOf, credentialIdOf } from '../../../src/credentials/factors/passkey-response.js';
import {
  creationOptions,
  requestOptions,
  type StoredPasskey,
  verifyAssertion,
  verifyRegistration,
} from '../../../src/credentials/factors/passkeys.js';
import { type Algorithm, SoftwareAuthenticator } from '../../support/independent/passkeys/software-authenticator.js';

const ORIGIN = 'https://gate.example';
const RP = { id: 'gate.example', name: 'Gate', origins: [ORIGIN] };
const USER = randomBytes(32);
const CHALLENGE = randomBytes(32).toString('base64url');

async function ceremonies(alg: Algorithm) {
  const authenticator = new SoftwareAuthenticator({ rpId: RP.id, origin: ORIGIN, alg });
  const creation = { challenge: CHALLENGE, userHandle: USER, email: 'ann@example.com', exclude: [] };
  const registration = authenticator.create(await creationOptions(RP, creation));
  const passkey = (await verifyRegistration(RP, registration, CHALLENGE)) as StoredPasskey;
  const assertion = authenticator.get(await requestOptions(RP, { challenge: CHALLENGE }));
  return { registration, passkey, assertion };
}

function flipped(text: string, bit: number): string {
  const bytes = Buffer.from(text, 'base64url');
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return bytes.toString('base64url');
}

test.each([
  ['ES256', 'clientDataJSON'],
  ['ES256', 'authenticatorData'],
  ['EdDSA', 'clientDataJSON'],
  ['EdDSA', 'authenticatorData'],
  ['EdDSA', 'signature'],
] as const)('Interface 20: no bit can be flipped: %s, %s', async (alg, part) => {
  const { passkey, assertion } = await ceremonies(alg);
  const verify = (text: string) => {
    const response = { ...assertion, response: { ...assertion.response, [part]: text } };
    return verifyAssertion(RP, response, CHALLENGE, passkey, USER, 'required');
  };
  const text = assertion.response[part];
  expect(await verify(text)).toBeDefined();
  for (let bit = 0; bit < Buffer.from(text, 'base64url').length * 8; bit += 1) {
    expect(await verify(flipped(text, bit))).toBeUndefined();
  }
});

test('Interface 20: a registration with a flipped bit is refused, or differs in nothing but what it says', async () => {
  const { registration, passkey } = await ceremonies('ES256');
  const text = registration.response.attestationObject;
  let accepted = 0;
  for (let bit = 0; bit < Buffer.from(text, 'base64url').length * 8; bit += 1) {
    const response = { ...registration.response, attestationObject: flipped(text, bit) };
    const answer = await verifyRegistration(RP, { ...registration, response }, CHALLENGE);
    if (answer === undefined) continue;
    accepted += 1;
    expect({ ...answer, signCount: 0, isSynced: false }).toEqual(passkey);
  }
  // AAGUID, counter, BE and two reserved flags
  expect(accepted).toBe(128 + 32 + 1 + 2);
});

/** JSON whose names are often those of a response. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, '', 'AA', 'public-key', CHALLENGE, '__proto__'),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('id', 'rawId', 'type', 'response', 'clientDataJSON', 'signature', '__proto__', 'length'),
      tie('value'),
      { noNullPrototype: false },
    ),
  ),
})).value;

test('Interface 20: no JSON is a response, and none is a fault', async () => {
  const { passkey } = await ceremonies('ES256');
  await fc.assert(
    fc.asyncProperty(fc.oneof(json, fc.anything()), async (response) => {
      expect(await verifyRegistration(RP, response, CHALLENGE)).toBeUndefined();
      expect(await verifyAssertion(RP, response, CHALLENGE, passkey, USER, 'optional')).toBeUndefined();
      expect(challengeOf(response)).toBeUndefined();
      expect(['undefined', 'string']).toContain(typeof credentialIdOf(response));
    }),
    { seed: 20, numRuns: 1000 },
  );
});

test('Interface 20: no bytes in the place of a part are a fault', async () => {
  const { registration, assertion, passkey } = await ceremonies('ES256');
  const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array).toString('base64url'));
  await fc.assert(
    fc.asyncProperty(bytes, fc.nat(300), async (noise, offset) => {
      const { attestationObject: whole } = registration.response;
      for (const attestationObject of [noise, whole.slice(0, offset) + noise]) {
        const response = { ...registration.response, attestationObject };
        await verifyRegistration(RP, { ...registration, response }, CHALLENGE);
      }
      for (const part of ['authenticatorData', 'signature', 'clientDataJSON', 'userHandle']) {
        const response = { ...assertion.response, [part]: noise };
        const answer = await verifyAssertion(RP, { ...assertion, response }, CHALLENGE, passkey, USER, 'required');
        expect(answer).toBeUndefined();
      }
    }),
    { seed: 20, numRuns: 1000 },
  );
});
