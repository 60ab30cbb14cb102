/** Interface 11: what an event of the audit log and one of a session both tell. */
import { Field, ObjectType } from 'type-graphql';
import { COST_OF_USER_AGENT } from '../limits.js';
import { GraphQLDateTime } from './scalars.js';

@ObjectType({ simpleResolvers: true })
export abstract class EventBase {
  @Field(() => GraphQLDateTime, { description: 'When it happened.' })
  createdAt!: Date;

  @Field(() => String, { description: 'The address of the client, or `cli` for a change by the command line.' })
  ipAddress!: string;

  @Field(() => String, {
    nullable: true,
    complexity: COST_OF_USER_AGENT,
    description: 'The User-Agent of the client, its first 512 characters. Null for a logout, which does not record it.',
  })
  userAgent!: string | null;
}
