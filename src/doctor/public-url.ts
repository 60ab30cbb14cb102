/** Interface 2, 3 and 9, `doctor`: whether PUBLIC_URL leads to this very gateway, and by which certificate. */
import { isLoopback } from '../config/values.js';
import { importKeys, type PublicJwk } from '../credentials/keyring/import-keys.js';
import { readKeyringFile } from '../credentials/keyring/keyring-file.js';
import { numberOf } from '../platform/number-of.js';
import { codeOf } from './error-code.js';
import { type Finding, fault, ok, warning } from './finding.js';
import { type PublicAnswer, readPublic } from './public-request.js';
import type { Surroundings } from './surroundings.js';

const METADATA = '/.well-known/oauth-authorization-server';
const JWKS = '/.well-known/jwks.json';

export async function checkPublicUrl({ clock, config, signal }: Surroundings): Promise<Finding[]> {
  const { publicUrl, isDevelopment, metricsPort } = config;
  const read = (path: string): Promise<PublicAnswer> => readPublic(`${publicUrl}${path}`, signal);
  let metadata: PublicAnswer;
  try {
    metadata = await read(METADATA);
  } catch (error) {
    return [notReached(publicUrl, codeOf(error))];
  }
  const found = [certificate(metadata, clock.now())].filter((finding) => finding !== undefined);
  const wrong = wrongAnswer(publicUrl, metadata);
  if (wrong !== undefined) return [...found, wrong];
  const keys = await compareKeys(config.keyringFile, clock.now(), () => read(JWKS));
  const isOpen = !isDevelopment && /^auth_gateway_/m.test((await read('/metrics')).text);
  const metrics = metricsPort === undefined ? 'set METRICS_PORT=9464' : 'take /metrics out of what the proxy passes on';
  return [
    ...found,
    keys,
    isOpen
      ? warning(
          'metrics_open',
          `everybody may read ${publicUrl}/metrics`,
          `${metrics}, and let Prometheus read that port`,
        )
      : ok('metrics_open', isDevelopment ? 'this is development' : `/metrics is not at ${publicUrl}`),
  ];
}

/** What TLS says, by OpenSSL's words: what it means, and what helps. */
const TLS_FAULTS: Array<[code: RegExp, seen: string, remedy: string]> = [
  [
    /^CERT_HAS_EXPIRED$/,
    'its certificate has expired',
    'renew the certificate on the proxy (such as certbot renew), and reload it',
  ],
  [
    /^CERT_NOT_YET_VALID$/,
    'its certificate is not valid yet',
    'set the clock of this machine right (timedatectl set-ntp true)',
  ],
  [/ALTNAME/, 'its certificate is for another name', 'give the proxy a certificate for the host of PUBLIC_URL'],
  [
    /CERT|SIGNATURE|ISSUER/,
    'its certificate is of no authority that is known here',
    'serve the whole chain on the proxy; for an authority of your own set NODE_EXTRA_CA_CERTS=FILE',
  ],
  [
    /^(EPROTO|ERR_SSL_.*)$/,
    'no TLS is spoken there',
    'end TLS on the proxy before the gateway, or set the port in PUBLIC_URL right',
  ],
];

function notReached(publicUrl: string, code: string): Finding {
  const tls = TLS_FAULTS.find(([pattern]) => pattern.test(code));
  if (tls !== undefined) return fault('certificate', `${publicUrl} cannot be trusted: ${tls[1]} (${code})`, tls[2]);
  const remedy = 'start the gateway and the proxy before it, or set PUBLIC_URL right; mend DNS or the firewall';
  if (isLoopback(new URL(publicUrl).hostname)) {
    const local = `PUBLIC_URL is of this machine alone, and nobody answers there (${code}); from inside a container it cannot be asked`;
    return warning('public_url', local, remedy);
  }
  return fault('public_url', `nothing answers at ${publicUrl}, as seen from this machine (${code})`, remedy);
}

const SOON_DAYS = 14;
const DAY_MS = 86_400_000;

function certificate({ validTo }: PublicAnswer, now: Date): Finding | undefined {
  if (validTo === undefined) return undefined;
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
  const seen = `the certificate of PUBLIC_URL ends in ${numberOf(days, 'day')}, at ${validTo.toISOString()}`;
  if (days >= SOON_DAYS) return ok('certificate', seen);
  return warning('certificate', seen, 'renew the certificate on the proxy (such as certbot renew), and reload it');
}

/** Undefined for the metadata of a gateway with this PUBLIC_URL. */
function wrongAnswer(publicUrl: string, { status, location, json }: PublicAnswer): Finding | undefined {
  if (location !== undefined) {
    const seen = `${publicUrl} answers ${status} and sends on to ${URL.parse(location, publicUrl)?.origin ?? 'another place'}`;
    return fault('public_url', seen, 'set PUBLIC_URL to the origin where the gateway answers itself');
  }
  const issuer = typeof json === 'object' && json !== null && 'issuer' in json ? json.issuer : undefined;
  if (status === 503 && issuer === undefined) {
    const seen = 'the proxy finds no gateway that is ready: 503';
    return fault('public_url', seen, 'mend what else is found; auth-gateway health says more');
  }
  if (status !== 200 || typeof issuer !== 'string') return noGateway(`${status} for ${METADATA}`);
  if (issuer === publicUrl) return undefined;
  const seen = `the gateway at ${publicUrl} says that it is ${URL.parse(issuer)?.origin ?? 'another'}`;
  return fault('public_url', seen, 'set the same PUBLIC_URL for every instance and every command');
}

function noGateway(answer: string): Finding {
  const seen = `what answers at PUBLIC_URL is no gateway: ${answer}`;
  const remedy = 'let the proxy pass every path on to LISTEN_HOST and PORT of the gateway, or start it';
  return fault('public_url', seen, remedy);
}

/** How often the keys are asked for, each time over a new connection: there may be several instances. */
const TIMES = 8;
/** Begins what is found where some answers are of another keyring than the others. */
const MIXED = 'some instances behind PUBLIC_URL have another keyring';

/** True of what another look may miss, for it depends on the instances that happen to answer. */
export function isOfSomeInstances({ seen }: Finding): boolean {
  return seen.startsWith(MIXED);
}

async function compareKeys(keyringFile: string, now: Date, ask: () => Promise<PublicAnswer>): Promise<Finding> {
  const asked = await Promise.all(Array.from({ length: TIMES }, ask));
  const ours = await readKeyringFile(keyringFile).then(
    async ({ jwks }) => (await importKeys(jwks, now)).access.map(({ publicJwk }) => nameOf(publicJwk)),
    () => undefined, // which is told elsewhere
  );
  if (ours === undefined) return ok('public_url', 'a gateway of this PUBLIC_URL answers there');
  const answers = asked.filter(({ status }) => status === 200); // another is of a proxy that found nobody
  if (answers.length === 0) return noGateway(`${asked[0]?.status} for ${JWKS}`);
  const published = answers.map(({ json }) => ((json as { keys?: PublicJwk[] } | undefined)?.keys ?? []).map(nameOf));
  const alikeOf = (theirs: string[]): number => theirs.filter((name) => ours.includes(name)).length;
  const others = published.filter((theirs) => alikeOf(theirs) === 0).length;
  const remedy = 'copy the keyring to every instance, and set KEYRING_FILE of each to it';
  if (others === answers.length)
    return fault('public_url', 'a gateway with another keyring answers at PUBLIC_URL', remedy);
  if (others > 0) return fault('public_url', `${MIXED} (${others} of ${answers.length} answers)`, remedy);
  const partly = published.find((theirs) => alikeOf(theirs) < ours.length || theirs.length > ours.length);
  if (partly === undefined) {
    const keys = ours.length === 1 ? 'key' : `${ours.length} keys`;
    return ok('public_url', `this very gateway answers there, with the same ${keys}`);
  }
  const seen = `what answers at PUBLIC_URL has ${alikeOf(partly)} of our ${ours.length} keys: another reading of the keyring, or an old copy in a cache`;
  return warning('public_url', seen, `${remedy}; a cache should keep the keys for 300 s at most`);
}

function nameOf({ kid, x, n }: PublicJwk): string {
  return `${kid} ${x ?? n}`;
}
