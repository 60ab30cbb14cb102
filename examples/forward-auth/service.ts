/** A service behind a proxy. It says who is calling. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verify } from './verify-assertion.ts';
import { isSignedBody } from './verify-body.ts';

createServer(async (request, response) => {
  const { method, url, headers } = request;
  if (headers['x-auth-caller-type'] === undefined) return void response.writeHead(401).end('Come through the proxy\n');
  try {
    const claims = await verify(String(headers['x-auth-assertion']), method, url);
    if (!isSignedBody(claims, await buffer(request))) throw new Error('The body is not the one that was signed');
    response.end(`Hello ${claims['caller_type']} ${claims.sub}\n`);
  } catch (error) {
    response.writeHead(401).end(`${(error as Error).message}\n`);
  }
}).listen(Number(process.env['PORT'] ?? 8081), '127.0.0.1');
