/** CONTRACT 11: the audit log. */

import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import {
  type AuditCount,
  type AuditRow,
  countAuditEvents,
  countByTime,
  listAuditEvents,
  type TimeBucket,
} from '../../admin/audit-log.js';
import { RequireScope } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfCounts, costOfPage } from '../limits.js';
import { AuditCountType, AuditEventConnection, AuditEventFilterInput, TimeBucketEnum } from '../types/audit.js';
import { type CountedConnection, PageArgs, same, toConnection } from '../types/connection.js';
import { GraphQLDateTime } from '../types/scalars.js';

@Resolver()
export class AuditResolver {
  @RequireScope('audit:read')
  @Query(() => AuditEventConnection, {
    nullable: true,
    description: 'The audit log, newest first.',
    complexity: costOfPage,
  })
  async auditEvents(
    @Ctx() { deps }: GraphqlContext,
    @Args() { page }: PageArgs,
    @Arg('filter', () => AuditEventFilterInput, { nullable: true }) filter: AuditEventFilterInput | undefined,
  ): Promise<CountedConnection<AuditRow>> {
    const connection = toConnection(await listAuditEvents(deps, filter ?? {}, page), page, same);
    return { ...connection, countAll: () => countAuditEvents(deps, filter ?? {}) };
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
    return turns.ofMuch(isGone, () => countByTime(deps, { since, until, bucket }));
  }
}
