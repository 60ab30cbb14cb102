/** Who is logged in, and what asks the gateway for them. */
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { createAuthClient } from '@auth-gateway/client/browser';

export const auth = createAuthClient({ url: '/' });

export const apollo = new ApolloClient({
  link: new HttpLink({ uri: '/graphql', fetch: auth.fetch }), // which adds the token and refreshes it
  cache: new InMemoryCache({
    // "Load more" adds a page to the others of this filter and order
    typePolicies: { Query: { fields: { users: relayStylePagination(['filter', 'order']) } } },
  }),
});

auth.on('signed-out', () => void apollo.clearStore()); // the next user may be allowed less
