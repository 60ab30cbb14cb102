/** CONTRACT 11: the audit log. */
import { GraphQLDateTime } from 'graphql-scalars';
import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import {
  type AuditCount,
  type AuditRow,
  countAuditEvents,
  listAuditEvents,
  type TimeBucket,
} from '../../admin/audit-log.js';
import { RequireScope } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfCounts, costOfPage } from '../limits.js';
import { AuditCountType, AuditEventConnection, AuditEventFilterInput, TimeBucketEnum } from '../types/audit.js';
import { type Connection, PageArgs, same, toConnection } from '../types/connection.js';

@Resolver()
export class AuditResolver {
  @RequireScope('audit:read')
  @Query(() => AuditEventConnection, { description: 'Newest first.', complexity: costOfPage })
  async auditEvents(
    @Ctx() { deps }: GraphqlContext,
    @Args() { page }: PageArgs,
    @Arg('filter', () => AuditEventFilterInput, { nullable: true }) filter: AuditEventFilterInput | undefined,
  ): Promise<Connection<AuditRow>> {
    return toConnection(await listAuditEvents(deps, filter ?? {}, page), page, same);
  }

  @RequireScope('audit:read')
  @Query(() => [AuditCountType], {
    description: 'Events by type and time bucket (UTC), oldest first; at most 1,500 counts.',
    complexity: costOfCounts,
  })
  auditCounts(
    @Ctx() { deps, isGone, turns }: GraphqlContext,
    @Arg('since', () => GraphQLDateTime) since: Date,
    @Arg('until', () => GraphQLDateTime) until: Date,
    @Arg('bucket', () => TimeBucketEnum) bucket: TimeBucket,
  ): Promise<AuditCount[]> {
    return turns.ofMuch(isGone, () => countAuditEvents(deps, { since, until, bucket }));
  }
}
