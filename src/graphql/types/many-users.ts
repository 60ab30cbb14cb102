/** Inputs and payloads of changes of many users. (Interface 11) */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { RefusedUser } from '../../admin/many-users.js';
import type { ImportFault } from '../../admin/user-import.js';
import type { LinkPurpose } from '../../domain/link-purpose.js';
import { GraphQLDateTime } from './scalars.js';
import { LinkPurposeEnum, UserType } from './user.js';

@InputType()
abstract class OfUsersInput {
  @Field(() => [ID], { description: 'User ids, at most 100.' }) ids!: string[];
}

@InputType({ description: 'Users, and whether they may log in.' })
export class SetUsersActiveInput extends OfUsersInput {
  @Field(() => Boolean, { description: 'Whether the users may log in. False also ends all their sessions.' })
  isActive!: boolean;
}

@InputType({ description: 'The users to unlock.' })
export class UnlockUsersInput extends OfUsersInput {}

@InputType({ description: 'The users whose sessions end.' })
export class RevokeSessionsOfUsersInput extends OfUsersInput {}

@InputType({ description: 'The users who get a link each, and what it is for.' })
export class IssuePasswordLinksInput extends OfUsersInput {
  @Field(() => LinkPurposeEnum, { description: 'Sets how long the links are valid.' }) purpose!: LinkPurpose;
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Mail each link to its user instead of returning it. Refused with `mail_off` if mail is off.',
  })
  deliver!: boolean | null;
}

@InputType({ description: 'Users of another system, or people to invite.' })
export class ImportUsersInput {
  @Field(() => [String], {
    description:
      'At most 100 texts, each a JSON object `{"email", "role"?, "password_hash"?, "is_active"?, "created_at"?}`, as the command ' +
      '`user import` reads them. Empty texts are ignored.',
  })
  lines!: string[];
  @Field(() => Boolean, { nullable: true, defaultValue: false, description: 'Only look for faults.' })
  dryRun!: boolean | null;
}

@ObjectType('RefusedUser', { simpleResolvers: true, description: 'A user who was not changed, and why.' })
export class RefusedUserType implements RefusedUser {
  @Field(() => ID, { description: 'The id, as it was sent, in lower case.' }) id!: string;
  @Field(() => String, { description: 'Reason, as in `extensions.reason` of an error.' })
  reason!: RefusedUser['reason'];
  @Field(() => String, { description: 'The reason as a sentence.' }) message!: string;
}

@ObjectType({ simpleResolvers: true })
abstract class SomeRefusedPayload {
  @Field(() => [RefusedUserType], { description: 'Users who were not changed.' }) refused!: RefusedUserType[];
}

@ObjectType({ simpleResolvers: true })
abstract class OfUsersPayload extends SomeRefusedPayload {
  @Field(() => [UserType], {
    description: 'The users after the change, in the order of the request; also those whom it did not have to change.',
  })
  users!: UserType[];
}

@ObjectType({ simpleResolvers: true, description: 'The changed users and the number of sessions ended.' })
export class SetUsersActivePayload extends OfUsersPayload {
  @Field(() => Int, { description: 'Number of sessions ended.' }) revokedSessionCount!: number;
}

@ObjectType({ simpleResolvers: true, description: 'The unlocked users.' })
export class UnlockUsersPayload extends OfUsersPayload {}

@ObjectType({ simpleResolvers: true, description: 'The number of sessions ended.' })
export class RevokeSessionsOfUsersPayload {
  @Field(() => Int, { description: 'Number of sessions ended.' }) revokedSessionCount!: number;
}

@ObjectType('UserLink', { simpleResolvers: true, description: 'A link by which a user sets a password, once.' })
export class UserLinkType {
  @Field(() => ID, { description: 'User id.' }) userId!: string;
  @Field(() => String, { nullable: true, description: 'The link, which is not shown again. Null if it is mailed.' })
  link!: string | null;
  @Field(() => GraphQLDateTime, { description: 'When the link expires.' }) expiresAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'The links, and the users who got none.' })
export class IssuePasswordLinksPayload extends SomeRefusedPayload {
  @Field(() => [UserLinkType], { description: 'The links, in the order of the request.' }) links!: UserLinkType[];
}

@ObjectType('ImportFault', { simpleResolvers: true, description: 'What is wrong with a line.' })
export class ImportFaultType implements ImportFault {
  @Field(() => Int, { description: 'Place of the line in `lines`, from 1.' }) line!: number;
  @Field(() => String, { description: 'What is wrong with it. It never repeats a hash.' }) message!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The imported users, or what is wrong with the lines.' })
export class ImportUsersPayload {
  @Field(() => [ImportFaultType], { description: 'Faults by line. If there is one, nobody was imported.' })
  faults!: ImportFaultType[];
  @Field(() => [UserType], { description: 'The new users, in the order of their lines. None after `dryRun`.' })
  users!: UserType[];
  @Field(() => Int, { description: 'Number of lines without a fault.' }) userCount!: number;
  @Field(() => Int, { description: 'Number of them that have a password.' }) withPasswordCount!: number;
}
