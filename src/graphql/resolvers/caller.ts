/** Interface 7: `caller`. */
import { Ctx, Query, Resolver } from 'type-graphql';
import type { Caller } from '../../callers/caller.js';
import { kindOf } from '../../callers/kinds.js';
import { ownScopes } from '../../domain/scopes.js';
import type { GraphqlContext } from '../context.js';
import { CallerInterface } from '../types/caller.js';

@Resolver()
export class CallerResolver {
  @Query(() => CallerInterface, { description: 'The authenticated caller of this request.' })
  caller(@Ctx() { caller }: GraphqlContext): Caller & { scopes: readonly string[] } {
    return 'scopes' in caller ? caller : { ...caller, scopes: ownScopes(kindOf(caller).scopes(caller)) };
  }
}
