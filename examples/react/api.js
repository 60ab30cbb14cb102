/** An API of your own, at another origin than the page. It greets callers with a valid access token. */
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const ISSUER = 'http://localhost:5173'; // PUBLIC_URL of the gateway
const rules = { issuer: ISSUER, audience: ISSUER, typ: 'at+jwt', requiredClaims: ['exp'] };
const keys = createRemoteJWKSet(new URL('http://127.0.0.1:3000/.well-known/jwks.json'));

createServer(async (request, response) => {
  response.setHeader('access-control-allow-origin', 'http://localhost:5173');
  response.setHeader('access-control-allow-headers', 'authorization');
  if (request.method === 'OPTIONS') return response.writeHead(204).end();
  const [, token = ''] = (request.headers.authorization ?? '').split(' ');
  const verified = await jwtVerify(token, keys, rules).catch(() => undefined);
  if (verified === undefined) return response.writeHead(401).end();
  response.end(`Hello ${verified.payload.sub}`);
}).listen(4000, '127.0.0.1');
