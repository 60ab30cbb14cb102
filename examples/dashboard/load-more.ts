/** "Load more": each page of users is added to those before it. */
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';

const client = new ApolloClient({
  cache: new InMemoryCache({
    typePolicies: { Query: { fields: { users: relayStylePagination(['filter', 'orderBy']) } } },
  }),
  link: new HttpLink({
    uri: 'http://localhost:3000/graphql',
    headers: { authorization: `Bearer ${process.env['TOKEN']}` },
  }),
});

interface Page {
  users: {
    edges: Array<{ cursor: string; node: { id: string; email: string } }>;
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
    totalCount: { count: number; precision: string };
  };
}

const users = client.watchQuery<Page, { after?: string | null }>({
  query: gql`
    query Users($after: String) {
      users(first: 5, after: $after, orderBy: created_at) {
        edges { cursor node { id email } }
        pageInfo { hasNextPage endCursor }
        totalCount { count precision }
      }
    }
  `,
});
users.subscribe(({ data, dataState }) => {
  if (dataState !== 'complete') return;
  const { edges, totalCount } = data.users;
  console.log(`${edges.length} of ${totalCount.precision === 'exact' ? '' : 'at least '}${totalCount.count}`);
});

/** Behind the button "Load more" */
async function loadMore(after?: string | null): Promise<void> {
  const { data } = await users.fetchMore({ variables: { after } });
  const { hasNextPage, endCursor } = data?.users.pageInfo ?? {};
  if (hasNextPage) await loadMore(endCursor); // a page would wait for the next press
}
await loadMore();
