/**
 * Resolves the caller of a request. It has exactly one kind of credential; one that fails never falls through to
 * another. (Interface 6)
 */
import { acceptSignature } from '../credentials/signatures/request-signature.js';
import type { Budget } from '../platform/budget.js';
import { randomBase64url } from '../platform/ids.js';
import { type Explained, refused } from '../platform/refused.js';
import type { CallerDeps, CallerRefusal, CallerRequest, CallerType, Resolution } from './caller.js';
import { CALLER_TYPES, KINDS, presentedKind } from './kinds.js';

type Kind = Pick<(typeof KINDS)[CallerType], 'scheme' | 'challengeParameters'>;

/** 128 bits: 22 characters */
const NONCE_BYTES = 16;

/** What to send, for each kind of caller. */
const CREDENTIALS = {
  user: 'an access token',
  api_key: 'a signed request',
  cron: 'an internal key',
} as const satisfies Record<CallerType, string>;

/**
 * Who is calling.
 * @param budget how long the request may wait for its stores
 * @param welcome the kinds that may call here, of which a 401 asks for one. A valid credential of another kind is a caller too
 * @throws the database's error or {Outage}: a store that is away is never a pass
 */
export function resolveCaller(
  deps: CallerDeps,
  request: CallerRequest,
  budget: Budget,
  welcome: readonly CallerType[] = CALLER_TYPES,
): Promise<Resolution> {
  const attributes = { 'auth_gateway.caller': presentedKind(request.presented) };
  return deps.tracing.span('resolve caller', 'internal', attributes, async (span) => {
    const resolution = await resolve(deps, request, budget, welcome);
    span?.setAttribute('auth_gateway.outcome', outcomeOf(resolution));
    return resolution;
  });
}

/** That somebody is known, or why nobody is */
export function outcomeOf(resolution: Resolution) {
  if (resolution.kind === 'caller') return 'success';
  return resolution.kind === 'refused' ? resolution.reason : resolution.kind;
}

async function resolve(
  deps: CallerDeps,
  request: CallerRequest,
  budget: Budget,
  welcome: readonly CallerType[],
): Promise<Resolution> {
  const { presented } = request;
  const [type, ...others] = presented;
  const kind = type && KINDS[type];
  if (kind === undefined) {
    const refusal = refused('missing_credentials', `Send ${listed(welcome.map((each) => CREDENTIALS[each]))}`);
    return { ...refusal, fields: askingFor(welcome, request) };
  }
  const resolution =
    others.length > 0
      ? refused('multiple_credentials', 'Send exactly one kind of credential')
      : await kind.resolve(within(deps, budget), request);
  if (resolution.kind !== 'refused') return resolution;
  const again = presented.filter((each) => welcome.includes(each));
  const fields = again.length > 0 ? askingFor(again, request, resolution) : askingFor(welcome, request);
  return { ...resolution, fields };
}

function within(deps: CallerDeps, budget: Budget): CallerDeps {
  return { ...deps, db: deps.db.within(budget), keyLimiter: deps.keyLimiter?.within(budget) };
}

/** What a 401 asks for: credentials of these kinds, and what was wrong with those that were sent. */
function askingFor(types: readonly CallerType[], request: CallerRequest, refusal?: Explained<CallerRefusal>) {
  const challenges = types.map((type) => challengeOf(KINDS[type], refusal)).join(', ');
  const fields: Array<[string, string]> = [['www-authenticate', challenges]];
  if (types.includes('api_key')) {
    fields.push(['accept-signature', acceptSignature(request, randomBase64url(NONCE_BYTES))]);
  }
  return fields;
}

/** `a`, `a or b`, `a, b or c` */
function listed(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/** One challenge of `WWW-Authenticate` (RFC 9110 section 11.6.1). */
export function challengeOf({ scheme, challengeParameters }: Kind, refusal?: Explained<CallerRefusal>): string {
  return challengeWith(scheme, refusal && challengeParameters(refusal));
}

export function challengeWith(scheme: string, more?: Record<string, string>): string {
  const parameters = { realm: 'auth-gateway', ...more };
  return `${scheme} ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
}
