/** A virtual authenticator of Chromium (WebDriver extension of WebAuthn Level 3, section 11), and passkeys in it. */
import type { Page } from 'playwright-core';
import { post } from '../support/gateway/factors.js';
import type { Instance } from '../support/gateway/gateway.js';

export interface Authenticator {
  /** Whether it recognises its user; without that it answers nobody. */
  setVerified(isUserVerified: boolean): Promise<void>;
  /** Whether its user touches it; without that the browser waits. */
  setPresent(isPresent: boolean): Promise<void>;
  /** Number of passkeys in it */
  count(): Promise<number>;
}

/** Plugs one in, whose user is there at once, as by a fingerprint. */
export async function plugIn(page: Page): Promise<Authenticator> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setVerified: async (isUserVerified) => {
      await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    setPresent: async (enabled) => {
      await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
    count: async () => (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
  };
}

/** Adds a passkey of this browser to the user of an access token, without the page's own buttons. */
export async function makePasskey(
  on: Pick<Instance, 'send'>,
  page: Page,
  token: string,
  name = 'Laptop',
): Promise<void> {
  const { ceremony, publicKey } = (await post(on, 'factors/passkey/options', {}, token)).json;
  const credential = await page.evaluate<object>(`(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(publicKey)});
    return (await navigator.credentials.create({ publicKey })).toJSON();
  })()`);
  const { status, text } = await post(on, 'factors/passkey', { ceremony, credential, name }, token);
  if (status !== 200) throw new Error(`no passkey: ${text}`);
}
