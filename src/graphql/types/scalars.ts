/** The type `DateTime`, with the address of its specification. (Interface 11) */
import { GraphQLScalarType } from 'graphql';
import { GraphQLDateTime as Unspecified } from 'graphql-scalars';

export const GraphQLDateTime = new GraphQLScalarType({
  ...Unspecified.toConfig(),
  description: 'Date and time in RFC 3339 format. Responses use UTC, such as `2007-12-03T10:15:30.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
});
