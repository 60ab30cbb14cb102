import { graphql } from 'react-relay';

export const query = graphql`
  query relayUsersQuery($first: Int!) {
    users(first: $first, filter: { isLocked: true }) {
      nodes {
        id
        email
      }
    }
  }
`;
