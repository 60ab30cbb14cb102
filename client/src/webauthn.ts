/** WebAuthn Level 3 as browsers have it, by JSON; and by hand in browsers and password managers that lack it. */

type RequestOptions = Omit<CredentialRequestOptions, 'publicKey'>;

/** @returns whether this browser offers passkeys in the suggestions of a field */
export async function isAutofillAvailable(): Promise<boolean> {
  return (await globalThis.PublicKeyCredential?.isConditionalMediationAvailable?.()) ?? false;
}

/**
 * @param json `PublicKeyCredentialRequestOptionsJSON`
 * @param isOffer in the suggestions of a field, not in a dialog
 * @returns `AuthenticationResponseJSON`
 * @throws {DOMException} or the reason of `signal`
 */
export async function askPasskey(json: object, signal: AbortSignal, isOffer = false): Promise<object> {
  const request = json as PublicKeyCredentialRequestOptionsJSON;
  const publicKey = ofBrowser().parseRequestOptionsFromJSON?.(request) ?? {
    ...(request as object),
    challenge: bytesOf(request.challenge),
    allowCredentials: descriptorsOf(request.allowCredentials),
  };
  const options: RequestOptions = { signal, ...(isOffer && { mediation: 'conditional' }) };
  signal.throwIfAborted();
  return jsonOf(await navigator.credentials.get({ ...options, publicKey }));
}

/**
 * @param json `PublicKeyCredentialCreationOptionsJSON`
 * @returns `RegistrationResponseJSON`
 * @throws {DOMException} or the reason of `signal`
 */
export async function createPasskey(json: object, signal: AbortSignal): Promise<object> {
  const request = json as PublicKeyCredentialCreationOptionsJSON;
  const publicKey = ofBrowser().parseCreationOptionsFromJSON?.(request) ?? {
    ...(request as object),
    rp: request.rp,
    pubKeyCredParams: request.pubKeyCredParams,
    challenge: bytesOf(request.challenge),
    user: { ...request.user, id: bytesOf(request.user.id) },
    excludeCredentials: descriptorsOf(request.excludeCredentials),
  };
  signal.throwIfAborted();
  return jsonOf(await navigator.credentials.create({ signal, publicKey }));
}

/** What older browsers lack. */
type OfBrowser = Partial<
  Pick<typeof PublicKeyCredential, 'parseRequestOptionsFromJSON' | 'parseCreationOptionsFromJSON'>
>;

function ofBrowser(): OfBrowser {
  const found = globalThis.PublicKeyCredential;
  if (found) return found;
  throw new DOMException('This browser has no passkeys here; they need https or localhost', 'NotSupportedError');
}

function descriptorsOf(list: PublicKeyCredentialDescriptorJSON[] = []): PublicKeyCredentialDescriptor[] {
  return list.map(({ id, ...rest }) => ({ ...rest, id: bytesOf(id) }) as PublicKeyCredentialDescriptor);
}

/** What a password manager has put in the place of a credential may lack `toJSON`, or throw. */
function jsonOf(credential: Credential | null): object {
  const made = credential as PublicKeyCredential;
  try {
    return made.toJSON();
  } catch {
    return byHand(made);
  }
}

type Response = Partial<AuthenticatorAssertionResponse & AuthenticatorAttestationResponse>;

function byHand(credential: PublicKeyCredential): object {
  const { id, rawId, type, authenticatorAttachment } = credential;
  const response = credential.response as AuthenticatorResponse & Response;
  return {
    ...{ id, rawId: textOf(rawId), type, authenticatorAttachment },
    clientExtensionResults: credential.getClientExtensionResults(),
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: response.getTransports?.(),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
      userHandle: textOf(response.userHandle),
    },
  };
}

/** Reads base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
}

/** Writes base64url. */
function textOf(bytes: ArrayBuffer | null | undefined): string | undefined {
  if (!bytes) return undefined;
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
}
