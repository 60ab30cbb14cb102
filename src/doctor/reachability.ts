/** `doctor`: whether PUBLIC_URL leads to this gateway alone, by a valid certificate, and which proxies may ask. (Interface 2, 3, 9 and 18) */
import ipaddr from 'ipaddr.js';
import type { Config } from '../config/config.js';
import { localOrigin } from '../config/local-origin.js';
import { isLoopback } from '../config/values.js';
import { importKeys, type PublicJwk } from '../credentials/keyring/import-keys.js';
import { readKeyringFile } from '../credentials/keyring/keyring-file.js';
import { errorLabel } from '../platform/error-label.js';
import { numberOf } from '../platform/number-of.js';
import { type TlsFault, tlsFaultOf } from '../platform/tls-faults.js';
import { LOGIN_PATH } from '../rate-limits/login-policy.js';
import { type Finding, fault, ok, warning } from './finding.js';
import { type Answer, ask, type Surroundings } from './surroundings.js';

const METADATA = '/.well-known/oauth-authorization-server';
const JWKS = '/.well-known/jwks.json';

export async function checkPublicUrl({ clock, config, signal }: Surroundings): Promise<Finding[]> {
  const { publicUrl, isDevelopment, metricsPort } = config;
  const read = (path: string): Promise<Answer> => ask(`${publicUrl}${path}`, signal);
  let metadata: Answer;
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
  const isOpen = !isDevelopment && (await readAuthzChecks(publicUrl, signal)) !== undefined;
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

function certificate({ validTo }: Answer, now: Date): Finding | undefined {
  if (validTo === undefined) return undefined;
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
  const seen = `the certificate of PUBLIC_URL ends in ${numberOf(days, 'day')}, at ${validTo.toISOString()}`;
  if (days >= SOON_DAYS) return ok('certificate', seen);
  return warning('certificate', seen, RENEW);
}

function issuerOf({ json }: Answer): unknown {
  return typeof json === 'object' && json !== null && 'issuer' in json ? json.issuer : undefined;
}

function isMetadata(answer: Answer): boolean {
  return answer.status === 200 && typeof issuerOf(answer) === 'string';
}

/** What is wrong although a gateway, or a proxy of one, answers. */
function wrongAnswer(publicUrl: string, answer: Answer): Finding | undefined {
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
  { status }: Answer,
  askLogin: () => Promise<Answer>,
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

async function compareKeys(keyringFile: string, now: Date, askKeys: () => Promise<Answer>): Promise<Finding> {
  const asked = await Promise.all(Array.from({ length: TIMES }, askKeys));
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

/** Fewer may come from doctor itself, which asks through PUBLIC_URL after each start and whenever it runs. */
const MANY = 10;

const OFF = 'forward authentication is off';

export async function checkForwardAuth({ config, isGateway, signal }: Surroundings): Promise<Finding[]> {
  const { forwardAuth, isDevelopment, publicUrl } = config;
  if (forwardAuth === undefined) return [ok('forward_auth', OFF)];
  const found: Finding[] = [];
  const wide = forwardAuth.proxies.filter(isWide);
  if (wide.length > 0) {
    const seen = `FORWARD_AUTH_PROXIES has ${wide.join()}: more public addresses than anybody's proxies have`;
    found.push(warning('forward_auth', seen, 'list the addresses from which the proxies of your services connect'));
  }
  const plain = forwardAuth.origins.filter((origin) => {
    const { hostname, protocol } = new URL(origin);
    return protocol === 'http:' && !isLoopback(hostname);
  });
  if (plain.length > 0 && publicUrl.startsWith('https:') && !isDevelopment) {
    const seen = `FORWARD_AUTH_ORIGINS has ${plain.join()}: clients send their credentials there in clear, although PUBLIC_URL is https`;
    found.push(warning('forward_auth', seen, 'let the proxy end TLS for these services, and list their https origins'));
  }
  // Ten seconds after its start nobody has asked yet.
  const asked = isGateway ? undefined : await readQuestions(config, signal).catch(() => undefined);
  if (asked !== undefined && asked.unlisted >= MANY && asked.unlisted > asked.listed) {
    const seen = `since the start of the gateway ${asked.unlisted} of ${numberOf(asked.unlisted + asked.listed, 'question')} of proxies came from peers that FORWARD_AUTH_PROXIES does not list`;
    const remedy =
      'look for peer_ip in the log, next to "FORWARD_AUTH_PROXIES does not list the peer"; list it if it is a proxy of your services';
    found.push(warning('forward_auth', seen, remedy));
  }
  if (found.length > 0) return found;
  const allowed = `${numberOf(forwardAuth.proxies.length, 'network')} of proxies may ask, for ${numberOf(forwardAuth.origins.length, 'origin')}`;
  return [ok('forward_auth', `${allowed}; ${describe(asked)}`)];
}

function describe(asked: Questions | undefined): string {
  if (asked === undefined) return 'whether they ask is counted by the running gateway, which was not asked';
  if (asked.listed + asked.unlisted === 0) return 'none has asked since the start of the gateway';
  return `${numberOf(asked.listed, 'question')} since the start of the gateway, and ${asked.unlisted} of other peers (peer_ip in the log)`;
}

/** Since the start of the gateway */
interface Questions {
  /** Of peers that FORWARD_AUTH_PROXIES of that gateway lists */
  listed: number;
  unlisted: number;
}

/** @returns undefined if it does not count them @throws if no gateway of this environment answers here */
async function readQuestions(config: Config, signal: AbortSignal): Promise<Questions | undefined> {
  const { host, metricsHost, metricsPort, port } = config;
  const at = metricsPort === undefined ? { host, port } : { host: metricsHost, port: metricsPort };
  const checks = await readAuthzChecks(localOrigin(at), signal);
  if (checks === undefined || checks.length === 0) return undefined;
  const sumOf = (isUnlisted: boolean): number =>
    checks
      .filter(({ labels }) => (labels.outcome === 'proxy_not_listed') === isUnlisted)
      .reduce((sum, { value }) => sum + value, 0);
  return { listed: sumOf(false), unlisted: sumOf(true) };
}

/** Every gateway has this counter; one without forward authentication counts nothing. */
const AUTHZ_CHECKS = 'auth_gateway_authz_checks_total';

/** As the gateway sends it as JSON */
interface Metric {
  name: string;
  values: Array<{ labels: { outcome?: string }; value: number }>;
}

/** @returns undefined if no metrics of a gateway are there @throws as `ask` */
async function readAuthzChecks(origin: string, signal: AbortSignal): Promise<Metric['values'] | undefined> {
  const { json } = await ask(`${origin}/metrics`, signal, { accept: 'application/json' });
  if (!Array.isArray(json)) return undefined;
  return (json as Metric[]).find(({ name }) => name === AUTHZ_CHECKS)?.values;
}

/** Networks in which no stranger is: loopback, link-local, private, and those between a carrier and its customers. */
const PRIVATE = [
  ...['127.0.0.0/8', '169.254.0.0/16', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
  ...['::1/128', 'fe80::/10', 'fc00::/7'],
].map((cidr) => ipaddr.parseCIDR(cidr));

/** Of a public network: bits of its prefix that proxies of one owner may share. */
const LEAST_BITS = { ipv4: 16, ipv6: 32 };

function isWide(cidr: string): boolean {
  const [text = '', prefix] = cidr.split('/');
  const address = ipaddr.process(text);
  const mapped = ipaddr.parse(text).kind() === address.kind() ? 0 : 96; // of IPv4 within IPv6
  const bits = Number(prefix ?? 128) - mapped;
  const isPrivate = PRIVATE.some(
    ([base, baseBits]) => base.kind() === address.kind() && baseBits <= bits && address.match(base, baseBits),
  );
  return !isPrivate && bits < LEAST_BITS[address.kind()];
}

/** By the answer to a question that comes through PUBLIC_URL, as anybody's does. It says nothing of a request. */
const OPEN_QUESTION = '/authz/forward-auth/caller=user';

async function checkOpenForwardAuth(
  { forwardAuth, isDevelopment, publicUrl }: Config,
  read: (path: string) => Promise<Answer>,
): Promise<Finding> {
  if (forwardAuth === undefined || isDevelopment) {
    return ok('forward_auth_open', forwardAuth === undefined ? OFF : 'this is development');
  }
  const reason = reasonOf(await read(OPEN_QUESTION));
  if (reason === undefined || reason === 'proxy_not_listed') {
    return ok('forward_auth_open', `nobody may ask who is calling at ${publicUrl}`);
  }
  const seen = `anybody may ask who is calling at ${publicUrl}${OPEN_QUESTION}, and choose the rule: FORWARD_AUTH_PROXIES lists the proxy in front of the gateway`;
  const remedy =
    'let that proxy refuse /authz/ (in nginx: location /authz/ { return 404; }), or take its address out of FORWARD_AUTH_PROXIES';
  return fault('forward_auth_open', seen, remedy);
}

/** Of a refusal by the gateway; undefined if the gateway has no such route, or has not been reached */
function reasonOf({ status, json }: Answer): string | undefined {
  if (status === 404 || typeof json !== 'object' || json === null || !('reason' in json)) return undefined;
  return String(json.reason);
}
