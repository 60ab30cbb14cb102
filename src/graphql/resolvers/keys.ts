/** CONTRACT 11: API keys and cron keys. */
import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { createApiKey, listApiKeys, OVERLAP_SECONDS, revokeApiKey, rotateApiKey } from '../../admin/api-keys.js';
import { createCronKey, listCronKeys, revokeCronKey } from '../../admin/cron-keys.js';
import { operatorOf, RequireScope, RequiresWhat } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfPage } from '../limits.js';
import { type Connection, PageArgs, toConnection } from '../types/connection.js';
import {
  ApiKeyConnection,
  ApiKeyType,
  CronKeyConnection,
  CronKeyType,
  IssuedApiKeyType,
  IssuedCronKeyType,
  toApiKey,
  toCronKey,
} from '../types/keys.js';

@Resolver()
export class ApiKeyResolver {
  @RequireScope('keys:read')
  @Query(() => ApiKeyConnection, { nullable: true, description: 'Oldest first.', complexity: costOfPage })
  async apiKeys(@Ctx() { deps }: GraphqlContext, @Args() { page }: PageArgs): Promise<Connection<ApiKeyType>> {
    const now = deps.clock.now();
    return toConnection(await listApiKeys(deps, page), page, (key) => toApiKey(key, now));
  }

  @RequiresWhat(createApiKey)
  @Mutation(() => IssuedApiKeyType, { description: 'The caller must hold every scope that is given.' })
  async createApiKey(
    @Ctx() context: GraphqlContext,
    @Arg('serviceName', () => String) serviceName: string,
    @Arg('scopes', () => [String]) scopes: string[],
    @Arg('rateLimit', () => Int) rateLimit: number,
  ): Promise<IssuedApiKeyType> {
    const { deps } = context;
    const { key, secret } = await createApiKey(deps, operatorOf(context), { serviceName, scopes, rateLimit });
    return { key: toApiKey(key, deps.clock.now()), secret };
  }

  @RequiresWhat(rotateApiKey)
  @Mutation(() => IssuedApiKeyType, { description: 'The caller must hold every scope of the key.' })
  async rotateApiKey(
    @Ctx() context: GraphqlContext,
    @Arg('keyId', () => ID) keyId: string,
    @Arg('overlapSeconds', () => Int, { nullable: true, defaultValue: OVERLAP_SECONDS }) overlapSeconds: number | null,
  ): Promise<IssuedApiKeyType> {
    const { deps } = context;
    const { key, secret } = await rotateApiKey(deps, operatorOf(context), keyId, overlapSeconds ?? OVERLAP_SECONDS);
    return { key: toApiKey(key, deps.clock.now()), secret };
  }

  @RequiresWhat(revokeApiKey)
  @Mutation(() => ApiKeyType)
  async revokeApiKey(@Ctx() context: GraphqlContext, @Arg('keyId', () => ID) keyId: string): Promise<ApiKeyType> {
    const { deps } = context;
    return toApiKey(await revokeApiKey(deps, operatorOf(context), keyId), deps.clock.now());
  }
}

@Resolver()
export class CronKeyResolver {
  @RequireScope('keys:read')
  @Query(() => CronKeyConnection, { nullable: true, description: 'Oldest first.', complexity: costOfPage })
  async cronKeys(@Ctx() { deps }: GraphqlContext, @Args() { page }: PageArgs): Promise<Connection<CronKeyType>> {
    return toConnection(await listCronKeys(deps, page), page, toCronKey);
  }

  @RequiresWhat(createCronKey)
  @Mutation(() => IssuedCronKeyType, { description: 'The caller must hold every scope that is given.' })
  async createCronKey(
    @Ctx() context: GraphqlContext,
    @Arg('serviceName', () => String) serviceName: string,
    @Arg('scopes', () => [String]) scopes: string[],
  ): Promise<IssuedCronKeyType> {
    const { key, value } = await createCronKey(context.deps, operatorOf(context), { serviceName, scopes });
    return { key: toCronKey(key), value };
  }

  @RequiresWhat(revokeCronKey)
  @Mutation(() => CronKeyType)
  async revokeCronKey(@Ctx() context: GraphqlContext, @Arg('keyId', () => ID) keyId: string): Promise<CronKeyType> {
    return toCronKey(await revokeCronKey(context.deps, operatorOf(context), keyId));
  }
}
