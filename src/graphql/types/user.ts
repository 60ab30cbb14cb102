/** CONTRACT 11: `User`, its listing and its filter. */
import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { UserFilter } from '../../admin/users.js';
import type { Role } from '../../roles.js';
import { RoleEnum } from './caller.js';
import { connectionType } from './connection.js';

@ObjectType('User', { simpleResolvers: true })
export class UserType {
  @Field(() => ID) id!: string;
  @Field(() => String) email!: string;
  @Field(() => RoleEnum) role!: Role;
  @Field(() => Boolean) isActive!: boolean;
  @Field(() => Int) failedLoginAttempts!: number;
  @Field(() => GraphQLDateTime, { nullable: true }) lockedUntil!: Date | null;
  @Field(() => GraphQLDateTime, { nullable: true }) lastLoginAt!: Date | null;
  @Field(() => GraphQLDateTime) createdAt!: Date;
}

export const UserConnection = connectionType('User', UserType, 'By e-mail.');

@InputType('UserFilter')
export class UserFilterInput implements UserFilter {
  @Field(() => String, { nullable: true, description: 'Part of the e-mail.' }) search?: string | null;
  @Field(() => RoleEnum, { nullable: true }) role?: Role | null;
  @Field(() => Boolean, { nullable: true }) isActive?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'Locked by failed logins at present.' }) locked?: boolean | null;
}
