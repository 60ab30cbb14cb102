/** The type `Device`. (Interface 16) */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Device } from '../../admin/devices.js';
import { COST_OF_USER_AGENT } from '../limits.js';
import { GraphQLDateTime } from './scalars.js';

@ObjectType('Device', {
  simpleResolvers: true,
  description: 'A browser from which a user has logged in. Its failed logins lock the device, and not the account.',
})
export class DeviceType implements Omit<Device, 'userId'> {
  @Field(() => ID, { description: 'Device id, a UUID.' }) id!: string;
  @Field(() => String, {
    complexity: COST_OF_USER_AGENT,
    description: 'First 512 characters of the User-Agent at the last login. Empty if none was sent.',
  })
  userAgent!: string;
  @Field(() => Int, { description: 'Number of failed logins on this device since the last successful one.' })
  failedLoginAttempts!: number;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the lock of the device ends. Null, or in the past, if it is not locked.',
  })
  lockedUntil!: Date | null;
  @Field(() => GraphQLDateTime, { description: 'When the user first logged in on the device.' }) createdAt!: Date;
  @Field(() => GraphQLDateTime, { description: 'When the user last logged in on the device.' }) lastUsedAt!: Date;
}

@InputType({ description: 'The device to forget.' })
export class ForgetDeviceInput {
  @Field(() => ID, { description: 'Device id.' }) id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The device that was forgotten.' })
export class ForgetDevicePayload {
  @Field(() => ID, { description: 'Id of the device.' }) forgottenId!: string;
}
