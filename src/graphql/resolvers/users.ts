/** CONTRACT 11: users. */
import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import {
  createUser,
  findUser,
  findUsers,
  type ListedUser,
  setUserActive,
  setUserPassword,
  setUserRole,
  unknownUser,
  unlockUser,
} from '../../admin/users.js';
import type { User } from '../../db/entities/user.js';
import type { Role } from '../../roles.js';
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
import { RoleEnum } from '../types/caller.js';
import { type Connection, PageArgs, same, toConnection } from '../types/connection.js';
import { SessionConnection, SessionType, toSession } from '../types/session.js';
import { UserConnection, UserFilterInput, UserType } from '../types/user.js';

@Resolver(() => UserType)
export class UserResolver {
  @RequireUser()
  @Query(() => UserType, { description: 'The user who is calling.' })
  async me(@Ctx() { caller, deps }: GraphqlContext): Promise<ListedUser> {
    const user = await findUser(deps, userOf(caller).sub);
    if (user === undefined) throw unknownUser(); // removed since the token was issued
    return user;
  }

  @RequireScope('users:read')
  @Query(() => UserType, { nullable: true })
  user(@Ctx() { deps }: GraphqlContext, @Arg('id', () => ID) id: string): Promise<ListedUser | undefined> {
    return findUser(deps, id);
  }

  @RequireScope('users:read')
  @Query(() => UserConnection, {
    description:
      'Users by e-mail. A search looks at 10,000 users a page: where it finds fewer than `first` among them, or none, ' +
      'and `hasNextPage` is true, go on from `endCursor`.',
    complexity: costOfPage,
  })
  async users(
    @Ctx() { deps }: GraphqlContext,
    @Args() { page }: PageArgs,
    @Arg('filter', () => UserFilterInput, { nullable: true }) filter: UserFilterInput | undefined,
  ): Promise<Connection<ListedUser>> {
    return toConnection(await findUsers(deps, filter ?? {}, page), page, same);
  }

  @RequireScopeUnlessOwn<ListedUser>('users:read', ({ id }) => id)
  @FieldResolver(() => SessionConnection, {
    description: 'The sessions of the user.',
    complexity: costOfPage,
  })
  async sessions(
    @Root() { id }: ListedUser,
    @Ctx() { caller, sessionsOf }: GraphqlContext,
    @Args() { page }: PageArgs,
    @Arg('live', () => Boolean, { nullable: true, description: 'Only those that live, or only those that do not.' })
    live: boolean | undefined,
  ): Promise<Connection<SessionType>> {
    return toConnection(await sessionsOf({ ...page, live }, id), page, (session) => toSession(session, caller));
  }

  @RequiresWhat(createUser)
  @Mutation(() => UserType)
  createUser(
    @Ctx() context: GraphqlContext,
    @Arg('email', () => String) email: string,
    @Arg('password', () => String) password: string,
    @Arg('role', () => RoleEnum) role: Role,
  ): Promise<User> {
    return createUser(context.deps, operatorOf(context), { email, password, role });
  }

  @RequiresWhat(setUserRole)
  @Mutation(() => UserType)
  setUserRole(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('role', () => RoleEnum) role: Role,
  ): Promise<User> {
    return setUserRole(context.deps, operatorOf(context), id, role);
  }

  @RequiresWhat(setUserActive)
  @Mutation(() => UserType, { description: 'Deactivation ends every session of the user.' })
  setUserActive(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('active', () => Boolean) active: boolean,
  ): Promise<User> {
    return setUserActive(context.deps, operatorOf(context), id, active);
  }

  @RequiresWhat(unlockUser)
  @Mutation(() => UserType)
  unlockUser(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<User> {
    return unlockUser(context.deps, operatorOf(context), id);
  }

  @RequiresWhat(setUserPassword)
  @Mutation(() => UserType, { description: 'Ends every session of the user.' })
  setUserPassword(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('password', () => String) password: string,
  ): Promise<User> {
    return setUserPassword(context.deps, operatorOf(context), id, password);
  }
}
