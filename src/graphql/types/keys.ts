/** CONTRACT 11: API keys and cron keys. A secret stands only in what issues it. */
import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType('CronKey')
export class CronKeyType {
  @Field(() => ID)
  keyId!: string;

  @Field(() => String)
  serviceName!: string;

  @Field(() => [String])
  scopes!: string[];

  @Field(() => Boolean, { description: 'Not revoked.' })
  active!: boolean;

  @Field(() => GraphQLDateTime)
  createdAt!: Date;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'To the minute.' })
  lastUsedAt!: Date | null;
}

@ObjectType('ApiKey')
export class ApiKeyType extends CronKeyType {
  @Field(() => Int, { description: 'Requests per minute, over all instances.' })
  rateLimit!: number;

  @Field(() => Int, { description: 'Two while a rotation overlaps, none once revoked.' })
  secretsLive!: number;
}

@ObjectType('IssuedApiKey')
export class IssuedApiKeyType {
  @Field(() => ApiKeyType)
  key!: ApiKeyType;

  @Field(() => String, { description: 'Shown this once.' })
  secret!: string;
}

@ObjectType('IssuedCronKey')
export class IssuedCronKeyType {
  @Field(() => CronKeyType)
  key!: CronKeyType;

  @Field(() => String, { description: 'The whole value of X-Internal-Key, shown this once.' })
  value!: string;
}
