/** http-message-sig signs what the gateway accepts, as docs/services.md claims. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { appendSignature, createSignature } from 'http-message-sig';

const { GATEWAY_URL, KEY_ID, SECRET } = process.env;
const body = JSON.stringify({ query: '{ caller { callerType } }' });

const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
const sign = (base) => createHmac('sha256', SECRET).update(base).digest();
const components = ['@method', '@authority', '@path', '@query', 'content-type', 'content-digest'];
const created = Math.floor(Date.now() / 1000);
const parameters = { created, nonce: randomUUID(), keyid: KEY_ID, tag: 'auth-gateway' };
const sent = { 'content-type': 'application/json', 'content-digest': digest };
const request = new Request(`${GATEWAY_URL}/graphql`, { method: 'POST', headers: sent, body });
const signature = await createSignature(request, {
  components,
  parameters,
  signer: { algorithm: 'hmac-sha256', sign },
});

const response = await fetch(request, { headers: appendSignature(request.headers, signature) });
process.stdout.write(await response.text());
