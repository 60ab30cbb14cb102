/** Webhooks by GraphQL, since the command line takes a second for each, and receivers in this process that answer as told. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, login } from './browser.js';
import { type Gateways, PASSWORD } from './gateways.js';
import type { Lab } from './lab.js';

const CREATE = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';

/** @returns what creates webhooks for failed logins, at these URLs */
export async function creatorOfWebhooks({ cli }: Gateways, url: string): Promise<(targets: string[]) => Promise<void>> {
  const email = 'administrator@example.com';
  await cli('user', 'create', email, '--role', 'admin', '--password-stdin');
  const { body } = await login(url, email, PASSWORD);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${body['access_token']}` };
  return async (targets) => {
    for (const target of targets) {
      const variables = { input: { url: target, eventTypes: ['login_failure'] } };
      const answer = await ask(url, '/graphql', { headers, body: JSON.stringify({ query: CREATE, variables }) });
      if ('errors' in answer.body) throw new Error(`no webhook: ${JSON.stringify(answer.body['errors'])}`);
    }
  };
}

/** Writes an event that those webhooks want. */
export async function failLogin(url: string): Promise<void> {
  await login(url, 'nobody@example.com', 'wrong');
}

export interface Offer {
  /** `webhook-id`, the id of the event */
  event: string;
  /** As of `performance.now()` */
  atMs: number;
}

export interface Receiver {
  authority: string;
  /** Every request, in order */
  offers: Offer[];
}

/** @param afterMs milliseconds until it answers; Infinity: never */
export async function startReceiver(lab: Lab, afterMs: number, status: number): Promise<Receiver> {
  const offers: Offer[] = [];
  const server = createServer(async (req, res) => {
    offers.push({ event: String(req.headers['webhook-id']), atMs: performance.now() });
    req.resume();
    if (afterMs === Number.POSITIVE_INFINITY) return;
    await sleep(afterMs);
    res.writeHead(status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  lab.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { authority: `127.0.0.1:${(server.address() as AddressInfo).port}`, offers };
}
