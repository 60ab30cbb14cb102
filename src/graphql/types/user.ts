/** The type `User`, its listing and filter, and the inputs and payloads of its mutations. (Interface 11) */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { ListedUser, UserFilter, UserOrder } from '../../admin/users.js';
import type { LinkPurpose } from '../../domain/link-purpose.js';
import type { Role } from '../../domain/roles.js';
import { RoleEnum } from './caller.js';
import { countedConnectionType, orderedPageArgs } from './connection.js';
import { GraphQLDateTime } from './scalars.js';
import { spelledEnum } from './spelled-enum.js';

@ObjectType('User', { simpleResolvers: true, description: 'A user account.' })
export class UserType implements ListedUser {
  @Field(() => ID, { description: 'User id, a UUID: `sub` in access tokens.' }) id!: string;
  @Field(() => String, { description: 'Email address in lower case, unique among users.' }) email!: string;
  @Field(() => RoleEnum, { description: 'Role of the user.' }) role!: Role;
  @Field(() => Boolean, { description: 'Whether the user may log in.' }) isActive!: boolean;
  @Field(() => Boolean, {
    description: 'Whether the user has a password. A user without one sets it by a link of `issuePasswordLink`.',
  })
  hasPassword!: boolean;
  @Field(() => Int, { description: 'Number of failed logins since the last successful one.' })
  failedLoginAttempts!: number;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the lock after failed logins ends. Null, or in the past, if the account is not locked.',
  })
  lockedUntil!: Date | null;
  @Field(() => Boolean, { description: 'Whether the account is locked now, as the filter `isLocked` decides it.' })
  isLocked!: boolean;
  @Field(() => GraphQLDateTime, { nullable: true, description: 'When the user last logged in. Null if never.' })
  lastLoginAt!: Date | null;
  @Field(() => GraphQLDateTime, { description: 'When the user was created.' }) createdAt!: Date;
}

export const UserConnection = countedConnectionType('User', UserType, 'In the requested order.');

export const UserOrderEnum = spelledEnum<UserOrder>('UserOrder', 'Order of users.', {
  email: 'By email, alphabetically.',
  created_at: 'By creation, newest first.',
  last_login_at:
    'By last login, most recent first; users who have never logged in come last. Each page reads all users.',
});

export const UserPageArgs = orderedPageArgs<UserOrder>('User', {
  email: 'Email address.',
  created_at: 'When the user was created.',
  last_login_at: 'When the user last logged in. Each page reads all users.',
});

@InputType('UserFilter', { description: 'Filters users. A user must match all given fields.' })
export class UserFilterInput implements UserFilter {
  @Field(() => [ID], {
    nullable: true,
    description: 'Only users with one of these ids, at most 100. An empty list matches nothing.',
  })
  ids?: string[] | null;
  @Field(() => String, { nullable: true, description: 'Part of the email address.' }) search?: string | null;
  @Field(() => RoleEnum, { nullable: true, description: 'Only users with this role.' }) role?: Role | null;
  @Field(() => Boolean, { nullable: true, description: 'Only active users if true, only deactivated ones if false.' })
  isActive?: boolean | null;
  @Field(() => Boolean, {
    nullable: true,
    description: 'Only users locked after failed logins if true, only others if false.',
  })
  isLocked?: boolean | null;
  @Field(() => Boolean, {
    nullable: true,
    description: 'Only users with a password if true, only those without if false.',
  })
  hasPassword?: boolean | null;
}

const PASSWORD = 'The password: at least 15 characters, at most 1,024 bytes, and none that is easy to guess.';

@InputType({ description: 'The user to create.' })
export class CreateUserInput {
  @Field(() => String, { description: 'Email address, at most 254 ASCII characters.' }) email!: string;
  @Field(() => String, {
    nullable: true,
    description: `${PASSWORD} Omit it to invite the user: they choose it by a link of \`issuePasswordLink\`.`,
  })
  password?: string | null;
  @Field(() => RoleEnum, { description: 'Role of the user. Only a caller who holds all scopes can create an `admin`.' })
  role!: Role;
}

@InputType()
abstract class OfUserInput {
  @Field(() => ID, { description: 'User id.' }) id!: string;
}

@InputType({ description: 'The user and the new role.' })
export class SetUserRoleInput extends OfUserInput {
  @Field(() => RoleEnum, { description: 'The new role.' }) role!: Role;
}

@InputType({ description: 'The user and the new email.' })
export class SetUserEmailInput extends OfUserInput {
  @Field(() => String, { description: 'The new email address.' }) email!: string;
}

@InputType({ description: 'The user and whether they may log in.' })
export class SetUserActiveInput extends OfUserInput {
  @Field(() => Boolean, { description: 'Whether the user may log in. False also ends all sessions of the user.' })
  isActive!: boolean;
}

@InputType({ description: 'The user and the new password.' })
export class SetUserPasswordInput extends OfUserInput {
  @Field(() => String, { description: PASSWORD }) password!: string;
}

export const LinkPurposeEnum = spelledEnum<LinkPurpose>('LinkPurpose', 'What a password link is for.', {
  invitation: 'A new user sets their first password.',
  reset: 'A user has forgotten their password.',
});

@InputType({ description: 'The user who gets a link, and what it is for.' })
export class IssuePasswordLinkInput {
  @Field(() => ID, { description: 'User id.' }) userId!: string;
  @Field(() => LinkPurposeEnum, { description: 'Sets how long the link is valid.' }) purpose!: LinkPurpose;
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Mail the link to the user instead of returning it. Refused with `mail_off` if mail is off.',
  })
  deliver!: boolean | null;
}

@ObjectType({ simpleResolvers: true, description: 'A link by which the user sets a password, once.' })
export class IssuePasswordLinkPayload {
  @Field(() => String, {
    nullable: true,
    description: 'The link. It will not be shown again: send it to the user. Null if it is mailed.',
  })
  link!: string | null;
  @Field(() => GraphQLDateTime, { description: 'When the link expires.' }) expiresAt!: Date;
}

@InputType({ description: 'The user to unlock.' })
export class UnlockUserInput extends OfUserInput {}

@InputType({ description: 'The user to delete.' })
export class DeleteUserInput extends OfUserInput {}

@InputType({ description: 'The user to erase, who may be deleted already.' })
export class EraseUserInput extends OfUserInput {}

@ObjectType({ simpleResolvers: true })
abstract class OfUserPayload {
  @Field(() => UserType, { description: 'The user after the change.' }) user!: UserType;
}

@ObjectType({ simpleResolvers: true })
export abstract class OfSessionsPayload extends OfUserPayload {
  @Field(() => Int, { description: 'Number of sessions ended.' }) revokedSessionCount!: number;
}

@ObjectType({ simpleResolvers: true, description: 'The new user.' })
export class CreateUserPayload extends OfUserPayload {}

@ObjectType({ simpleResolvers: true, description: 'The changed user.' })
export class SetUserRolePayload extends OfUserPayload {}

@ObjectType({ simpleResolvers: true, description: 'The changed user.' })
export class SetUserEmailPayload extends OfUserPayload {}

@ObjectType({ simpleResolvers: true, description: 'The unlocked user.' })
export class UnlockUserPayload extends OfUserPayload {}

@ObjectType({ simpleResolvers: true, description: 'The changed user and the number of sessions ended.' })
export class SetUserActivePayload extends OfSessionsPayload {}

@ObjectType({ simpleResolvers: true, description: 'The changed user and the number of sessions ended.' })
export class SetUserPasswordPayload extends OfSessionsPayload {}

@ObjectType({ simpleResolvers: true, description: 'The deleted user.' })
export class DeleteUserPayload {
  @Field(() => ID, { description: 'Id of the deleted user.' }) deletedId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The erased user.' })
export class EraseUserPayload {
  @Field(() => ID, { description: 'Id of the erased user.' }) erasedId!: string;
  @Field(() => String, { description: 'Pseudonym that replaces what names the user, the same everywhere.' })
  pseudonym!: string;
  @Field(() => Int, { description: 'Number of audit events that were changed.' }) changedEventCount!: number;
}
