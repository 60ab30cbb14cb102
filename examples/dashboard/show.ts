/** Asks two queries of queries.graphql, by the types that are generated from them. */
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { LockedUsersDocument, WhoAmIDocument } from './generated.ts';

const client = new ApolloClient({
  link: new HttpLink({
    uri: 'http://localhost:3000/graphql',
    headers: { authorization: `Bearer ${process.env['TOKEN']}` },
  }),
  cache: new InMemoryCache({ possibleTypes: { Caller: ['UserCaller', 'ApiKeyCaller', 'CronCaller'] } }),
});

const { data: who } = await client.query({ query: WhoAmIDocument });
console.log(who?.caller);

const { data, error } = await client.query({ query: LockedUsersDocument, errorPolicy: 'all' });
console.log(error ?? data?.users?.nodes);
