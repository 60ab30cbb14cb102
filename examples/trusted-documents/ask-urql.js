/** urql: an exchange leaves of each document the id that GraphQL Code Generator has written next to it. */
import { Client, fetchExchange, makeOperation, mapExchange } from '@urql/core';
import { LockedUsersDocument } from './generated/graphql.ts';

const byId = mapExchange({
  onOperation: (operation) => {
    const { documentId } = operation.query.__meta__;
    const query = { kind: 'Document', definitions: [], documentId };
    return makeOperation(operation.kind, { ...operation, query });
  },
});
const client = new Client({
  url: 'http://localhost:3000/graphql',
  exchanges: [byId, fetchExchange],
  fetchOptions: { headers: { authorization: `Bearer ${process.env.TOKEN}` } },
  preferGetMethod: false,
});
const { data, error } = await client.query(LockedUsersDocument, { first: 10 });
if (error) throw error;
process.stdout.write(`${data.users.nodes.length} locked users\n`);
