/** Calls the gateway as a service, by a library of RFC 9421. */
import { createHash, randomUUID } from 'node:crypto';
import { createSigner, httpbis } from 'http-message-signatures';

const { GATEWAY_URL, KEY_ID, SECRET } = process.env;
const method = 'POST';
const url = `${GATEWAY_URL}/graphql`;
const body = JSON.stringify({ query: '{ caller { callerType } }' });

const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
const key = createSigner(SECRET, 'hmac-sha256', KEY_ID);
const fields = ['@method', '@authority', '@path', '@query', 'content-type', 'content-digest'];
const params = ['created', 'nonce', 'keyid', 'tag'];
const paramValues = { nonce: randomUUID(), tag: 'auth-gateway' };
const sent = { method, url, headers: { 'content-type': 'application/json', 'content-digest': digest } };
const { headers } = await httpbis.signMessage({ key, fields, params, paramValues }, sent);

const response = await fetch(url, { method, headers, body });
console.log(await response.text());
