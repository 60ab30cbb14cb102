/** Resolvers of the running gateway. (Interface 11) */
import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver } from 'type-graphql';
import { keyringTimetable } from '../../admin/keyring.js';
import { clearLoginAddress, listLoginAddresses } from '../../admin/login-addresses.js';
import { GATEWAY_VERSION } from '../../platform/versions.js';
import { operatorOf, RequireScope, RequiresWhat } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { COST_OF_CHECKS, costOfAddresses } from '../limits.js';
import {
  ClearLoginAddressInput,
  ClearLoginAddressPayload,
  GatewayChecksType,
  GatewayType,
  LoginAddressesArgs,
  LoginAddressesType,
} from '../types/gateway.js';

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

  @RequireScope('audit:read')
  @FieldResolver(() => LoginAddressesType, {
    nullable: true,
    description: 'Addresses with counted logins, and which of them cannot log in now. Null if they could not be read.',
    complexity: costOfAddresses,
  })
  loginAddresses(
    @Ctx() { caller, concurrency, deps, isGone }: GraphqlContext,
    @Args(() => LoginAddressesArgs) { first }: LoginAddressesArgs,
  ): Promise<LoginAddressesType> {
    const read = () => listLoginAddresses(deps, first ?? undefined);
    return concurrency.ofCaller(caller, 'reads', isGone, () => concurrency.ofMuch(isGone, read));
  }

  @RequiresWhat(clearLoginAddress)
  @Mutation(() => ClearLoginAddressPayload, {
    nullable: true,
    description:
      'Clears the login counts of an address, for IPv6 of its /64 and /48, so that it can log in again, within a second. Locks of ' +
      'accounts stay.',
  })
  async clearLoginAddress(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => ClearLoginAddressInput, { description: 'The address whose counts to clear.' })
    { ipAddress }: ClearLoginAddressInput,
  ): Promise<ClearLoginAddressPayload> {
    return { clearedCount: await clearLoginAddress(context.deps, operatorOf(context), ipAddress) };
  }
}
