/** Resolvers of changes of many users. (Interface 11) */
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { setUsersActive, unlockUsers } from '../../admin/many-users.js';
import { issuePasswordLinks } from '../../admin/password-links.js';
import { revokeSessionsOfUsers } from '../../admin/sessions.js';
import { importLines } from '../../admin/user-import.js';
import { asUser } from '../../callers/caller.js';
import { operatorOf, RequiresWhat } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfMany } from '../limits.js';
import {
  ImportUsersInput,
  ImportUsersPayload,
  IssuePasswordLinksInput,
  IssuePasswordLinksPayload,
  RevokeSessionsOfUsersInput,
  RevokeSessionsOfUsersPayload,
  SetUsersActiveInput,
  SetUsersActivePayload,
  UnlockUsersInput,
  UnlockUsersPayload,
} from '../types/many-users.js';

@Resolver()
export class ManyUsersResolver {
  @RequiresWhat(setUsersActive)
  @Mutation(() => SetUsersActivePayload, {
    nullable: true,
    description:
      'Activates users, or deactivates users and ends all their sessions. Who is refused does not stop the others.',
    complexity: costOfMany,
  })
  setUsersActive(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => SetUsersActiveInput, { description: 'The users and the change.' })
    { ids, isActive }: SetUsersActiveInput,
  ): Promise<SetUsersActivePayload> {
    return setUsersActive(context.deps, operatorOf(context), ids, isActive);
  }

  @RequiresWhat(unlockUsers)
  @Mutation(() => UnlockUsersPayload, {
    nullable: true,
    description: 'Unlocks users and resets their counts of failed logins. Who is refused does not stop the others.',
    complexity: costOfMany,
  })
  unlockUsers(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => UnlockUsersInput, { description: 'The users.' }) { ids }: UnlockUsersInput,
  ): Promise<UnlockUsersPayload> {
    return unlockUsers(context.deps, operatorOf(context), ids);
  }

  @RequiresWhat(revokeSessionsOfUsers)
  @Mutation(() => RevokeSessionsOfUsersPayload, {
    nullable: true,
    description: 'Ends all sessions of users, except the one that asks. Has no effect for users without a session.',
  })
  async revokeSessionsOfUsers(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => RevokeSessionsOfUsersInput, { description: 'The users.' }) { ids }: RevokeSessionsOfUsersInput,
  ): Promise<RevokeSessionsOfUsersPayload> {
    const own = asUser(context.caller)?.sid;
    return { revokedSessionCount: await revokeSessionsOfUsers(context.deps, operatorOf(context), ids, own) };
  }

  @RequiresWhat(issuePasswordLinks)
  @Mutation(() => IssuePasswordLinksPayload, {
    nullable: true,
    description:
      'Issues links as `issuePasswordLink` does, one for each user. Who is refused does not stop the others.',
    complexity: costOfMany,
  })
  issuePasswordLinks(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => IssuePasswordLinksInput, { description: 'The users, and what the links are for.' })
    { ids, purpose, deliver }: IssuePasswordLinksInput,
  ): Promise<IssuePasswordLinksPayload> {
    return issuePasswordLinks(context.deps, operatorOf(context), ids, purpose, deliver === true);
  }

  @RequiresWhat(importLines)
  @Mutation(() => ImportUsersPayload, {
    nullable: true,
    description: 'Imports users as the command `user import` does: all of the lines, or none if one is faulty.',
    complexity: costOfMany,
  })
  importUsers(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => ImportUsersInput, { description: 'The lines.' }) { lines, dryRun }: ImportUsersInput,
  ): Promise<ImportUsersPayload> {
    return importLines(context.deps, operatorOf(context), lines, dryRun === true);
  }
}
