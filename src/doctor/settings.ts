/** Interface 2 and 9, `doctor`: variables that are valid, but unwise. */
import type { Config, ConfigWarning } from '../config/config.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

/** Shows the warnings that the start has logged for one check. */
function showWarnings({ warnings }: Config, check: ConfigWarning['check'], fine: string): Finding[] {
  const found = warnings
    .filter((one) => one.check === check)
    .map(({ reason, remedy }) => warning(check, reason, remedy));
  return found.length > 0 ? found : [ok(check, fine)];
}

export function checkConfiguration({ config }: Surroundings): Finding[] {
  return showWarnings(config, 'configuration', 'every variable is valid, and none is misspelt');
}

export function checkListenHost({ config }: Surroundings): Finding[] {
  return showWarnings(config, 'listen_host', `LISTEN_HOST is ${config.host}, and PUBLIC_URL is ${config.publicUrl}`);
}

export function checkUnknownProxy({ config }: Surroundings): Finding[] {
  const { publicUrl, trustProxy } = config;
  return showWarnings(
    config,
    'proxy_unknown',
    `PUBLIC_URL is ${publicUrl}, and TRUST_PROXY is ${trustProxy.join() || 'unset'}`,
  );
}

/** A stolen access token stays valid until it expires, whatever is done: seconds. */
const LONG_ACCESS_SECONDS = 3_600;

export function checkLifetimes({ config: { accessTokenSeconds, refreshTokenSeconds } }: Surroundings): Finding[] {
  const seen = `access tokens are valid for ${accessTokenSeconds} s, unused sessions for ${refreshTokenSeconds} s`;
  if (refreshTokenSeconds < accessTokenSeconds) {
    const what = `${seen}: a session ends before its first refresh is due`;
    return [fault('token_lifetimes', what, 'unset ACCESS_TOKEN_TTL_SECONDS and REFRESH_TOKEN_TTL_SECONDS')];
  }
  if (accessTokenSeconds <= LONG_ACCESS_SECONDS) return [ok('token_lifetimes', seen)];
  const what = `${seen}, and an access token cannot be revoked`;
  return [warning('token_lifetimes', what, 'unset ACCESS_TOKEN_TTL_SECONDS; clients refresh by themselves')];
}

const TOO_QUIET = ['silent', 'fatal', 'error'];

export function checkLogLevel({ config: { logLevel } }: Surroundings): Finding[] {
  const seen = `LOG_LEVEL is ${logLevel}`;
  if (!TOO_QUIET.includes(logLevel)) return [ok('log_level', seen)];
  return [warning('log_level', `${seen}: neither warnings nor requests are logged`, 'set LOG_LEVEL=info')];
}

/** A network larger than the largest private one cannot be only proxies: bits of its prefix. */
const LEAST_BITS = { ipv4: 8, ipv6: 7 };

export function checkTrustedProxies({ config: { trustProxy } }: Surroundings): Finding[] {
  const wide = trustProxy.filter((cidr) => {
    const [address = '', prefix] = cidr.split('/');
    return prefix !== undefined && Number(prefix) < LEAST_BITS[address.includes(':') ? 'ipv6' : 'ipv4'];
  });
  if (trustProxy.length === 0) return [ok('trust_proxy', 'TRUST_PROXY is unset')];
  if (wide.length === 0) {
    return [ok('trust_proxy', `X-Forwarded-For is trusted from ${numberOf(trustProxy.length, 'network')}`)];
  }
  const seen = `TRUST_PROXY has ${wide.join()}: nearly anyone can forge an address by X-Forwarded-For, and is never limited`;
  return [fault('trust_proxy', seen, 'set TRUST_PROXY to the addresses of your proxies only')];
}
