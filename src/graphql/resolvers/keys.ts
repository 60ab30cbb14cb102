/** Resolvers of API keys and cron keys. (Interface 11) */
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { countApiKeys, createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../admin/api-keys.js';
import { countCronKeys, createCronKey, listCronKeys, revokeCronKey, rotateCronKey } from '../../admin/cron-keys.js';
import type { KeyOrder } from '../../admin/key-fields.js';
import type { OrderedPageRequest } from '../../listing/keyset.js';
import { operatorOf, RequireScope, RequiresWhat } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfPage } from '../limits.js';
import { type CountedConnection, toConnection } from '../types/connection.js';
import {
  ApiKeyConnection,
  ApiKeyFilterInput,
  type ApiKeyType,
  CreateApiKeyInput,
  CreateApiKeyPayload,
  CreateCronKeyInput,
  CreateCronKeyPayload,
  CronKeyConnection,
  CronKeyFilterInput,
  type CronKeyType,
  KeyPageArgs,
  RevokeApiKeyInput,
  RevokeApiKeyPayload,
  RevokeCronKeyInput,
  RevokeCronKeyPayload,
  RotateApiKeyInput,
  RotateApiKeyPayload,
  RotateCronKeyInput,
  RotateCronKeyPayload,
  rotationOf,
  toApiKey,
  toCronKey,
} from '../types/keys.js';

@Resolver()
export class ApiKeyResolver {
  @RequireScope('keys:read')
  @Query(() => ApiKeyConnection, {
    nullable: true,
    description: 'API keys, including revoked ones, oldest first unless `order` says otherwise.',
    complexity: costOfPage,
  })
  async apiKeys(
    @Ctx() { deps }: GraphqlContext,
    @Args(() => KeyPageArgs) page: OrderedPageRequest<KeyOrder>,
    @Arg('filter', () => ApiKeyFilterInput, { nullable: true, description: 'Filters the keys. Omit it for all keys.' })
    filter: ApiKeyFilterInput | undefined,
  ): Promise<CountedConnection<ApiKeyType>> {
    const now = deps.clock.now();
    const keys = await listApiKeys(deps, filter ?? {}, page);
    const connection = toConnection(keys, (key) => toApiKey(key, now));
    return { ...connection, countAll: () => countApiKeys(deps, filter ?? {}) };
  }

  @RequiresWhat(createApiKey)
  @Mutation(() => CreateApiKeyPayload, { nullable: true, description: 'Creates an API key.' })
  async createApiKey(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => CreateApiKeyInput, { description: 'The key to create.' }) input: CreateApiKeyInput,
  ): Promise<CreateApiKeyPayload> {
    const { deps } = context;
    const { key, secret } = await createApiKey(deps, operatorOf(context), input);
    return { apiKey: toApiKey(key, deps.clock.now()), secret };
  }

  @RequiresWhat(rotateApiKey)
  @Mutation(() => RotateApiKeyPayload, {
    nullable: true,
    description:
      'Gives an API key a new secret. The caller must hold every scope of the key. Refused with `two_secrets_live` if two secrets are valid, unless `force` is true or `overlapSeconds` is 0.',
  })
  async rotateApiKey(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => RotateApiKeyInput, { description: 'The key to rotate, and how.' }) input: RotateApiKeyInput,
  ): Promise<RotateApiKeyPayload> {
    const { deps } = context;
    const { key, secret } = await rotateApiKey(deps, operatorOf(context), input.id, rotationOf(input));
    return { apiKey: toApiKey(key, deps.clock.now()), secret };
  }

  @RequiresWhat(revokeApiKey)
  @Mutation(() => RevokeApiKeyPayload, {
    nullable: true,
    description: 'Revokes an API key immediately, on all instances.',
  })
  async revokeApiKey(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => RevokeApiKeyInput, { description: 'The key to revoke.' }) { id }: RevokeApiKeyInput,
  ): Promise<RevokeApiKeyPayload> {
    const { deps } = context;
    return { apiKey: toApiKey(await revokeApiKey(deps, operatorOf(context), id), deps.clock.now()) };
  }
}

@Resolver()
export class CronKeyResolver {
  @RequireScope('keys:read')
  @Query(() => CronKeyConnection, {
    nullable: true,
    description: 'Cron keys, including revoked ones, oldest first unless `order` says otherwise.',
    complexity: costOfPage,
  })
  async cronKeys(
    @Ctx() { deps }: GraphqlContext,
    @Args(() => KeyPageArgs) page: OrderedPageRequest<KeyOrder>,
    @Arg('filter', () => CronKeyFilterInput, { nullable: true, description: 'Filters the keys. Omit it for all keys.' })
    filter: CronKeyFilterInput | undefined,
  ): Promise<CountedConnection<CronKeyType>> {
    const now = deps.clock.now();
    const keys = await listCronKeys(deps, filter ?? {}, page);
    const connection = toConnection(keys, (key) => toCronKey(key, now));
    return { ...connection, countAll: () => countCronKeys(deps, filter ?? {}) };
  }

  @RequiresWhat(createCronKey)
  @Mutation(() => CreateCronKeyPayload, { nullable: true, description: 'Creates a cron key.' })
  async createCronKey(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => CreateCronKeyInput, { description: 'The key to create.' }) input: CreateCronKeyInput,
  ): Promise<CreateCronKeyPayload> {
    const { deps } = context;
    const { key, headerValue } = await createCronKey(deps, operatorOf(context), input);
    return { cronKey: toCronKey(key, deps.clock.now()), headerValue };
  }

  @RequiresWhat(rotateCronKey)
  @Mutation(() => RotateCronKeyPayload, {
    nullable: true,
    description:
      'Gives a cron key a new secret. The caller must hold every scope of the key. Refused with `two_secrets_live` if two secrets are valid, unless `force` is true or `overlapSeconds` is 0.',
  })
  async rotateCronKey(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => RotateCronKeyInput, { description: 'The key to rotate, and how.' }) input: RotateCronKeyInput,
  ): Promise<RotateCronKeyPayload> {
    const { deps } = context;
    const { key, headerValue } = await rotateCronKey(deps, operatorOf(context), input.id, rotationOf(input));
    return { cronKey: toCronKey(key, deps.clock.now()), headerValue };
  }

  @RequiresWhat(revokeCronKey)
  @Mutation(() => RevokeCronKeyPayload, {
    nullable: true,
    description: 'Revokes a cron key immediately, on all instances.',
  })
  async revokeCronKey(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => RevokeCronKeyInput, { description: 'The key to revoke.' }) { id }: RevokeCronKeyInput,
  ): Promise<RevokeCronKeyPayload> {
    const { deps } = context;
    return { cronKey: toCronKey(await revokeCronKey(deps, operatorOf(context), id), deps.clock.now()) };
  }
}
