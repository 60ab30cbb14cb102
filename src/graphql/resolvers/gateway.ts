/** Resolvers of the running gateway. (Interface 11) */
import { Ctx, FieldResolver, Query, Resolver } from 'type-graphql';
import { keyringTimetable } from '../../admin/keyring.js';
import { GATEWAY_VERSION } from '../../platform/versions.js';
import { RequireScope } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { COST_OF_CHECKS } from '../limits.js';
import { GatewayChecksType, GatewayType } from '../types/gateway.js';

@Resolver(() => GatewayType)
export class GatewayResolver {
  @RequireScope('gateway:read')
  @Query(() => GatewayType, {
    nullable: true,
    description: 'The running gateway: its version, what is on, its keyring, and what `doctor` finds.',
  })
  gateway(@Ctx() { deps }: GraphqlContext): GatewayType {
    const { config, startedAt } = deps;
    const { isDevelopment, knownDevices, mail, publicUrl, webhookHosts } = config;
    return {
      version: GATEWAY_VERSION,
      nodeVersion: process.versions.node,
      startedAt,
      publicUrl,
      isDevelopment,
      areWebhooksOn: webhookHosts !== undefined,
      isMailOn: mail.kind !== 'off',
      areKnownDevicesOn: knownDevices,
      keys: keyringTimetable(deps),
      settings: config.settings,
    };
  }

  @FieldResolver(() => GatewayChecksType, {
    nullable: true,
    description:
      'What `doctor` finds, as the gateway itself sees it. Null while the first examination takes longer than 3.5 seconds: ask ' +
      'again in a few seconds. If a later one takes as long, the findings of the previous one. Null too if it failed; see `errors`.',
    complexity: COST_OF_CHECKS,
  })
  async checks(@Ctx() { deps }: GraphqlContext): Promise<GatewayChecksType | null> {
    return (await deps.latestChecks()) ?? null;
  }
}
