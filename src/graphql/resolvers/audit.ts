/** Interface 11: the audit log. */
import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { ListedUser } from '../../admin/users.js';
import { type AuditCount, countByTime } from '../../audit/counts.js';
import { type AuditRow, countAuditEvents, listAuditEvents } from '../../audit/log.js';
import type { TimeBucket } from '../../platform/time-buckets.js';
import { RequireScope } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfCounts, costOfLoaded, costOfPage } from '../limits.js';
import {
  AuditCountFilterInput,
  AuditCountType,
  AuditEventConnection,
  AuditEventFilterInput,
  AuditEventType,
  TimeBucketEnum,
} from '../types/audit.js';
import { type CountedConnection, PageArgs, same, toConnection } from '../types/connection.js';
import { UserType } from '../types/user.js';

const UTC = 'UTC';

@Resolver(() => AuditEventType)
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
    @Arg('filter', () => AuditEventFilterInput, {
      nullable: true,
      description: 'Which events; left out: all of them.',
    })
    filter: AuditEventFilterInput | undefined,
  ): Promise<CountedConnection<AuditRow>> {
    const connection = toConnection(await listAuditEvents(deps, filter ?? {}, page), page, same);
    return { ...connection, countAll: () => countAuditEvents(deps, filter ?? {}) };
  }

  @RequireScope('users:read')
  @FieldResolver(() => UserType, {
    nullable: true,
    description:
      'The user that the event is about. Null where it names none, where the user was deleted, or beside an error.',
    complexity: costOfLoaded,
  })
  async user(@Root() { userId }: AuditEventType, @Ctx() { userById }: GraphqlContext): Promise<ListedUser | null> {
    return userId === null ? null : userById(userId);
  }

  @RequireScope('audit:read')
  @Query(() => [AuditCountType], {
    nullable: true,
    description:
      'How many events there were, by time and type: oldest first, at most 1,500 counts of 1,500 buckets. Where ' +
      '`eventTypes` is given, each type has a count in each bucket of the span, be it zero; else there are only those ' +
      'that are not zero.',
    complexity: costOfCounts,
  })
  auditCounts(
    @Ctx() { deps, isGone, turns }: GraphqlContext,
    @Arg('bucket', () => TimeBucketEnum, { description: 'How long a bucket is.' }) bucket: TimeBucket,
    @Arg('timeZone', () => String, {
      nullable: true,
      defaultValue: UTC,
      description: 'By whose clocks buckets begin: a name of the IANA database, such as `Europe/Berlin`.',
    })
    timeZone: string | null,
    @Arg('filter', () => AuditCountFilterInput, { description: 'Which events, and of what span of time.' })
    filter: AuditCountFilterInput,
  ): Promise<AuditCount[]> {
    return turns.ofMuch(isGone, () => countByTime(deps, { bucket, timeZone: timeZone ?? UTC, filter }));
  }
}
