/** Passkeys: good ceremonies of a software authenticator, and the rules of what is refused. (Interface 20) */
import { randomBytes } from 'node:crypto';
import {
  creationOptions,
  requestOptions,
  type StoredPasskey,
  verifyAssertion,
  verifyRegistration,
} from '../../../src/credentials/factors/passkeys.js';
import {
  type Algorithm,
  FLAGS,
  SoftwareAuthenticator,
} from '../../support/independent/passkeys/software-authenticator.js';

const RP = { id: 'gate.example', name: 'Gate', origins: ['https://gate.example', 'https://app.gate.example'] };
const USER = randomBytes(32);

const newChallenge = () => randomBytes(32).toString('base64url');
const authenticatorWith = (options: Partial<ConstructorParameters<typeof SoftwareAuthenticator>[0]> = {}) =>
  new SoftwareAuthenticator({ rpId: RP.id, origin: 'https://gate.example', ...options });

async function enrol(authenticator: SoftwareAuthenticator, alter?: Parameters<SoftwareAuthenticator['create']>[1]) {
  const challenge = newChallenge();
  const options = await creationOptions(RP, { challenge, userHandle: USER, email: 'ann@example.com', exclude: [] });
  return verifyRegistration(RP, authenticator.create(options, alter), (given) => given === challenge);
}

async function assertWith(
  authenticator: SoftwareAuthenticator,
  passkey: StoredPasskey,
  alter?: Parameters<SoftwareAuthenticator['get']>[1],
  handle: 'required' | 'optional' = 'required',
) {
  const challenge = newChallenge();
  const response = authenticator.get(await requestOptions(RP, { challenge }), alter);
  return verifyAssertion(RP, response, (given) => given === challenge, passkey, USER, handle);
}

describe.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])('%s', (alg) => {
  test.each([
    { isSynced: false, isBackedUp: false },
    { isSynced: true, isBackedUp: false },
    { isSynced: true, isBackedUp: true },
  ])('Interface 20: a passkey is made and logs in: %p', async (backup) => {
    const authenticator = authenticatorWith({ alg, ...backup });
    const passkey = await enrol(authenticator);
    expect(passkey).toMatchObject({ ...backup, signCount: 0, transports: ['internal', 'hybrid'] });

    for (const use of [1, 2]) {
      expect(await assertWith(authenticator, passkey as StoredPasskey)).toEqual({
        ...backup,
        signCount: backup.isSynced ? 0 : use,
      });
    }
  });
});

test('Interface 20: BS without BE is refused', async () => {
  const authenticator = authenticatorWith();
  const passkey = (await enrol(authenticator)) as StoredPasskey;
  const alter = (draft: { flags: number }) => {
    draft.flags |= FLAGS.BS;
  };
  expect(await assertWith(authenticator, passkey, alter)).toBeUndefined();
});
