/** The types of API keys and cron keys. Secrets are only in the payloads of the mutations that issue them. (Interface 11) */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { ListedApiKey } from '../../admin/api-keys.js';
import type { ListedCronKey } from '../../admin/cron-keys.js';
import {
  type KeyFilter,
  type KeyOrder,
  liveSecretCount,
  OVERLAP_SECONDS,
  previousSecretEndsAt,
  type Rotation,
} from '../../admin/key-fields.js';
import { COST_OF_SCOPES } from '../limits.js';
import { countedConnectionType, orderedPageArgs } from './connection.js';
import { GraphQLDateTime } from './scalars.js';

@ObjectType({ simpleResolvers: true })
abstract class KeyType {
  @Field(() => ID, { description: 'Key id, which requests send to identify the key.' }) id!: string;
  @Field(() => String, { description: 'Name of the service that uses the key.' }) serviceName!: string;
  @Field(() => [String], { complexity: COST_OF_SCOPES, description: 'What the key may do, as `resource:action`.' })
  scopes!: string[];
  @Field(() => GraphQLDateTime, { description: 'When the key was created.' }) createdAt!: Date;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the key was last used, to the minute. Null if it was never used.',
  })
  lastUsedAt!: Date | null;
  @Field(() => GraphQLDateTime, { nullable: true, description: 'When the key was revoked. Null if it was not.' })
  revokedAt!: Date | null;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the key expires: from then on it is refused as if it were revoked. Null if it does not expire.',
  })
  expiresAt!: Date | null;
  @Field(() => Int, {
    description:
      "Number of valid secrets: two during a rotation's overlap, zero after the key is revoked or has expired.",
  })
  liveSecretCount!: number;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description:
      'When the previous secret expires. Until then, another rotation is refused unless it is forced. Null if at most one secret is valid.',
  })
  previousSecretEndsAt!: Date | null;
}

@ObjectType('CronKey', { simpleResolvers: true, description: 'Static key of a scheduled job.' })
export class CronKeyType extends KeyType {}

@ObjectType('ApiKey', { simpleResolvers: true, description: 'Key with which a service signs its requests.' })
export class ApiKeyType extends KeyType {
  @Field(() => Int, { description: 'Maximum requests per minute, across all instances.' }) rateLimit!: number;
}

export const CronKeyConnection = countedConnectionType('CronKey', CronKeyType, 'In the requested order.');
export const ApiKeyConnection = countedConnectionType('ApiKey', ApiKeyType, 'In the requested order.');

export const KeyPageArgs = orderedPageArgs<KeyOrder>('Key', {
  created_at: 'When the key was created.',
  service_name: 'Name of the service that uses the key.',
  last_used_at: 'When the key was last used.',
});

@InputType({ description: 'Conditions shared by the filters of keys.' })
abstract class KeyFilterInput implements KeyFilter {
  @Field(() => [ID], {
    nullable: true,
    description: 'Only keys with one of these ids, at most 100. An empty list matches nothing.',
  })
  ids?: string[] | null;
  @Field(() => Boolean, {
    nullable: true,
    description: 'Only keys that work if true, only revoked and expired ones if false.',
  })
  live?: boolean | null;
  @Field(() => String, { nullable: true, description: 'Only keys of the service with exactly this name.' })
  serviceName?: string | null;
}

@InputType('ApiKeyFilter', { description: 'Filters API keys. A key must match all given fields.' })
export class ApiKeyFilterInput extends KeyFilterInput {}

@InputType('CronKeyFilter', { description: 'Filters cron keys. A key must match all given fields.' })
export class CronKeyFilterInput extends KeyFilterInput {}

export function rotationOf({ overlapSeconds, force, expiresAt }: RotateKeyInput): Rotation {
  return { overlapSeconds: overlapSeconds ?? OVERLAP_SECONDS, force: force ?? false, expiresAt: expiresAt ?? null };
}

export function toCronKey(key: ListedCronKey, now: Date): CronKeyType {
  const { keyId: id, serviceName, scopes, createdAt, lastUsedAt, revokedAt, expiresAt } = key;
  return {
    ...{ id, serviceName, scopes, createdAt, lastUsedAt, revokedAt, expiresAt },
    liveSecretCount: liveSecretCount(key, now),
    previousSecretEndsAt: previousSecretEndsAt(key, now),
  };
}

export function toApiKey(key: ListedApiKey, now: Date): ApiKeyType {
  return { ...toCronKey(key, now), rateLimit: key.rateLimit };
}

const SERVICE_NAME = 'Name of the service, 1 to 100 printable characters.';
const SCOPES =
  'Up to 50 scopes, as `resource:action`. The caller must hold every one of them. Administrators hold all scopes, including those of other services.';

@InputType({ description: 'The key to create.' })
export class CreateCronKeyInput {
  @Field(() => String, { description: SERVICE_NAME }) serviceName!: string;
  @Field(() => [String], { description: SCOPES }) scopes!: string[];
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description:
      'When the key expires: from then on it is refused as if it were revoked. Omit it for a key that does not.',
  })
  expiresAt?: Date | null;
}

@InputType({ description: 'The key to create.' })
export class CreateApiKeyInput extends CreateCronKeyInput {
  @Field(() => Int, { description: 'Maximum requests per minute, from 1 to 1,000,000.' }) rateLimit!: number;
}

@InputType({ description: 'The key to rotate, and how.' })
abstract class RotateKeyInput {
  @Field(() => ID, { description: 'Key id.' }) id!: string;
  @Field(() => Int, {
    nullable: true,
    defaultValue: OVERLAP_SECONDS,
    description:
      'Seconds for which the current secret stays valid, up to 2,592,000 (30 days). Use 0 after a leak: all old secrets stop working immediately.',
  })
  overlapSeconds!: number | null;
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description:
      'Rotate even if two secrets are valid. The older one stops working immediately, and a service that still uses it is locked out.',
  })
  force!: boolean | null;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the key expires from now on. Omit it to leave that as it is.',
  })
  expiresAt?: Date | null;
}

@InputType({ description: 'The key to rotate, and how.' })
export class RotateApiKeyInput extends RotateKeyInput {}

@InputType({ description: 'The key to rotate, and how.' })
export class RotateCronKeyInput extends RotateKeyInput {}

@InputType({ description: 'The key to revoke.' })
export class RevokeApiKeyInput {
  @Field(() => ID, { description: 'Key id.' }) id!: string;
}

@InputType({ description: 'The key to revoke.' })
export class RevokeCronKeyInput {
  @Field(() => ID, { description: 'Key id.' }) id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The revoked key.' })
export class RevokeApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The revoked key.' }) apiKey!: ApiKeyType;
}

@ObjectType({ simpleResolvers: true })
abstract class IssuedApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key.' }) apiKey!: ApiKeyType;
  @Field(() => String, { description: 'The secret, `aks_…`. Store it now: it will not be shown again.' })
  secret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The new key and its secret.' })
export class CreateApiKeyPayload extends IssuedApiKeyPayload {}

@ObjectType({ simpleResolvers: true, description: 'The key and its new secret.' })
export class RotateApiKeyPayload extends IssuedApiKeyPayload {}

@ObjectType({ simpleResolvers: true, description: 'The revoked key.' })
export class RevokeCronKeyPayload {
  @Field(() => CronKeyType, { description: 'The revoked key.' }) cronKey!: CronKeyType;
}

@ObjectType({ simpleResolvers: true })
abstract class IssuedCronKeyPayload {
  @Field(() => CronKeyType, { description: 'The key.' }) cronKey!: CronKeyType;
  @Field(() => String, {
    description: 'Complete value of the `X-Internal-Key` header. Store it now: it will not be shown again.',
  })
  headerValue!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The new key and its header value.' })
export class CreateCronKeyPayload extends IssuedCronKeyPayload {}

@ObjectType({ simpleResolvers: true, description: 'The key and its new header value.' })
export class RotateCronKeyPayload extends IssuedCronKeyPayload {}
