/** Resolvers of second factors. (Interface 20) */
import { Arg, Ctx, FieldResolver, Int, Mutation, Resolver, Root } from 'type-graphql';
import { resetFactors } from '../../admin/factors.js';
import { asUser } from '../../callers/caller.js';
import { operatorOf, RequireScopeUnlessOwn, RequiresWhat, scopesByCredential } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfFactors, costOfLoaded } from '../limits.js';
import { FactorType, ResetFactorsInput, ResetFactorsPayload } from '../types/factor.js';
import { UserType } from '../types/user.js';

@Resolver(() => UserType)
export class FactorResolver {
  @RequireScopeUnlessOwn<UserType>('users:read', ({ id }) => id)
  @FieldResolver(() => [FactorType], {
    description: 'Second factors of the user, oldest first, at most 11. A login by password asks for one of them.',
    complexity: costOfFactors,
  })
  factors(@Root() { id }: UserType, @Ctx() { factorsOf }: GraphqlContext): Promise<FactorType[]> {
    return factorsOf(id);
  }

  @RequireScopeUnlessOwn<UserType>('users:read', ({ id }) => id)
  @FieldResolver(() => Int, {
    description: 'Number of unused recovery codes of the user, each of which is good once in the place of a factor.',
    complexity: costOfLoaded,
  })
  recoveryCodesLeft(@Root() { id }: UserType, @Ctx() { recoveryCodesOf }: GraphqlContext): Promise<number> {
    return recoveryCodesOf(id);
  }

  @FieldResolver(() => Boolean, {
    nullable: true,
    description:
      'Whether this session of yours has no scopes yet, because your role has them only after a second factor. Null for ' +
      'another user.',
  })
  secondFactorRequired(@Root() { id }: UserType, @Ctx() context: GraphqlContext): boolean | null {
    return asUser(context.caller)?.sub === id ? scopesByCredential(context) === 'after_factor' : null;
  }

  @RequiresWhat(resetFactors)
  @Mutation(() => ResetFactorsPayload, {
    nullable: true,
    description:
      'Removes all second factors and recovery codes of a user who has lost them, and ends all their sessions. Their next ' +
      'login asks for the password alone. Has no effect on a user without factors.',
  })
  resetFactors(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => ResetFactorsInput, { description: 'The user who has lost their factors.' }) {
      userId,
    }: ResetFactorsInput,
  ): Promise<ResetFactorsPayload> {
    return resetFactors(context.deps, operatorOf(context), userId);
  }
}
