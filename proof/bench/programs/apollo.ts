/** A bare Apollo field, asked as the gateway asks its own: raw bytes from Express, `executeHTTPGraphQLRequest`. */
import type { AddressInfo } from 'node:net';
import { ApolloServer, HeaderMap } from '@apollo/server';
import express from 'express';
import { doTasks } from './task.js';

const server = new ApolloServer({
  typeDefs: 'type Caller { callerType: String! } type Query { caller: Caller! }',
  resolvers: { Query: { caller: () => ({ callerType: 'user' }) } },
});
await server.start();

const app = express();
app.post('/graphql', express.raw({ type: () => true }), async (req, res) => {
  const sent = Object.entries(req.headers).map(([name, value]) => [name, String(value)] as const);
  const json: unknown = JSON.parse((req.body as Buffer).toString('utf8'));
  const { body, headers, status } = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: 'POST', headers: new HeaderMap(sent), search: '', body: json },
    context: async () => ({}),
  });
  if (body.kind !== 'complete') throw new Error('the schema has neither @defer nor @stream');
  res
    .status(status ?? 200)
    .setHeaders(headers)
    .send(body.string);
});
const listening = app.listen(0, '127.0.0.1', () =>
  doTasks(async () => undefined, (listening.address() as AddressInfo).port),
);
