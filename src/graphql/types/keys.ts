/** CONTRACT 11: API keys and cron keys. A secret stands only in what issues it. */
import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { type ListedApiKey, secretsLive } from '../../admin/api-keys.js';
import type { ListedCronKey } from '../../admin/cron-keys.js';
import { COST_OF_SCOPES } from '../limits.js';
import { connectionType } from './connection.js';

@ObjectType('CronKey', { simpleResolvers: true })
export class CronKeyType {
  @Field(() => ID) keyId!: string;
  @Field(() => String) serviceName!: string;
  @Field(() => [String], { complexity: COST_OF_SCOPES }) scopes!: string[];
  @Field(() => Boolean, { description: 'Not revoked.' }) active!: boolean;
  @Field(() => GraphQLDateTime) createdAt!: Date;
  @Field(() => GraphQLDateTime, { nullable: true, description: 'To the minute.' }) lastUsedAt!: Date | null;
}

@ObjectType('ApiKey', { simpleResolvers: true })
export class ApiKeyType extends CronKeyType {
  @Field(() => Int, { description: 'Requests per minute, over all instances.' }) rateLimit!: number;
  @Field(() => Int, { description: 'Two while a rotation overlaps, none once revoked.' }) secretsLive!: number;
}

export const CronKeyConnection = connectionType('CronKey', CronKeyType, 'Oldest first.');
export const ApiKeyConnection = connectionType('ApiKey', ApiKeyType, 'Oldest first.');

export function toCronKey({
  keyId,
  serviceName,
  scopes,
  createdAt,
  lastUsedAt,
  revokedAt,
}: ListedCronKey): CronKeyType {
  return { keyId, serviceName, scopes, active: revokedAt === null, createdAt, lastUsedAt };
}

export function toApiKey(key: ListedApiKey, now: Date): ApiKeyType {
  return { ...toCronKey(key), rateLimit: key.rateLimit, secretsLive: secretsLive(key, now) };
}

@ObjectType('IssuedApiKey', { simpleResolvers: true })
export class IssuedApiKeyType {
  @Field(() => ApiKeyType) key!: ApiKeyType;
  @Field(() => String, { description: 'Shown this once.' }) secret!: string;
}

@ObjectType('IssuedCronKey', { simpleResolvers: true })
export class IssuedCronKeyType {
  @Field(() => CronKeyType) key!: CronKeyType;
  @Field(() => String, { description: 'The whole value of X-Internal-Key, shown this once.' }) value!: string;
}
