/** Resolvers of sessions. (Interface 11) */
import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { sessionEvents } from '../../admin/session-timeline.js';
import {
  countAllSessions,
  listAllSessions,
  readSession,
  revokeOtherSessions,
  revokeSession,
  type SessionOrder,
} from '../../admin/sessions.js';
import { asUser } from '../../callers/caller.js';
import type { OrderedPageRequest } from '../../listing/keyset.js';
import {
  operatorOf,
  RequireScope,
  RequireScopeUnlessOwn,
  RequiresWhat,
  RequireUser,
  scopesByCredential,
  userOf,
} from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfLoaded, costOfPage, costOfTimeline } from '../limits.js';
import { type Connection, type CountedConnection, PageArgs, same, toConnection } from '../types/connection.js';
import {
  AllSessionsConnection,
  RevokeOtherSessionsPayload,
  RevokeSessionInput,
  RevokeSessionPayload,
  SessionEventConnection,
  type SessionEventType,
  SessionFilterInput,
  SessionPageArgs,
  SessionType,
  toSession,
} from '../types/session.js';
import { UserType } from '../types/user.js';

@Resolver(() => SessionType)
export class SessionResolver {
  @RequiresWhat(readSession)
  @Query(() => SessionType, { nullable: true, description: 'A session, live or ended.' })
  async session(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID, {
      description:
        'Session id: the family of the refresh tokens and `sid` in access tokens. Or the `jti` of one of its refresh tokens.',
    })
    id: string,
  ): Promise<SessionType> {
    const { caller, deps } = context;
    const asker = { userId: asUser(caller)?.sub, scopes: scopesByCredential(context) };
    return toSession(await readSession(deps, asker, id), caller);
  }

  @RequireScope('sessions:read', 'sessions:write')
  @Query(() => AllSessionsConnection, {
    nullable: true,
    description:
      'Sessions of all users, newest login first unless `order` says otherwise. They are not sorted by last use, which every ' +
      'refresh changes. With `live`, ' +
      'each page examines at most 10,000 sessions, so it may have fewer rows than requested, or none: continue from ' +
      '`endCursor` while `hasNextPage` is true, or backward from `startCursor` while `hasPreviousPage` is. `totalCount` then covers the newest 10,000.',
    complexity: costOfPage,
  })
  async sessions(
    @Ctx() { caller, deps }: GraphqlContext,
    @Args(() => SessionPageArgs) page: OrderedPageRequest<SessionOrder>,
    @Arg('filter', () => SessionFilterInput, {
      nullable: true,
      description: 'Filters the sessions. Omit it for all sessions.',
    })
    filter: SessionFilterInput | undefined,
  ): Promise<CountedConnection<SessionType>> {
    const sessions = await listAllSessions(deps, filter ?? {}, page);
    const connection = toConnection(sessions, (session) => toSession(session, caller));
    return { ...connection, countAll: () => countAllSessions(deps, filter ?? {}) };
  }

  @RequireScopeUnlessOwn<SessionType>('users:read', ({ userId }) => userId)
  @FieldResolver(() => UserType, {
    nullable: true,
    description: 'The user who logged in. Null if the user was deleted, or if reading it failed; see `errors`.',
    complexity: costOfLoaded,
  })
  user(@Root() { userId }: SessionType, @Ctx() { userById }: GraphqlContext): Promise<UserType | null> {
    return userById(userId);
  }

  @RequireScopeUnlessOwn<SessionType>('audit:read', ({ userId }) => userId)
  @FieldResolver(() => SessionEventConnection, {
    description: 'Events of the session, from its login to what followed its end.',
    complexity: costOfTimeline,
  })
  async events(
    @Root() session: SessionType,
    @Ctx() { caller, deps, isGone, concurrency }: GraphqlContext,
    @Args() page: PageArgs,
  ): Promise<Connection<SessionEventType>> {
    const read = () => sessionEvents(deps, session, page, deps.clock.now());
    const events = await concurrency.ofCaller(caller, 'reads', isGone, () => concurrency.ofMuch(isGone, read));
    return toConnection(events, same);
  }

  @RequiresWhat(revokeSession)
  @Mutation(() => RevokeSessionPayload, {
    nullable: true,
    description: 'Ends a session. Has no effect if it has already ended.',
  })
  async revokeSession(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => RevokeSessionInput, { description: 'The session to end.' }) { id }: RevokeSessionInput,
  ): Promise<RevokeSessionPayload> {
    const { caller, deps } = context;
    const session = await revokeSession(deps, operatorOf(context), asUser(caller)?.sub, id);
    return { session: toSession(session, caller) };
  }

  @RequireUser()
  @Mutation(() => RevokeOtherSessionsPayload, {
    nullable: true,
    description: 'Ends all sessions of the caller except the current one.',
  })
  async revokeOtherSessions(@Ctx() context: GraphqlContext): Promise<RevokeOtherSessionsPayload> {
    const { sub, sid } = userOf(context.caller);
    return { revokedCount: await revokeOtherSessions(context.deps, operatorOf(context), sub, sid) };
  }
}
