/** Resolvers of known devices. (Interface 16) */
import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { forgetDevice } from '../../admin/devices.js';
import { asUser } from '../../callers/caller.js';
import { operatorOf, RequireScopeUnlessOwn, RequiresWhat } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfDevices } from '../limits.js';
import { DeviceType, ForgetDeviceInput, ForgetDevicePayload } from '../types/device.js';
import { UserType } from '../types/user.js';

@Resolver(() => UserType)
export class DeviceResolver {
  @RequireScopeUnlessOwn<UserType>('users:read', ({ id }) => id)
  @FieldResolver(() => [DeviceType], {
    description:
      'Known devices of the user, most recently used first, at most 20. Strangers who lock the account do not lock them. ' +
      'They count only if the gateway has `KNOWN_DEVICES=on`.',
    complexity: costOfDevices,
  })
  devices(@Root() { id }: UserType, @Ctx() { devicesOf }: GraphqlContext): Promise<DeviceType[]> {
    return devicesOf(id);
  }

  @RequiresWhat(forgetDevice)
  @Mutation(() => ForgetDevicePayload, {
    nullable: true,
    description: 'Forgets a known device: its next login is that of a stranger. Sessions stay.',
  })
  async forgetDevice(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => ForgetDeviceInput, { description: 'The device to forget.' }) { id }: ForgetDeviceInput,
  ): Promise<ForgetDevicePayload> {
    const { caller, deps } = context;
    return { forgottenId: await forgetDevice(deps, operatorOf(context), asUser(caller)?.sub, id) };
  }
}
