/** What a browser sends after a ceremony, read as the untrusted JSON that it is, without a library. (Interface 20) */

/** WebAuthn Level 3 section 4, "Credential ID". */
const MAX_CREDENTIAL_ID_BYTES = 1023;
const MAX_CLIENT_DATA_BYTES = 4096;
const MAX_CHALLENGE_BYTES = 64;
/** Attestation `none` with a key of RSA is about 600 bytes. */
const MAX_ATTESTATION_BYTES = 8192;
const MAX_AUTHENTICATOR_DATA_BYTES = 4096;
const MAX_SIGNATURE_BYTES = 1024;
/** WebAuthn Level 3 section 5.4.3. */
const MAX_USER_HANDLE_BYTES = 64;
const MAX_TRANSPORTS = 16;

/** `CollectedClientData`, as far as it decides. (WebAuthn Level 3 section 5.8.1) */
export interface ClientData {
  type: string;
  challenge: string;
  origin: string;
  /** In a frame of another origin, or about one; whatever is not clearly neither. */
  isCrossOrigin: boolean;
}

/** Bounded and well formed, but not verified. Texts are base64url without padding. */
export interface RegistrationResponse {
  id: string;
  clientDataJson: string;
  clientData: ClientData;
  attestationObject: Buffer;
  transports: string[];
}

/** Bounded and well formed, but not verified. Texts are base64url without padding. */
export interface AssertionResponse {
  id: string;
  clientDataJson: string;
  clientData: ClientData;
  authenticatorData: Buffer;
  signature: string;
  userHandle: Buffer | undefined;
}

/** Id of the credential, in base64url; undefined if the response has none that is well formed. */
export function credentialIdOf(response: unknown): string | undefined {
  const id = field(response, 'id');
  return bytesOf(id, MAX_CREDENTIAL_ID_BYTES) === undefined ? undefined : (id as string);
}

/** Challenge in `clientDataJSON`, in base64url; undefined if the response has none that is well formed. */
export function challengeOf(response: unknown): string | undefined {
  return clientDataOf(response)?.clientData.challenge;
}

/** Undefined if the response is malformed or larger than a registration needs. */
export function readRegistration(response: unknown): RegistrationResponse | undefined {
  const id = publicKeyIdOf(response);
  const client = clientDataOf(response);
  const attestationObject = bytesOf(field(field(response, 'response'), 'attestationObject'), MAX_ATTESTATION_BYTES);
  const transports = transportsOf(field(field(response, 'response'), 'transports'));
  if (id === undefined || client === undefined || attestationObject === undefined || transports === undefined) {
    return undefined;
  }
  return { id, ...client, attestationObject, transports };
}

/** Undefined if the response is malformed or larger than an assertion needs. */
export function readAssertion(response: unknown): AssertionResponse | undefined {
  const id = publicKeyIdOf(response);
  const client = clientDataOf(response);
  const inner = field(response, 'response');
  const authenticatorData = bytesOf(field(inner, 'authenticatorData'), MAX_AUTHENTICATOR_DATA_BYTES);
  const signature = field(inner, 'signature');
  if (id === undefined || client === undefined || authenticatorData === undefined) return undefined;
  if (bytesOf(signature, MAX_SIGNATURE_BYTES) === undefined) return undefined;

  const given = field(inner, 'userHandle') ?? undefined;
  const userHandle = bytesOf(given, MAX_USER_HANDLE_BYTES);
  if (given !== undefined && userHandle === undefined) return undefined;
  return { id, ...client, authenticatorData, signature: signature as string, userHandle };
}

/** Of a credential whose three names of it agree. */
function publicKeyIdOf(response: unknown): string | undefined {
  const id = credentialIdOf(response);
  return field(response, 'type') === 'public-key' && field(response, 'rawId') === id ? id : undefined;
}

function clientDataOf(response: unknown): Pick<RegistrationResponse, 'clientDataJson' | 'clientData'> | undefined {
  const clientDataJson = field(field(response, 'response'), 'clientDataJSON');
  const bytes = bytesOf(clientDataJson, MAX_CLIENT_DATA_BYTES);
  const clientData = bytes && readClientData(bytes);
  return clientData && { clientDataJson: clientDataJson as string, clientData };
}

function readClientData(bytes: Buffer): ClientData | undefined {
  const parsed = parseJson(bytes);
  const [type, challenge, origin] = ['type', 'challenge', 'origin'].map((name) => field(parsed, name));
  if (typeof type !== 'string' || typeof challenge !== 'string' || typeof origin !== 'string') return undefined;
  if (bytesOf(challenge, MAX_CHALLENGE_BYTES) === undefined) return undefined;
  const isCrossOrigin =
    (field(parsed, 'crossOrigin') ?? false) !== false || (field(parsed, 'topOrigin') ?? undefined) !== undefined;
  return { type, challenge, origin, isCrossOrigin };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Undefined if it is no list of short words; without a list there are none. Browsers may send words that are new. */
function transportsOf(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MAX_TRANSPORTS) return undefined;
  const words = value.filter((word): word is string => typeof word === 'string' && /^[a-z-]{1,32}$/.test(word));
  return words.length === value.length ? [...new Set(words)] : undefined;
}

/** An object's own field, whatever its name means to JavaScript. */
function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** Bytes of base64url without padding, in its only spelling; undefined if it is none, is empty or has more bytes. */
function bytesOf(text: unknown, maxBytes: number): Buffer | undefined {
  if (typeof text !== 'string' || text.length === 0 || text.length > Math.ceil((maxBytes * 4) / 3)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
