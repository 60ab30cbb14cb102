/** Interface 11: users. */
import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import {
  createUser,
  deleteUser,
  setUserActive,
  setUserPassword,
  setUserRole,
  unlockUser,
} from '../../admin/user-changes.js';
import { countUsers, findUser, findUsers, type ListedUser, unknownUser } from '../../admin/users.js';
import {
  operatorOf,
  RequireScope,
  RequireScopeUnlessOwn,
  RequiresWhat,
  RequireUser,
  userOf,
} from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfPage } from '../limits.js';
import { type Connection, type CountedConnection, PageArgs, same, toConnection } from '../types/connection.js';
import { SessionConnection, type SessionType, toSession } from '../types/session.js';
import {
  CreateUserInput,
  CreateUserPayload,
  DeleteUserInput,
  DeleteUserPayload,
  SetUserActiveInput,
  SetUserActivePayload,
  SetUserPasswordInput,
  SetUserPasswordPayload,
  SetUserRoleInput,
  SetUserRolePayload,
  UnlockUserInput,
  UnlockUserPayload,
  UserConnection,
  UserFilterInput,
  UserType,
} from '../types/user.js';

@Resolver(() => UserType)
export class UserResolver {
  @RequireUser()
  @Query(() => UserType, { nullable: true, description: 'The user who is calling.' })
  async me(@Ctx() { caller, deps }: GraphqlContext): Promise<ListedUser> {
    const user = await findUser(deps, userOf(caller).sub);
    if (user === undefined) throw unknownUser(); // removed since the token was issued
    return user;
  }

  @RequireScope('users:read')
  @Query(() => UserType, { nullable: true, description: 'One user; null where there is none of this id.' })
  user(
    @Ctx() { deps }: GraphqlContext,
    @Arg('id', () => ID, { description: 'The id of the user.' }) id: string,
  ): Promise<ListedUser | undefined> {
    return findUser(deps, id);
  }

  @RequireScope('users:read')
  @Query(() => UserConnection, {
    nullable: true,
    description:
      'Users by e-mail. A search looks at 10,000 users a page: where it finds fewer than `first` among them, or none, ' +
      'and `hasNextPage` is true, go on from `endCursor`. Its `totalCount` is of the first 10,000.',
    complexity: costOfPage,
  })
  async users(
    @Ctx() { deps }: GraphqlContext,
    @Args() { page }: PageArgs,
    @Arg('filter', () => UserFilterInput, { nullable: true, description: 'Which users; left out: all.' })
    filter: UserFilterInput | undefined,
  ): Promise<CountedConnection<ListedUser>> {
    const connection = toConnection(await findUsers(deps, filter ?? {}, page), page, same);
    return { ...connection, countAll: () => countUsers(deps, filter ?? {}) };
  }

  @RequireScopeUnlessOwn<ListedUser>('users:read', ({ id }) => id)
  @FieldResolver(() => SessionConnection, {
    description: 'The sessions of the user, the last used first.',
    complexity: costOfPage,
  })
  async sessions(
    @Root() { id }: ListedUser,
    @Ctx() { caller, sessionsOf }: GraphqlContext,
    @Args() { page }: PageArgs,
    @Arg('live', () => Boolean, {
      nullable: true,
      description: 'Only those that live, or only those that have ended; left out: both.',
    })
    live: boolean | undefined,
  ): Promise<Connection<SessionType>> {
    return toConnection(await sessionsOf({ ...page, live }, id), page, (session) => toSession(session, caller));
  }

  @RequiresWhat(createUser)
  @Mutation(() => CreateUserPayload, { nullable: true, description: 'Makes a user.' })
  async createUser(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => CreateUserInput, { description: 'Who it is to be.' }) input: CreateUserInput,
  ): Promise<CreateUserPayload> {
    return { user: await createUser(context.deps, operatorOf(context), input) };
  }

  @RequiresWhat(setUserRole)
  @Mutation(() => SetUserRolePayload, {
    nullable: true,
    description: 'Gives a user another role. Access tokens keep the old one until they expire.',
  })
  async setUserRole(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => SetUserRoleInput, { description: 'Who, and what.' }) { id, role }: SetUserRoleInput,
  ): Promise<SetUserRolePayload> {
    return { user: await setUserRole(context.deps, operatorOf(context), id, role) };
  }

  @RequiresWhat(setUserActive)
  @Mutation(() => SetUserActivePayload, {
    nullable: true,
    description: 'Activates a user, or deactivates one and ends every session of it.',
  })
  async setUserActive(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => SetUserActiveInput, { description: 'Who, and what.' }) { id, isActive }: SetUserActiveInput,
  ): Promise<SetUserActivePayload> {
    return setUserActive(context.deps, operatorOf(context), id, isActive);
  }

  @RequiresWhat(unlockUser)
  @Mutation(() => UnlockUserPayload, {
    nullable: true,
    description: 'Ends the lock of failed logins, and forgets them.',
  })
  async unlockUser(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => UnlockUserInput, { description: 'Who.' }) { id }: UnlockUserInput,
  ): Promise<UnlockUserPayload> {
    return { user: await unlockUser(context.deps, operatorOf(context), id) };
  }

  @RequiresWhat(setUserPassword)
  @Mutation(() => SetUserPasswordPayload, {
    nullable: true,
    description: 'Sets a password, and ends every session of the user.',
  })
  async setUserPassword(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => SetUserPasswordInput, { description: 'Who, and what.' }) { id, password }: SetUserPasswordInput,
  ): Promise<SetUserPasswordPayload> {
    return setUserPassword(context.deps, operatorOf(context), id, password);
  }

  @RequiresWhat(deleteUser)
  @Mutation(() => DeleteUserPayload, {
    nullable: true,
    description: 'Deletes a user and ends every session of it. The audit log keeps its events.',
  })
  async deleteUser(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => DeleteUserInput, { description: 'Who.' }) { id }: DeleteUserInput,
  ): Promise<DeleteUserPayload> {
    return { deletedId: await deleteUser(context.deps, operatorOf(context), id) };
  }
}
