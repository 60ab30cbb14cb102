/** Interface 11: `User`, its listing and its filter, and what changes of users take and give. */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { ListedUser, UserFilter } from '../../admin/users.js';
import type { Role } from '../../domain/roles.js';
import { RoleEnum } from './caller.js';
import { countedConnectionType } from './connection.js';
import { GraphQLDateTime } from './scalars.js';

@ObjectType('User', { simpleResolvers: true, description: 'A person who may log in.' })
export class UserType implements ListedUser {
  @Field(() => ID, { description: 'A UUID; `sub` of access tokens.' }) id!: string;
  @Field(() => String, { description: 'In lower case; no two users share one.' }) email!: string;
  @Field(() => RoleEnum, { description: 'What the user may do.' }) role!: Role;
  @Field(() => Boolean, { description: 'False for a user who may not log in.' }) isActive!: boolean;
  @Field(() => Int, { description: 'Failed logins since the last good one.' }) failedLoginAttempts!: number;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'Until then every login is refused; null, or past, where none is for that reason.',
  })
  lockedUntil!: Date | null;
  @Field(() => GraphQLDateTime, { nullable: true, description: 'The last good login; null before the first.' })
  lastLoginAt!: Date | null;
  @Field(() => GraphQLDateTime, { description: 'When the user was made.' }) createdAt!: Date;
}

export const UserConnection = countedConnectionType('User', UserType, 'By e-mail.');

@InputType('UserFilter', { description: 'All that is given has to hold.' })
export class UserFilterInput implements UserFilter {
  @Field(() => String, { nullable: true, description: 'Part of the e-mail.' }) search?: string | null;
  @Field(() => RoleEnum, { nullable: true, description: 'Users of this role.' }) role?: Role | null;
  @Field(() => Boolean, { nullable: true, description: 'Active users, or deactivated ones.' }) isActive?:
    | boolean
    | null;
  @Field(() => Boolean, { nullable: true, description: 'Users locked by failed logins at present, or not.' })
  isLocked?: boolean | null;
}

const PASSWORD = 'At least 15 characters, at most 1,024 bytes.';

@InputType({ description: 'The user to make.' })
export class CreateUserInput {
  @Field(() => String, { description: 'An address of at most 254 ASCII characters.' }) email!: string;
  @Field(() => String, { description: PASSWORD }) password!: string;
  @Field(() => RoleEnum, { description: 'Only who holds every scope can make an `admin`.' }) role!: Role;
}

@InputType()
abstract class OfUserInput {
  @Field(() => ID, { description: 'The id of the user.' }) id!: string;
}

@InputType({ description: 'The user, and the role to be.' })
export class SetUserRoleInput extends OfUserInput {
  @Field(() => RoleEnum, { description: 'The role from now on.' }) role!: Role;
}

@InputType({ description: 'The user, and whether they may log in.' })
export class SetUserActiveInput extends OfUserInput {
  @Field(() => Boolean, { description: 'False ends every session of the user too.' }) isActive!: boolean;
}

@InputType({ description: 'The user, and the password to be.' })
export class SetUserPasswordInput extends OfUserInput {
  @Field(() => String, { description: PASSWORD }) password!: string;
}

@InputType({ description: 'The user to unlock.' })
export class UnlockUserInput extends OfUserInput {}

@InputType({ description: 'The user to delete.' })
export class DeleteUserInput extends OfUserInput {}

@ObjectType({ simpleResolvers: true })
abstract class OfUserPayload {
  @Field(() => UserType, { description: 'The user after the change.' }) user!: ListedUser;
}

@ObjectType({ simpleResolvers: true })
abstract class OfSessionsPayload extends OfUserPayload {
  @Field(() => Int, { description: 'Sessions that ended with it.' }) revokedSessionCount!: number;
}

@ObjectType({ simpleResolvers: true, description: 'The new user.' })
export class CreateUserPayload extends OfUserPayload {}

@ObjectType({ simpleResolvers: true, description: 'The changed user.' })
export class SetUserRolePayload extends OfUserPayload {}

@ObjectType({ simpleResolvers: true, description: 'The unlocked user.' })
export class UnlockUserPayload extends OfUserPayload {}

@ObjectType({ simpleResolvers: true, description: 'The changed user, and what ended.' })
export class SetUserActivePayload extends OfSessionsPayload {}

@ObjectType({ simpleResolvers: true, description: 'The changed user, and what ended.' })
export class SetUserPasswordPayload extends OfSessionsPayload {}

@ObjectType({ simpleResolvers: true, description: 'Who is no more.' })
export class DeleteUserPayload {
  @Field(() => ID, { description: 'The id that the user had.' }) deletedId!: string;
}
