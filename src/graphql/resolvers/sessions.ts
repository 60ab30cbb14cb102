/** CONTRACT 11: sessions. */
import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { type SessionStep, tellSession } from '../../admin/session-story.js';
import { ownOrScope, revokeOtherSessions, revokeSession } from '../../admin/sessions.js';
import { asUser } from '../../callers/caller.js';
import { kindOf } from '../../callers/kinds.js';
import { operatorOf, RequiresWhat, RequireUser, userOf } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfStory } from '../limits.js';
import { type Connection, PageArgs, same, toConnection } from '../types/connection.js';
import { SessionStepConnection, SessionType, toSession } from '../types/session.js';

@Resolver()
export class SessionResolver {
  @Query(() => SessionStepConnection, {
    nullable: true,
    description: 'What happened in a session, oldest step first. For the own one, else needs audit:read.',
    complexity: costOfStory,
  })
  async sessionStory(
    @Ctx() { caller, deps, isGone, turns }: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Args() { page }: PageArgs,
  ): Promise<Connection<SessionStep>> {
    const now = deps.clock.now();
    const asker = { ownerId: asUser(caller)?.sub, scopes: kindOf(caller).scopes(caller), scope: 'audit:read' } as const;
    const session = await ownOrScope(deps.db.admin, id, asker, now);
    return toConnection(await turns.ofMuch(isGone, () => tellSession(deps, session, page, now)), page, same);
  }

  @RequiresWhat(revokeSession)
  @Mutation(() => SessionType, { description: 'Ends a session.' })
  async revokeSession(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<SessionType> {
    const { caller, deps } = context;
    return toSession(await revokeSession(deps, operatorOf(context), asUser(caller)?.sub, id), caller);
  }

  @RequireUser()
  @Mutation(() => Int, { description: 'Ends every own session but the one of the access token.' })
  revokeOtherSessions(@Ctx() context: GraphqlContext): Promise<number> {
    const { sub, sid } = userOf(context.caller);
    return revokeOtherSessions(context.deps, operatorOf(context), sub, sid);
  }
}
