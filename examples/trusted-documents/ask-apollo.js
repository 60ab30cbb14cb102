/** Apollo Client: its link sends the id that the manifest has for the name of the operation. */
import { readFile } from 'node:fs/promises';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { generatePersistedQueryIdsFromManifest } from '@apollo/persisted-query-lists';

const manifest = JSON.parse(await readFile('apollo-manifest.json', 'utf8'));
const client = new ApolloClient({
  cache: new InMemoryCache(),
  link: ApolloLink.from([
    new PersistedQueryLink(generatePersistedQueryIdsFromManifest({ loadManifest: async () => manifest })),
    new HttpLink({
      uri: 'http://localhost:3000/graphql',
      headers: { authorization: `Bearer ${process.env.TOKEN}` },
    }),
  ]),
});
const query = gql(await readFile('queries.graphql', 'utf8'));
const { data } = await client.query({ query, variables: { first: 10 } });
process.stdout.write(`${data.users.nodes.length} locked users\n`);
