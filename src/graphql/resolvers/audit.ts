/** Resolvers of the audit log. (Interface 11) */
import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root, Subscription } from 'type-graphql';
import { countByTime } from '../../audit/counts.js';
import { type AuditEventFilter, type AuditOrder, countAuditEvents, listAuditEvents } from '../../audit/log.js';
import { sessionNamedBy } from '../../audit/lookups.js';
import type { OrderedPageRequest } from '../../listing/keyset.js';
import { isUuid } from '../../platform/ids.js';
import type { TimeBucket } from '../../platform/time-buckets.js';
import { RequireScope } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { outagesAs503 } from '../errors.js';
import { costOfCounts, costOfEvents, costOfFollowed, costOfLoaded } from '../limits.js';
import {
  AuditActorType,
  AuditCountFilterInput,
  AuditCountType,
  AuditEventAddedType,
  AuditEventConnection,
  AuditEventFilterInput,
  AuditEventPageArgs,
  AuditEventType,
  TimeBucketEnum,
  toAuditEvent,
} from '../types/audit.js';
import { type CountedConnection, toConnection } from '../types/connection.js';
import { UserType } from '../types/user.js';

const UTC = 'UTC';

interface Followed {
  args: { filter?: AuditEventFilter | null };
  context: GraphqlContext;
}

/** @throws {AdminRefusal}, or {GraphQLError} UNAVAILABLE */
function followed({ deps, ids, follow }: GraphqlContext, filter: AuditEventFilter | null | undefined) {
  if (follow === undefined) throw new Error('this request has no stream');
  return outagesAs503(deps, ids, () => follow(filter ?? {}));
}

@Resolver(() => AuditEventType)
export class AuditResolver {
  @RequireScope('audit:read')
  @Query(() => AuditEventConnection, {
    nullable: true,
    description: 'The audit log, newest first unless `order` says otherwise.',
    complexity: costOfEvents,
  })
  async auditEvents(
    @Ctx() { deps }: GraphqlContext,
    @Args(() => AuditEventPageArgs) page: OrderedPageRequest<AuditOrder>,
    @Arg('filter', () => AuditEventFilterInput, {
      nullable: true,
      description: 'Filters the events. Omit it for all events.',
    })
    filter: AuditEventFilterInput | undefined,
  ): Promise<CountedConnection<AuditEventType>> {
    const events = await listAuditEvents(deps, filter ?? {}, page);
    const connection = toConnection(events, toAuditEvent);
    return { ...connection, countAll: () => countAuditEvents(deps, filter ?? {}) };
  }

  @RequireScope('audit:read')
  @Subscription(() => AuditEventAddedType, {
    description:
      'Events of the audit log in the order in which the database wrote them, each once: about ten seconds later, so that ' +
      'none can come in between. With `Last-Event-ID` the stream resumes behind that event, otherwise it begins now. ' +
      'It ends with the token, the session or the key of its caller.',
    complexity: costOfFollowed,
    subscribe: ({ args, context }: Followed) => followed(context, args.filter),
  })
  auditEventAdded(
    @Root() added: AuditEventAddedType,
    @Arg('filter', () => AuditEventFilterInput, {
      nullable: true,
      description: 'Filters the events. Omit it for all events.',
    })
    _filter: AuditEventFilterInput | undefined,
  ): AuditEventAddedType {
    return added;
  }

  @RequireScope('users:read')
  @FieldResolver(() => UserType, {
    nullable: true,
    description:
      'The user that the event is about. Null if there is none, if the user was deleted, or if reading it failed; see `errors`.',
    complexity: costOfLoaded,
  })
  async user(@Root() { userId }: AuditEventType, @Ctx() { userById }: GraphqlContext): Promise<UserType | null> {
    return userId === null ? null : userById(userId);
  }

  @RequireScope('users:read')
  @FieldResolver(() => UserType, {
    nullable: true,
    description:
      'The user who has the email that a request named, or had it last as far as the latest 1,000 changes of emails tell: ' +
      'if `userId` is null, no active user had it then. Null for other events, if nobody had it, or if reading it failed; ' +
      'see `errors`.',
    complexity: costOfLoaded,
  })
  async userOfEmail(
    @Root() { entityType, userId, metadata }: AuditEventType,
    @Ctx() { userByEmail }: GraphqlContext,
  ): Promise<UserType | null> {
    const { email } = metadata;
    return entityType === 'user' && userId === null && typeof email === 'string' ? userByEmail(email) : null;
  }

  @FieldResolver(() => ID, {
    nullable: true,
    description:
      'Id of the session in which the event happened, or that it began or ended, a UUID. Null if there is none, if the event ' +
      'ended several sessions, if the session of a login or logout was swept, a day after it expired, or if reading it ' +
      'failed; see `errors`.',
    complexity: costOfLoaded,
  })
  async sessionId(@Root() event: AuditEventType, @Ctx() { sessionOfEvent }: GraphqlContext): Promise<string | null> {
    const named = sessionNamedBy(event);
    return named === undefined ? sessionOfEvent(event.id) : named;
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
    @Ctx() { deps, isGone, concurrency }: GraphqlContext,
    @Arg('bucket', () => TimeBucketEnum, { description: 'Length of a bucket.' }) bucket: TimeBucket,
    @Arg('timeZone', () => String, {
      nullable: true,
      defaultValue: UTC,
      description: 'IANA time zone in which buckets start, such as `Europe/Berlin`.',
    })
    timeZone: string | null,
    @Arg('filter', () => AuditCountFilterInput, { description: 'Filters the events and sets the time span.' })
    filter: AuditCountFilterInput,
  ): Promise<AuditCountType[]> {
    return concurrency.ofMuch(isGone, () => countByTime(deps, { bucket, timeZone: timeZone ?? UTC, filter }));
  }
}

@Resolver(() => AuditActorType)
export class AuditActorResolver {
  @RequireScope('users:read')
  @FieldResolver(() => UserType, {
    nullable: true,
    description:
      'The user who made the change. Null if it was no user, if the user was deleted, or if reading it failed; see `errors`.',
    complexity: costOfLoaded,
  })
  async user(
    @Root() { callerType, id }: AuditActorType,
    @Ctx() { userById }: GraphqlContext,
  ): Promise<UserType | null> {
    return callerType === 'user' && isUuid(id) ? userById(id) : null;
  }
}
