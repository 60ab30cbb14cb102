/** The entry `@auth-gateway/client/factors`: second factors of the user who is logged in. (Interface 20) */
import { inside, renew, renewIfLost } from './inside.js';
import { isEmpty } from './routes.js';
import type { AuthClient } from './types.js';

export interface TotpEnrolment {
  id: string;
  /** Base32, for those who type it */
  secret: string;
  /** `otpauth://…`, for a QR code */
  uri: string;
}

/** Of a new factor: empty if the user had some. */
export interface RecoveryCodes {
  recoveryCodes: readonly string[];
}

/** What an authenticator is asked. */
export interface Ceremony {
  ceremony: string;
  /** `PublicKeyCredentialCreationOptionsJSON`, or `…RequestOptionsJSON` */
  publicKey: object;
}

/** A passkey that was made. */
export interface NewPasskey {
  ceremony: string;
  /** `RegistrationResponseJSON` */
  credential: object;
  /** By which the user knows it: `Laptop` */
  name: string;
}

/**
 * Begins with an authenticator app. The factor counts once `activateTotp` has had a code, within 10 minutes.
 * @throws {AuthError} 401 with the reason `confirmation_required`: `confirm` first. 409 `totp_exists`. Otherwise as `confirm`
 */
export async function enrolTotp(client: AuthClient): Promise<TotpEnrolment> {
  return inside(client).askWithToken('factors/totp', enrolmentOf, {});
}

/**
 * @param code of the app
 * @throws {AuthError} 403 with the reason `factor_wrong`. Otherwise as `confirm`
 */
export async function activateTotp(client: AuthClient, id: string, code: string): Promise<RecoveryCodes> {
  const asked = inside(client).askWithToken(`factors/totp/${id}`, codesOf, { code });
  const codes = await asked.catch(renewIfLost(client));
  renew(client);
  return codes;
}

/**
 * Makes ten new recovery codes. The old ones end.
 * @throws {AuthError} as `enrolTotp`
 */
export async function renewRecoveryCodes(client: AuthClient): Promise<RecoveryCodes> {
  return inside(client).askWithToken('factors/recovery-codes', codesOf, {});
}

/**
 * Removes the authenticator app or a passkey. With the last one the recovery codes end.
 * @throws {AuthError} as `enrolTotp`
 */
export async function remove(client: AuthClient, id: string): Promise<void> {
  await inside(client).askWithToken(`factors/${id}`, isEmpty, null, {}, 'DELETE');
}

/**
 * Begins with a passkey, for those who do not use `addPasskey` of the entry `passkeys`.
 * @throws {AuthError} as `enrolTotp`
 */
export async function passkeyOptions(client: AuthClient): Promise<Ceremony> {
  return inside(client).askWithToken('factors/passkey/options', ceremonyOf, {});
}

/**
 * Stores the passkey that an authenticator has made.
 * @throws {AuthError} 401 with the reason `challenge_invalid` after 5 minutes, 403 `factor_wrong`. Otherwise as `enrolTotp`
 */
export async function addPasskey(client: AuthClient, passkey: NewPasskey): Promise<RecoveryCodes & { id: string }> {
  const added = await inside(client).askWithToken('factors/passkey', addedOf, passkey).catch(renewIfLost(client));
  renew(client);
  return added;
}

const enrolmentOf = ({ id, secret, uri }: TotpEnrolment) => (id && secret && uri ? { id, secret, uri } : undefined);

const codesOf = ({ recovery_codes: codes }: { recovery_codes: string[] }) => ({ recoveryCodes: [...codes] });

const addedOf = ({ id, ...rest }: { id: string; recovery_codes: string[] }) =>
  id ? { id, ...codesOf(rest) } : undefined;

/** Reads the options of a ceremony. */
export const ceremonyOf = ({ ceremony, publicKey }: Ceremony): Ceremony | undefined =>
  ceremony && publicKey ? { ceremony, publicKey } : undefined;
