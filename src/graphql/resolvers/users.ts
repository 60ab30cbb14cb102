/** Resolvers of users. (Interface 11) */
import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { issuePasswordLink, mailPasswordLink } from '../../admin/password-links.js';
import type { UserSessionOrder } from '../../admin/sessions.js';
import {
  createUser,
  deleteUser,
  setUserActive,
  setUserEmail,
  setUserPassword,
  setUserRole,
  unlockUser,
} from '../../admin/user-changes.js';
import { eraseUser } from '../../admin/user-erasure.js';
import { countUsers, findUser, findUsers, type UserOrder, unknownUser } from '../../admin/users.js';
import type { OrderedPageRequest } from '../../listing/keyset.js';
import { AdminRefusal } from '../../listing/refusal.js';
import {
  operatorOf,
  RequireScope,
  RequireScopeUnlessOwn,
  RequiresWhat,
  RequireUser,
  userOf,
} from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfLoaded, costOfPage, costOfUsers } from '../limits.js';
import { type Connection, type CountedConnection, same, toConnection } from '../types/connection.js';
import { SessionConnection, type SessionType, toSession, UserSessionPageArgs } from '../types/session.js';
import {
  CreateUserInput,
  CreateUserPayload,
  DeleteUserInput,
  DeleteUserPayload,
  EraseUserInput,
  EraseUserPayload,
  IssuePasswordLinkInput,
  IssuePasswordLinkPayload,
  SetUserActiveInput,
  SetUserActivePayload,
  SetUserEmailInput,
  SetUserEmailPayload,
  SetUserPasswordInput,
  SetUserPasswordPayload,
  SetUserRoleInput,
  SetUserRolePayload,
  UnlockUserInput,
  UnlockUserPayload,
  UserConnection,
  UserFilterInput,
  UserOrderEnum,
  UserPageArgs,
  UserType,
} from '../types/user.js';

@Resolver(() => UserType)
export class UserResolver {
  @RequireUser()
  @Query(() => UserType, { nullable: true, description: 'The user making the request.' })
  async me(@Ctx() { caller, deps }: GraphqlContext): Promise<UserType> {
    const user = await findUser(deps, userOf(caller).sub);
    if (user === undefined) throw unknownUser(); // deleted after the token was issued
    return user;
  }

  @RequireScope('users:read')
  @Query(() => UserType, { nullable: true, description: 'A user by id. Null if there is none.' })
  user(
    @Ctx() { deps }: GraphqlContext,
    @Arg('id', () => ID, { description: 'User id.' }) id: string,
  ): Promise<UserType | undefined> {
    return findUser(deps, id);
  }

  @RequireScope('users:read')
  @Query(() => UserConnection, {
    nullable: true,
    description:
      'Users. With `search`, each page examines at most 10,000 users, so it may have fewer rows than requested, or none: ' +
      'continue from `endCursor` while `hasNextPage` is true, or backward from `startCursor` while `hasPreviousPage` is. `totalCount` then covers the first 10,000 by email.',
    complexity: costOfUsers,
  })
  async users(
    @Ctx() { deps, isGone, concurrency }: GraphqlContext,
    @Args(() => UserPageArgs) { order, ...page }: OrderedPageRequest<UserOrder>,
    @Arg('filter', () => UserFilterInput, { nullable: true, description: 'Filters the users. Omit it for all users.' })
    filter: UserFilterInput | undefined,
    @Arg('orderBy', () => UserOrderEnum, {
      nullable: true,
      description:
        'Order of the users in its usual direction; `email` if neither it nor `order` is given. A cursor continues the order ' +
        'that it comes from, and no other.',
    })
    orderBy: UserOrder | null | undefined,
  ): Promise<CountedConnection<UserType>> {
    if (order && orderBy) {
      throw new AdminRefusal('invalid_page', 'Send order or orderBy, not both', { argument: 'order' });
    }
    const ordering = order ?? { field: orderBy ?? UserOrderEnum.email };
    const read = () => findUsers(deps, filter ?? {}, { ...page, order: ordering });
    const users = ordering.field === 'last_login_at' ? await concurrency.ofMuch(isGone, read) : await read();
    return { ...toConnection(users, same), countAll: () => countUsers(deps, filter ?? {}) };
  }

  @RequireScopeUnlessOwn<UserType>('users:read', ({ id }) => id)
  @FieldResolver(() => SessionConnection, {
    description: 'Sessions of the user, most recently used first unless `order` says otherwise.',
    complexity: costOfPage,
  })
  async sessions(
    @Root() { id }: UserType,
    @Ctx() { caller, sessionsOf }: GraphqlContext,
    @Args(() => UserSessionPageArgs) page: OrderedPageRequest<UserSessionOrder>,
    @Arg('live', () => Boolean, {
      nullable: true,
      description: 'Only live sessions if true, only ended ones if false. Omit it for both.',
    })
    live: boolean | undefined,
  ): Promise<Connection<SessionType>> {
    return toConnection(await sessionsOf({ ...page, live }, id), (session) => toSession(session, caller));
  }

  @RequireScopeUnlessOwn<UserType>('users:read', ({ id }) => id)
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Email address that the user has asked for. It becomes theirs when they open the link that was sent there. Null if there ' +
      'is none, or its link has ended.',
    complexity: costOfLoaded,
  })
  pendingEmail(@Root() { id }: UserType, @Ctx() { pendingEmailOf }: GraphqlContext): Promise<string | null> {
    return pendingEmailOf(id);
  }

  @RequiresWhat(createUser)
  @Mutation(() => CreateUserPayload, { nullable: true, description: 'Creates a user.' })
  async createUser(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => CreateUserInput, { description: 'The user to create.' }) input: CreateUserInput,
  ): Promise<CreateUserPayload> {
    return { user: await createUser(context.deps, operatorOf(context), input) };
  }

  @RequiresWhat(setUserRole)
  @Mutation(() => SetUserRolePayload, {
    nullable: true,
    description: 'Changes the role of a user. Existing access tokens keep the old role until they expire.',
  })
  async setUserRole(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => SetUserRoleInput, { description: 'The user and the change.' }) { id, role }: SetUserRoleInput,
  ): Promise<SetUserRolePayload> {
    return { user: await setUserRole(context.deps, operatorOf(context), id, role) };
  }

  @RequiresWhat(setUserEmail)
  @Mutation(() => SetUserEmailPayload, {
    nullable: true,
    description: 'Changes the email of a user and ends their password link. Sessions and the id stay.',
  })
  async setUserEmail(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => SetUserEmailInput, { description: 'The user and the change.' }) {
      id,
      email,
    }: SetUserEmailInput,
  ): Promise<SetUserEmailPayload> {
    return { user: await setUserEmail(context.deps, operatorOf(context), id, email) };
  }

  @RequiresWhat(setUserActive)
  @Mutation(() => SetUserActivePayload, {
    nullable: true,
    description: 'Activates a user, or deactivates a user and ends all their sessions.',
  })
  async setUserActive(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => SetUserActiveInput, { description: 'The user and the change.' }) {
      id,
      isActive,
    }: SetUserActiveInput,
  ): Promise<SetUserActivePayload> {
    return setUserActive(context.deps, operatorOf(context), id, isActive);
  }

  @RequiresWhat(unlockUser)
  @Mutation(() => UnlockUserPayload, {
    nullable: true,
    description: 'Unlocks a user and resets the count of failed logins.',
  })
  async unlockUser(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => UnlockUserInput, { description: 'The user to unlock.' }) { id }: UnlockUserInput,
  ): Promise<UnlockUserPayload> {
    return { user: await unlockUser(context.deps, operatorOf(context), id) };
  }

  @RequiresWhat(setUserPassword)
  @Mutation(() => SetUserPasswordPayload, {
    nullable: true,
    description: 'Sets a new password and ends all sessions of the user.',
  })
  async setUserPassword(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => SetUserPasswordInput, { description: 'The user and the change.' }) {
      id,
      password,
    }: SetUserPasswordInput,
  ): Promise<SetUserPasswordPayload> {
    return setUserPassword(context.deps, operatorOf(context), id, password);
  }

  @RequiresWhat(issuePasswordLink)
  @Mutation(() => IssuePasswordLinkPayload, {
    nullable: true,
    description:
      'Issues a link by which a user sets a password, once. It ends an earlier link of the user, and ends itself with a new ' +
      'password, another email, deactivation or deletion.',
  })
  async issuePasswordLink(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => IssuePasswordLinkInput, { description: 'The user, and what the link is for.' }) {
      userId,
      purpose,
      deliver,
    }: IssuePasswordLinkInput,
  ): Promise<IssuePasswordLinkPayload> {
    const { deps } = context;
    if (deliver !== true) return issuePasswordLink(deps, operatorOf(context), userId, purpose);
    return { link: null, expiresAt: await mailPasswordLink(deps, operatorOf(context), userId, purpose) };
  }

  @RequiresWhat(deleteUser)
  @Mutation(() => DeleteUserPayload, {
    nullable: true,
    description: 'Deletes a user and ends all their sessions. Their events stay in the audit log.',
  })
  async deleteUser(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => DeleteUserInput, { description: 'The user to delete.' }) { id }: DeleteUserInput,
  ): Promise<DeleteUserPayload> {
    return { deletedId: await deleteUser(context.deps, operatorOf(context), id) };
  }

  @RequiresWhat(eraseUser)
  @Mutation(() => EraseUserPayload, {
    nullable: true,
    description:
      'Deletes a user like `deleteUser`, and replaces their emails, addresses and user agents in the audit log by a pseudonym. ' +
      'No event is removed. For a user with hundreds of thousands of events use the command line, which may take longer.',
  })
  async eraseUser(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => EraseUserInput, { description: 'The user to erase.' }) { id }: EraseUserInput,
  ): Promise<EraseUserPayload> {
    const { pseudonym, events } = await eraseUser(context.deps, operatorOf(context), id);
    return { erasedId: id, pseudonym, changedEventCount: events };
  }
}
