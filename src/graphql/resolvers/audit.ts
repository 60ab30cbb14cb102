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
      description: 'Filters the events. Omit it for all events.',
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
      'The user that the event is about. Null if there is none, if the user was deleted, or if reading it failed; see `errors`.',
    complexity: costOfLoaded,
  })
  async user(@Root() { userId }: AuditEventType, @Ctx() { userById }: GraphqlContext): Promise<ListedUser | null> {
    return userId === null ? null : userById(userId);
  }

  @RequireScope('audit:read')
  @Query(() => [AuditCountType], {
    nullable: true,
    description:
      'Number of audit events by time and type, oldest first: at most 1,500 counts in 1,500 buckets. With `eventTypes`, ' +
      'every type has a count in every bucket, including zeros. Without it, zeros are left out.',
    complexity: costOfCounts,
  })
  auditCounts(
    @Ctx() { deps, isGone, turns }: GraphqlContext,
    @Arg('bucket', () => TimeBucketEnum, { description: 'Length of a bucket.' }) bucket: TimeBucket,
    @Arg('timeZone', () => String, {
      nullable: true,
      defaultValue: UTC,
      description: 'IANA time zone in which buckets start, such as `Europe/Berlin`.',
    })
    timeZone: string | null,
    @Arg('filter', () => AuditCountFilterInput, { description: 'Filters the events and sets the time span.' })
    filter: AuditCountFilterInput,
  ): Promise<AuditCount[]> {
    return turns.ofMuch(isGone, () => countByTime(deps, { bucket, timeZone: timeZone ?? UTC, filter }));
  }
}
