/** The resolver of `caller`. (Interface 7) */
import { Ctx, Query, Resolver } from 'type-graphql';
import { scopesOf } from '../../callers/kinds.js';
import type { GraphqlContext } from '../context.js';
import { CallerInterface, type CallerObjectType } from '../types/caller.js';

@Resolver()
export class CallerResolver {
  @Query(() => CallerInterface, { description: 'The authenticated caller of this request.' })
  caller(@Ctx() { caller, deps }: GraphqlContext): CallerObjectType {
    return { ...caller, scopes: scopesOf(caller, deps.config) };
  }
}
