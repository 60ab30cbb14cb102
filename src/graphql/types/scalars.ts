/** Scalars, with the addresses of their specifications. (Interface 11) */
import { GraphQLScalarType } from 'graphql';
import { GraphQLISODateTime } from 'type-graphql';

export const GraphQLDateTime = new GraphQLScalarType({
  ...GraphQLISODateTime.toConfig(),
  name: 'DateTime',
  description: 'Date and time in RFC 3339 format. Responses use UTC, such as `2007-12-03T10:15:30.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
});

const ECMA_404 = 'http://www.ecma-international.org/publications/files/ECMA-ST/ECMA-404.pdf';

/** Of answers alone, which are sent as they are. */
export const GraphQLJSON = new GraphQLScalarType({
  name: 'JSON',
  description: `The \`JSON\` scalar type represents JSON values as specified by [ECMA-404](${ECMA_404}).`,
  specifiedByURL: ECMA_404,
});
