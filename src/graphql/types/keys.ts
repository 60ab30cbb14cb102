/** Interface 11: API keys and cron keys. A secret stands only in the payload of what issues it. */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { type ListedApiKey, liveSecretCount, OVERLAP_SECONDS, previousSecretEndsAt } from '../../admin/api-keys.js';
import type { ListedCronKey } from '../../admin/cron-keys.js';
import { COST_OF_SCOPES } from '../limits.js';
import { connectionType } from './connection.js';
import { GraphQLDateTime } from './scalars.js';

@ObjectType({ simpleResolvers: true })
abstract class KeyType {
  @Field(() => ID, { description: 'The key id, by which requests name the key.' }) id!: string;
  @Field(() => String, { description: 'The service that has the key.' }) serviceName!: string;
  @Field(() => [String], { complexity: COST_OF_SCOPES, description: 'What the key may do, as `resource:action`.' })
  scopes!: string[];
  @Field(() => GraphQLDateTime, { description: 'When it was made.' }) createdAt!: Date;
  @Field(() => GraphQLDateTime, { nullable: true, description: 'Last use, to the minute; null before the first.' })
  lastUsedAt!: Date | null;
  @Field(() => GraphQLDateTime, { nullable: true, description: 'From then on it is refused; null while it is good.' })
  revokedAt!: Date | null;
}

@ObjectType('CronKey', { simpleResolvers: true, description: 'The static key of a scheduled job.' })
export class CronKeyType extends KeyType {}

@ObjectType('ApiKey', { simpleResolvers: true, description: 'The key by which a service signs its requests.' })
export class ApiKeyType extends KeyType {
  @Field(() => Int, { description: 'Requests per minute, over all instances.' }) rateLimit!: number;
  @Field(() => Int, { description: 'Secrets that are good now: two while a rotation overlaps, none once revoked.' })
  liveSecretCount!: number;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description:
      'When the secret before the last rotation ends. Until then another rotation is refused, unless it is forced. Null if only one secret is good.',
  })
  previousSecretEndsAt!: Date | null;
}

export const CronKeyConnection = connectionType('CronKey', CronKeyType, 'Oldest first.');
export const ApiKeyConnection = connectionType('ApiKey', ApiKeyType, 'Oldest first.');

export function toCronKey(key: ListedCronKey): CronKeyType {
  const { keyId: id, serviceName, scopes, createdAt, lastUsedAt, revokedAt } = key;
  return { id, serviceName, scopes, createdAt, lastUsedAt, revokedAt };
}

export function toApiKey(key: ListedApiKey, now: Date): ApiKeyType {
  return {
    ...toCronKey(key),
    rateLimit: key.rateLimit,
    liveSecretCount: liveSecretCount(key, now),
    previousSecretEndsAt: previousSecretEndsAt(key, now),
  };
}

const SERVICE_NAME = '1 to 100 printable characters.';
const SCOPES =
  'At most 50 scopes `resource:action`; the caller must hold each. An administrator holds all, also those for other services.';

@InputType({ description: 'The key to make.' })
export class CreateCronKeyInput {
  @Field(() => String, { description: SERVICE_NAME }) serviceName!: string;
  @Field(() => [String], { description: SCOPES }) scopes!: string[];
}

@InputType({ description: 'The key to make.' })
export class CreateApiKeyInput extends CreateCronKeyInput {
  @Field(() => Int, { description: 'Requests per minute, 1 to 1,000,000.' }) rateLimit!: number;
}

@InputType({ description: 'The key that gets a second secret.' })
export class RotateApiKeyInput {
  @Field(() => ID, { description: 'The key id.' }) id!: string;
  @Field(() => Int, {
    nullable: true,
    defaultValue: OVERLAP_SECONDS,
    description:
      'How long the secret in use stays good: seconds, up to 2,592,000. With 0 (for a leak) every secret but the new one ends at once.',
  })
  overlapSeconds!: number | null;
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description:
      'Rotate also while two secrets are good: the older one ends at once, and a service that still uses it is cut off.',
  })
  force!: boolean | null;
}

@InputType({ description: 'The key to end.' })
export class RevokeApiKeyInput {
  @Field(() => ID, { description: 'The key id.' }) id!: string;
}

@InputType({ description: 'The key to end.' })
export class RevokeCronKeyInput {
  @Field(() => ID, { description: 'The key id.' }) id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The ended key.' })
export class RevokeApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key, revoked.' }) apiKey!: ApiKeyType;
}

@ObjectType({ simpleResolvers: true })
abstract class IssuedApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key.' }) apiKey!: ApiKeyType;
  @Field(() => String, { description: 'The secret, `aks_…`. Shown this once: it cannot be read again.' })
  secret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The new key and its secret.' })
export class CreateApiKeyPayload extends IssuedApiKeyPayload {}

@ObjectType({ simpleResolvers: true, description: 'The key and its new secret.' })
export class RotateApiKeyPayload extends IssuedApiKeyPayload {}

@ObjectType({ simpleResolvers: true, description: 'The ended key.' })
export class RevokeCronKeyPayload {
  @Field(() => CronKeyType, { description: 'The key, revoked.' }) cronKey!: CronKeyType;
}

@ObjectType({ simpleResolvers: true, description: 'The new key and what to send.' })
export class CreateCronKeyPayload {
  @Field(() => CronKeyType, { description: 'The key.' }) cronKey!: CronKeyType;
  @Field(() => String, {
    description: 'The whole value of `X-Internal-Key`. Shown this once: it cannot be read again.',
  })
  headerValue!: string;
}
