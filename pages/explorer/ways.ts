/** The ways to ask, at least one for each kind of caller. Each sends exactly one credential. (Interface 6) */
import { signatureHeaders } from './signature.js';

export interface Way {
  /** The kind of caller that the gateway sees */
  kind: 'user' | 'api_key' | 'cron';
  label: string;
  /** What is typed, by name. Without any, the page's login is used. */
  fields: Record<string, string>;
  /** @param authority the host of PUBLIC_URL */
  headers(values: Record<string, string>, body: string, authority: string): Promise<Record<string, string>>;
}

export const WAYS = {
  login: { kind: 'user', label: 'the user who is logged in', fields: {}, headers: async () => ({}) },
  token: {
    kind: 'user',
    label: 'a user, by an access token',
    fields: { token: 'Access token' },
    headers: async ({ token = '' }) => ({ authorization: `Bearer ${token}` }),
  },
  apiKey: {
    kind: 'api_key',
    label: 'an API key',
    fields: { keyId: 'Key ID', secret: 'Secret' },
    headers: ({ keyId = '', secret = '' }, body, authority) => signatureHeaders(keyId, secret, body, authority),
  },
  cronKey: {
    kind: 'cron',
    label: 'a cron key',
    fields: { key: 'Value of the header X-Internal-Key' },
    headers: async ({ key = '' }) => ({ 'x-internal-key': key }),
  },
} satisfies Record<string, Way>;

export type WayName = keyof typeof WAYS;

/** As whom the page asks, and what was typed for it */
export interface Chosen {
  way: WayName;
  values: Record<string, string>;
}
