/** CONTRACT 11: sessions. */
import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { demand } from '../../admin/administer.js';
import { type SessionStep, tellSession } from '../../admin/session-story.js';
import {
  findSession,
  listLiveSessions,
  revokeOtherSessions,
  revokeSession,
  type Session,
} from '../../admin/sessions.js';
import { byCaller, heldByCredential, Needs, userOf } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfList } from '../limits.js';
import { SessionStepType, SessionType } from '../types/session.js';

@Resolver(() => SessionType)
export class SessionResolver {
  @Needs('a user caller')
  @Query(() => [SessionType], { description: 'The live sessions of the caller.', complexity: costOfList })
  sessions(@Ctx() { caller, deps }: GraphqlContext): Promise<Session[]> {
    return listLiveSessions(deps.db, userOf(caller).sub, deps.clock.now());
  }

  @FieldResolver(() => Boolean, { description: 'The session of the access token that asks.' })
  current(@Root() { id }: Session, @Ctx() { caller }: GraphqlContext): boolean {
    return caller.callerType === 'user' && caller.sid === id;
  }

  @Query(() => [SessionStepType], {
    description: 'What happened in a session, in order. For the own one, else needs audit:read.',
    complexity: costOfList,
  })
  async sessionStory(@Ctx() { caller, deps }: GraphqlContext, @Arg('id', () => ID) id: string): Promise<SessionStep[]> {
    const now = deps.clock.now();
    const held = heldByCredential(caller);
    const session = await findSession(deps.db.sql, id, now).catch((error: unknown) => {
      demand(held, 'audit:read'); // who may not read others' sessions is not told which there are
      throw error;
    });
    if (caller.callerType !== 'user' || caller.sub !== session.userId) demand(held, 'audit:read');
    return tellSession(deps, session, now);
  }

  @Mutation(() => SessionType, { description: 'Ends an own session; that of another needs sessions:write.' })
  revokeSession(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<Session> {
    const { caller, deps } = context;
    const ownerId = caller.callerType === 'user' ? caller.sub : undefined;
    return revokeSession(deps, byCaller(context), ownerId, id);
  }

  @Mutation(() => Int, { description: 'Ends every own session but the one of the access token. For users.' })
  revokeOtherSessions(@Ctx() context: GraphqlContext): Promise<number> {
    const { sub, sid } = userOf(context.caller);
    return revokeOtherSessions(context.deps, byCaller(context), sub, sid);
  }
}
