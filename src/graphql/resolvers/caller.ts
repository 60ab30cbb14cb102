/** CONTRACT 7: `caller`. */
import { Ctx, Query, Resolver } from 'type-graphql';
import type { Caller } from '../../callers/caller.js';
import type { GraphqlContext } from '../context.js';
import { CallerType } from '../types/caller.js';

@Resolver()
export class CallerResolver {
  @Query(() => CallerType, { description: 'The caller of this request.' })
  caller(@Ctx() { caller }: GraphqlContext): Caller {
    return caller;
  }
}
