/** A service without a proxy: it asks the gateway who is calling. */
import { createServer } from 'node:http';
import { whoIsCalling } from '@auth-gateway/client/server';

const { GATEWAY_URL: url = '', ORIGIN: origin = '', PORT = '8082' } = process.env;
const question = { url, origin, rule: 'caller=user,api_key,cron' };

createServer(async (request, response) => {
  try {
    const answer = await whoIsCalling(request, question);
    if (answer.kind === 'refused') return void response.writeHead(answer.status, answer.headers).end(answer.json);
    if (answer.kind === 'preflight') return void response.writeHead(204).end();
    const { callerType, id } = answer.caller;
    response.end(`Hello ${callerType} ${id}\n`);
  } catch (error) {
    response.writeHead(500).end(`${(error as Error).message}\n`);
  }
}).listen(Number(PORT), '127.0.0.1');
