/** Interface 6: exactly one kind of credential in a request; one that fails never falls through to another. */
import { acceptSignature } from '../credentials/signatures/request-signature.js';
import { randomBase64url } from '../platform/ids.js';
import { type Explained, refused } from '../platform/refused.js';
import type { CallerDeps, CallerRefusal, CallerRequest, CallerType, Resolution } from './caller.js';
import { KINDS, presentedTypes } from './kinds.js';

type Kind = Pick<(typeof KINDS)[CallerType], 'scheme' | 'challengeParameters'>;

/** 128 bits: 22 characters */
const NONCE_BYTES = 16;

/** Who is calling. @throws the database's error or {Outage}: a store that is away is never a pass */
export async function resolveCaller(deps: CallerDeps, request: CallerRequest): Promise<Resolution> {
  const presented = presentedTypes(request.rawHeaders).map((type) => KINDS[type]);
  const [kind, ...others] = presented;
  if (kind === undefined) {
    const refusal = refused('missing_credentials', 'Send an access token, a signed request or an internal key');
    return { ...refusal, fields: askingFor(Object.values(KINDS), request) };
  }
  const resolution =
    others.length > 0
      ? refused('multiple_credentials', 'Send exactly one kind of credential')
      : await kind.resolve(deps, request);
  if (resolution.kind !== 'refused') return resolution;
  return { ...resolution, fields: askingFor(presented, request, resolution) };
}

/** What a 401 asks for: credentials of these kinds, and what was wrong with those that were sent. */
function askingFor(
  kinds: Array<(typeof KINDS)[CallerType]>,
  { body }: CallerRequest,
  refusal?: Explained<CallerRefusal>,
) {
  const challenges = kinds.map((kind) => challengeOf(kind, refusal)).join(', ');
  const fields: Array<[string, string]> = [['www-authenticate', challenges]];
  if (kinds.includes(KINDS.api_key)) {
    fields.push(['accept-signature', acceptSignature(body, randomBase64url(NONCE_BYTES))]);
  }
  return fields;
}

/** One challenge of `WWW-Authenticate` (RFC 9110 section 11.6.1). */
export function challengeOf({ scheme, challengeParameters }: Kind, refusal?: Explained<CallerRefusal>): string {
  const parameters = { realm: 'auth-gateway', ...(refusal && challengeParameters(refusal)) };
  return `${scheme} ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
}
