/** CONTRACT 11: API keys and cron keys. */
import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import {
  createApiKey,
  type IssuedApiKey,
  listApiKeys,
  OVERLAP_SECONDS,
  revokeApiKey,
  rotateApiKey,
  secretsLive,
} from '../../admin/api-keys.js';
import { createCronKey, type IssuedCronKey, listCronKeys, revokeCronKey } from '../../admin/cron-keys.js';
import type { ApiKey } from '../../db/entities/api-key.js';
import type { CronKey } from '../../db/entities/cron-key.js';
import { byCaller, Needs } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfList } from '../limits.js';
import { ApiKeyType, CronKeyType, IssuedApiKeyType, IssuedCronKeyType } from '../types/keys.js';

@Resolver(() => ApiKeyType)
export class ApiKeyResolver {
  @Needs('keys:read')
  @Query(() => [ApiKeyType], { description: 'Oldest first.', complexity: costOfList })
  apiKeys(@Ctx() { deps }: GraphqlContext): Promise<ApiKey[]> {
    return listApiKeys(deps);
  }

  @FieldResolver(() => Boolean)
  active(@Root() { revokedAt }: ApiKey): boolean {
    return revokedAt === null;
  }

  @FieldResolver(() => Int)
  secretsLive(@Root() key: ApiKey, @Ctx() { deps }: GraphqlContext): number {
    return secretsLive(key, deps.clock.now());
  }

  @Mutation(() => IssuedApiKeyType, { description: 'Needs keys:write and every scope that is given.' })
  createApiKey(
    @Ctx() context: GraphqlContext,
    @Arg('serviceName', () => String) serviceName: string,
    @Arg('scopes', () => [String]) scopes: string[],
    @Arg('rateLimit', () => Int) rateLimit: number,
  ): Promise<IssuedApiKey> {
    return createApiKey(context.deps, byCaller(context), { serviceName, scopes, rateLimit });
  }

  @Mutation(() => IssuedApiKeyType, { description: 'Needs keys:write and every scope of the key.' })
  rotateApiKey(
    @Ctx() context: GraphqlContext,
    @Arg('keyId', () => ID) keyId: string,
    @Arg('overlapSeconds', () => Int, { nullable: true, defaultValue: OVERLAP_SECONDS }) overlapSeconds: number | null,
  ): Promise<IssuedApiKey> {
    return rotateApiKey(context.deps, byCaller(context), keyId, overlapSeconds ?? OVERLAP_SECONDS);
  }

  @Mutation(() => ApiKeyType, { description: 'Needs keys:write.' })
  revokeApiKey(@Ctx() context: GraphqlContext, @Arg('keyId', () => ID) keyId: string): Promise<ApiKey> {
    return revokeApiKey(context.deps, byCaller(context), keyId);
  }
}

@Resolver(() => CronKeyType)
export class CronKeyResolver {
  @Needs('keys:read')
  @Query(() => [CronKeyType], { description: 'Oldest first.', complexity: costOfList })
  cronKeys(@Ctx() { deps }: GraphqlContext): Promise<CronKey[]> {
    return listCronKeys(deps);
  }

  @FieldResolver(() => Boolean)
  active(@Root() { revokedAt }: CronKey): boolean {
    return revokedAt === null;
  }

  @Mutation(() => IssuedCronKeyType, { description: 'Needs keys:write and every scope that is given.' })
  createCronKey(
    @Ctx() context: GraphqlContext,
    @Arg('serviceName', () => String) serviceName: string,
    @Arg('scopes', () => [String]) scopes: string[],
  ): Promise<IssuedCronKey> {
    return createCronKey(context.deps, byCaller(context), { serviceName, scopes });
  }

  @Mutation(() => CronKeyType, { description: 'Needs keys:write.' })
  revokeCronKey(@Ctx() context: GraphqlContext, @Arg('keyId', () => ID) keyId: string): Promise<CronKey> {
    return revokeCronKey(context.deps, byCaller(context), keyId);
  }
}
