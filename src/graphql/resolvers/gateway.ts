/** Resolvers of the running gateway. (Interface 11) */
import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver } from 'type-graphql';
import { keyringTimetable } from '../../admin/keyring.js';
import { clearLoginAddress, listLoginAddresses } from '../../admin/login-addresses.js';
import { TESTS_MAIL } from '../../mail/mail.js';
import { GATEWAY_VERSION } from '../../platform/versions.js';
import { operatorOf, RequireScope, RequiresWhat, userOf } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { COST_OF_CHECKS, COST_OF_MAIL, costOfAddresses } from '../limits.js';
import {
  ClearLoginAddressInput,
  ClearLoginAddressPayload,
  GatewayChecksType,
  GatewayMailType,
  GatewayType,
  LoginAddressesArgs,
  LoginAddressesType,
  TestMailPayload,
} from '../types/gateway.js';

/** For a test mail: milliseconds. GraphQL answers within 5 s. */
const TEST_MS = 3_500;

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

  @FieldResolver(() => GatewayMailType, {
    nullable: true,
    description: 'Mail that waits, and the last attempt. Null if mail is off.',
    complexity: COST_OF_MAIL,
  })
  async mail(@Ctx() { caller, concurrency, deps, isGone }: GraphqlContext): Promise<GatewayMailType | null> {
    if (deps.config.mail.kind === 'off') return null;
    const { readMailState } = await import('../../mail/mail-state.js');
    return concurrency.ofCaller(caller, 'reads', isGone, () => readMailState(deps));
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

  @RequiresWhat({ needs: TESTS_MAIL })
  @Mutation(() => TestMailPayload, {
    nullable: true,
    description:
      'Mails the caller a test, and waits for the answer of the mail server. Only for callers of type `user`; at most five an hour. Refused with `mail_off` if ' +
      'mail is off. It does not count as the last attempt.',
  })
  async testMail(@Ctx() context: GraphqlContext): Promise<TestMailPayload> {
    const { deps, caller } = context;
    const { sub } = userOf(caller);
    const { testMail } = await import('../../mail/test-mail.js');
    const { delivery, milliseconds } = await testMail(deps, operatorOf(context), sub, deps.print, TEST_MS);
    const { outcome, status = null } = delivery;
    return { outcome, status, milliseconds };
  }
}
