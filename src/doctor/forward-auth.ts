/** Interface 9 and 18, `doctor`: whether the proxies that ask are those that are listed, and whether nobody else may. */
import ipaddr from 'ipaddr.js';
import type { Config } from '../config/config.js';
import { isLoopback } from '../config/values.js';
import { localOrigin } from '../platform/local-origin.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, fault, ok, warning } from './finding.js';
import { type PublicAnswer, readPublic } from './public-request.js';
import type { Surroundings } from './surroundings.js';

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

/** By the counter, since the start of the gateway */
interface Questions {
  /** Of peers that FORWARD_AUTH_PROXIES of that gateway lists */
  listed: number;
  unlisted: number;
}

/** @returns undefined if it does not count them @throws if no gateway of this environment answers here */
async function readQuestions(config: Config, signal: AbortSignal): Promise<Questions | undefined> {
  const { host, metricsHost, metricsPort, port } = config;
  const at = metricsPort === undefined ? { host, port } : { host: metricsHost, port: metricsPort };
  const { text } = await readPublic(`${localOrigin(at)}/metrics`, signal);
  const samples = Array.from(text.matchAll(/^auth_gateway_authz_checks_total\{(.*)\} (\d+)$/gm));
  const sumOf = (isCounted: (labels: string) => boolean): number =>
    samples.reduce((sum, [, labels = '', value]) => sum + (isCounted(labels) ? Number(value) : 0), 0);
  const isUnlisted = (labels: string): boolean => labels.includes('outcome="proxy_not_listed"');
  if (samples.length === 0) return undefined;
  return { listed: sumOf((labels) => !isUnlisted(labels)), unlisted: sumOf(isUnlisted) };
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
export const OPEN_QUESTION = '/authz/forward-auth/caller=user';

export async function checkOpenForwardAuth(
  { forwardAuth, isDevelopment, publicUrl }: Config,
  read: (path: string) => Promise<PublicAnswer>,
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
function reasonOf({ status, json }: PublicAnswer): string | undefined {
  if (status === 404 || typeof json !== 'object' || json === null || !('reason' in json)) return undefined;
  return String(json.reason);
}
