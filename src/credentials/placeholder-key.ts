/**
 * A placeholder to check unknown keys against, so that their refusal costs and says the same as that of a wrong secret.
 * (Interface 6)
 */
import { generateKeyId, generateKeySecret, sha256Hex } from './key-secrets.js';
import type { Keyring } from './keyring/keyring.js';
import { type OpenedSecret, sealSecret } from './sealed-secret.js';

export interface PlaceholderKey {
  keyId: string;
  /** Sealed by the current key, so that it opens like the secrets of real keys. */
  sealedSecret(now: Date): Promise<string>;
  /** Two, like those of a rotated key; stored in no row. */
  opened: readonly OpenedSecret[];
  secretSha256: string;
}

/** A key that nobody holds; new at every start. */
export function createPlaceholderKey(keyring: Keyring): PlaceholderKey {
  const keyId = generateKeyId('api');
  const secret = generateKeySecret('api');
  let sealed: { kid: string; text: Promise<string> } | undefined;
  return {
    keyId,
    sealedSecret: (now) => {
      const { kid } = keyring.inUse('sealing', now);
      if (sealed?.kid !== kid) sealed = { kid, text: sealSecret(keyring, keyId, secret, now) };
      return sealed.text;
    },
    opened: [
      { sealed: '', secret },
      { sealed: '', secret },
    ],
    secretSha256: sha256Hex(generateKeySecret('cron')),
  };
}
