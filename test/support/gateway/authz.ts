/** Questions of proxies (Interface 18), as each family of them asks. */
import type { FamilyName } from '../../../src/http/authz/original-request.js';
import { signByHand } from '../independent/signer.js';
import type { Answer, Instance, TestGateway } from './gateway.js';
import type { IssuedKey } from './graphql.js';

/** The service behind the proxy */
export const ORIGIN = 'https://app.example.com';
export const AUTHORITY = 'app.example.com';

export const FORWARD_AUTH = { FORWARD_AUTH_PROXIES: '127.0.0.1', FORWARD_AUTH_ORIGINS: `${ORIGIN},http://b.test:8080` };

export const FAMILIES = ['auth-request', 'forward-auth', 'ext-authz'] as const satisfies FamilyName[];

export interface Original {
  method: string;
  /** Path and query */
  target: string;
  origin: string;
  headers: Record<string, string | string[]>;
}

/** The request line and the fields by which a family describes a request. */
export function questionOf(family: FamilyName, rule: string, { method, target, origin, headers }: Original) {
  const [proto = '', host = ''] = origin.split('://');
  const path = `/authz/${family}/${rule}`;
  switch (family) {
    case 'auth-request':
      return {
        method: 'GET',
        path,
        headers: { ...headers, 'X-Original-Method': method, 'X-Original-URL': origin + target },
      };
    case 'forward-auth':
      return {
        method: 'GET',
        path,
        headers: {
          ...headers,
          'X-Forwarded-Method': method,
          'X-Forwarded-Proto': proto,
          'X-Forwarded-Host': host,
          'X-Forwarded-Uri': target,
        },
      };
    case 'ext-authz':
      return { method, path: path + target, headers: { ...headers, Host: host, 'X-Forwarded-Proto': proto } };
  }
}

/** Asks as a proxy of this family would. */
export function askAs(
  on: Pick<Instance, 'send'>,
  family: FamilyName,
  rule: string,
  original: Partial<Original> = {},
): Promise<Answer> {
  const whole = { method: 'GET', target: '/invoices?year=2026', origin: ORIGIN, headers: {}, ...original };
  const { method, path, headers } = questionOf(family, rule, whole);
  return on.send(method, path, { headers });
}

/** A request to the service, signed at the gateway's time. */
export function signedOriginal(
  { clock }: Pick<TestGateway, 'clock'>,
  { keyId, secret }: Pick<IssuedKey, 'keyId' | 'secret'>,
  {
    method = 'GET',
    target = '/invoices?year=2026',
    body = '',
    authority = AUTHORITY,
    nonce,
  }: Partial<Record<'method' | 'target' | 'body' | 'authority' | 'nonce', string>> = {},
): Original {
  const nowSeconds = Math.floor(clock.now().getTime() / 1000);
  const signing = { keyId, secret, authority, nowSeconds, method, target, body, ...(nonce !== undefined && { nonce }) };
  const { headers } = signByHand(signing);
  return { method, target, origin: `https://${authority}`, headers: Object.fromEntries(headers) };
}

/** The fields of an answer that a service sees. */
export function identityOf({ headers }: Pick<Answer, 'headers'>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-auth-')));
}
