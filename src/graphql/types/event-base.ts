/** Fields that audit events and session events share. (Interface 11) */
import { Field, ObjectType } from 'type-graphql';
import { COST_OF_USER_AGENT } from '../limits.js';
import { GraphQLDateTime } from './scalars.js';

@ObjectType({ simpleResolvers: true })
export abstract class EventBase {
  @Field(() => GraphQLDateTime, { description: 'When the event happened.' })
  createdAt!: Date;

  @Field(() => String, { description: 'IP address of the client, or `cli` for a change made on the command line.' })
  ipAddress!: string;

  @Field(() => String, {
    nullable: true,
    complexity: COST_OF_USER_AGENT,
    description: "First 512 characters of the client's User-Agent. Null for logouts, which do not record it.",
  })
  userAgent!: string | null;
}
