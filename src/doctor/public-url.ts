/** Interface 2, 3 and 9, `doctor`: whether PUBLIC_URL leads to this gateway, and whether its certificate is valid. */
import type { Config } from '../config/config.js';
import { isLoopback } from '../config/values.js';
import { importKeys, type PublicJwk } from '../credentials/keyring/import-keys.js';
import { readKeyringFile } from '../credentials/keyring/keyring-file.js';
import { errorLabel } from '../platform/fixed-texts.js';
import { numberOf } from '../platform/number-of.js';
import { type TlsFault, tlsFaultOf } from '../platform/tls-faults.js';
import { LOGIN_PATH } from '../rate-limits/login-policy.js';
import { type Finding, fault, ok, warning } from './finding.js';
import { checkOpenForwardAuth } from './forward-auth.js';
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
    return [notReached(publicUrl, errorLabel(error))];
  }
  const found = [certificate(metadata, clock.now())].filter((finding) => finding !== undefined);
  const wrong = wrongAnswer(publicUrl, metadata);
  if (wrong !== undefined) return [...found, wrong];
  if (!isMetadata(metadata)) return [...found, await withoutMetadata(config, metadata, () => read(LOGIN_PATH))];
  const keys = await compareKeys(config.keyringFile, clock.now(), () => read(JWKS));
  const isOpen = !isDevelopment && /^auth_gateway_/m.test((await read('/metrics')).text);
  const metrics = metricsPort === undefined ? 'set METRICS_PORT=9464' : 'exclude /metrics from what the proxy forwards';
  return [
    ...found,
    keys,
    isOpen
      ? warning('metrics_open', `anyone may read ${publicUrl}/metrics`, `${metrics}, and let Prometheus read that port`)
      : ok('metrics_open', isDevelopment ? 'this is development' : `/metrics is not at ${publicUrl}`),
    await checkOpenForwardAuth(config, read),
  ];
}

const RENEW = 'renew the certificate on the proxy (such as certbot renew), and reload the proxy';

const TLS_REMEDIES: Record<TlsFault, string> = {
  expired: RENEW,
  not_yet_valid: 'correct the clock of this machine (timedatectl set-ntp true)',
  wrong_name: 'give the proxy a certificate for the host of PUBLIC_URL',
  unknown_ca: 'serve the whole chain on the proxy; for a CA of your own set NODE_EXTRA_CA_CERTS=FILE',
  no_tls: 'end TLS on the proxy in front of the gateway, or correct the port in PUBLIC_URL',
};

function notReached(publicUrl: string, code: string): Finding {
  const tls = tlsFaultOf(code);
  if (tls !== undefined) {
    return fault('certificate', `${publicUrl} cannot be trusted: ${tls.reason} (${code})`, TLS_REMEDIES[tls.fault]);
  }
  if (isLoopback(new URL(publicUrl).hostname)) {
    const local = `PUBLIC_URL is on this machine only, and nothing answers there (${code}); it cannot be checked from inside a container`;
    const remedy =
      'start the gateway and what is in front of it, such as Vite or a proxy, or correct PUBLIC_URL; check the firewall';
    return warning('public_url', local, remedy);
  }
  const remedy = 'start the gateway and the proxy in front of it, or correct PUBLIC_URL; check DNS and the firewall';
  return fault('public_url', `nothing answers at ${publicUrl} from this machine (${code})`, remedy);
}

const SOON_DAYS = 14;
const DAY_MS = 86_400_000;

function certificate({ validTo }: PublicAnswer, now: Date): Finding | undefined {
  if (validTo === undefined) return undefined;
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
  const seen = `the certificate of PUBLIC_URL ends in ${numberOf(days, 'day')}, at ${validTo.toISOString()}`;
  if (days >= SOON_DAYS) return ok('certificate', seen);
  return warning('certificate', seen, RENEW);
}

function issuerOf({ json }: PublicAnswer): unknown {
  return typeof json === 'object' && json !== null && 'issuer' in json ? json.issuer : undefined;
}

function isMetadata(answer: PublicAnswer): boolean {
  return answer.status === 200 && typeof issuerOf(answer) === 'string';
}

/** What is wrong although a gateway, or a proxy of one, answers. */
function wrongAnswer(publicUrl: string, answer: PublicAnswer): Finding | undefined {
  const { status, location } = answer;
  const issuer = issuerOf(answer);
  if (location !== undefined) {
    const seen = `${publicUrl} answers ${status} and redirects to ${URL.parse(location, publicUrl)?.origin ?? 'another place'}`;
    return fault('public_url', seen, 'set PUBLIC_URL to the origin at which the gateway itself answers');
  }
  if (status === 503 && issuer === undefined) {
    const seen = 'the proxy finds no gateway that is ready: 503';
    return fault('public_url', seen, { advice: 'fix the other findings; for details', command: 'health' });
  }
  if (!isMetadata(answer) || issuer === publicUrl) return undefined;
  const seen = `the gateway at ${publicUrl} has PUBLIC_URL=${URL.parse(String(issuer))?.origin ?? '…'}`;
  return fault('public_url', seen, 'set the same PUBLIC_URL for every instance and every command');
}

/**
 * Something else answers. A development server such as Vite forwards only some paths, and a page of the same origin needs
 * no more.
 */
async function withoutMetadata(
  { isDevelopment }: Config,
  { status }: PublicAnswer,
  askLogin: () => Promise<PublicAnswer>,
): Promise<Finding> {
  if ((await askLogin()).loginPolicy === undefined) return noGateway(`${status} for ${METADATA}`);
  const seen = `a gateway answers at PUBLIC_URL${LOGIN_PATH}, and another program at PUBLIC_URL${METADATA}`;
  if (isDevelopment) return ok('public_url', `${seen}, as usual behind Vite`);
  const remedy = 'make the proxy forward every path to the gateway, so that services find the keys';
  return warning('public_url', seen, remedy);
}

function noGateway(answer: string): Finding {
  const seen = `what answers at PUBLIC_URL is not a gateway: ${answer}`;
  const remedy = 'make the proxy forward every path to LISTEN_HOST and PORT of the gateway, or start the gateway';
  return fault('public_url', seen, remedy);
}

/** Requests for the keys, each over a new connection, because there may be several instances. */
const TIMES = 8;

async function compareKeys(keyringFile: string, now: Date, ask: () => Promise<PublicAnswer>): Promise<Finding> {
  const asked = await Promise.all(Array.from({ length: TIMES }, ask));
  const ours = await readKeyringFile(keyringFile).then(
    async ({ jwks }) => (await importKeys(jwks, now)).access.map(({ publicJwk }) => identityOf(publicJwk)),
    () => undefined, // `keyring` reports it
  );
  if (ours === undefined) return ok('public_url', 'a gateway with this PUBLIC_URL answers there');
  const answers = asked.filter(({ status }) => status === 200); // the others come from a proxy that found no instance
  if (answers.length === 0) return noGateway(`${asked[0]?.status} for ${JWKS}`);
  const published = answers.map(({ json }) =>
    ((json as { keys?: PublicJwk[] } | undefined)?.keys ?? []).map(identityOf),
  );
  const sharedWith = (theirs: string[]): number => theirs.filter((name) => ours.includes(name)).length;
  const foreign = published.filter((theirs) => sharedWith(theirs) === 0).length;
  const remedy = 'copy the keyring to every instance, and set KEYRING_FILE of each to it';
  if (foreign === answers.length) {
    return fault('public_url', 'a gateway with another keyring answers at PUBLIC_URL', remedy);
  }
  if (foreign > 0) {
    const seen = `some instances behind PUBLIC_URL have another keyring (${foreign} of ${answers.length} answers)`;
    return { ...fault('public_url', seen, remedy), isIntermittent: true };
  }
  const partly = published.find((theirs) => sharedWith(theirs) < ours.length || theirs.length > ours.length);
  if (partly === undefined) {
    const keys = ours.length === 1 ? 'key' : `${ours.length} keys`;
    return ok('public_url', `this gateway answers there, with the same ${keys}`);
  }
  const seen = `what answers at PUBLIC_URL has ${sharedWith(partly)} of our ${ours.length} keys: an older reading of the keyring, or a cached copy`;
  return warning('public_url', seen, `${remedy}; a cache may store the keys for 300 s at most`);
}

function identityOf({ kid, x, n }: PublicJwk): string {
  return `${kid} ${x ?? n}`;
}
