/** Interface 11: `DateTime`, which says where it is specified. */
import { GraphQLScalarType } from 'graphql';
import { GraphQLDateTime as Unspecified } from 'graphql-scalars';

export const GraphQLDateTime = new GraphQLScalarType({
  ...Unspecified.toConfig(),
  description: 'An instant as RFC 3339 has it; answers are in UTC, such as `2007-12-03T10:15:30.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
});
