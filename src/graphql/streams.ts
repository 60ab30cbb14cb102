/**
 * Subscriptions as Server-Sent Events: the distinct connections of the protocol graphql-sse. Apollo Server resolves the caller,
 * parses, validates and counts the cost, as of every operation, and does not run subscriptions; graphql-js does. (Interface 24)
 */
import {
  createSourceEventStream,
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from 'graphql';
import type { FollowedEvent, Look } from '../audit/live.js';
import type { GraphqlAnswer, GraphqlRequest } from '../callers/graphql-over-http.js';
import { kindOf } from '../callers/kinds.js';
import { isOutage } from '../db/outage.js';
import { hasScope, ownScopes } from '../domain/scopes.js';
import type { RequestIds } from '../platform/logger.js';
import { scopesByCredential } from './authorization.js';
import { createLoaders, type GraphqlContext, type GraphqlDependencies } from './context.js';
import { errorOf, status } from './errors.js';
import { toAuditEvent } from './types/audit.js';

/** Streams of one instance, and those of one caller there */
export const MAX_STREAMS = 100;
export const MAX_STREAMS_OF_CALLER = 4;
/** How long a stream may say nothing: milliseconds. Proxies end what is silent for a minute. */
const SILENT_MS = 15_000;
/** How often it is asked whether the caller may still read: milliseconds. */
const RIGHT_MS = 10_000;
/** Events that are executed together, so that loaders read for all of them at once */
const AT_ONCE = 100;

const HEADERS = new Map([
  ['content-type', 'text/event-stream; charset=utf-8'],
  ['x-accel-buffering', 'no'], // nginx would wait for more
]);
const COMPLETE = 'event: complete\ndata: \n\n';

/** An operation that Apollo Server has found valid */
export interface Subscription {
  document: DocumentNode;
  operationName: string | null;
  variableValues: Record<string, unknown>;
}

export interface StreamTimes {
  silentMs?: number;
  rightMs?: number;
}

/** The answer of an operation that is no subscription, for clients that read streams alone */
export function streamOfOne(body: string): GraphqlAnswer {
  return {
    status: 200,
    headers: HEADERS,
    body: (async function* () {
      yield `event: next\ndata: ${body}\n\n${COMPLETE}`;
    })(),
  };
}

export function createStreams(
  deps: GraphqlDependencies,
  schema: GraphQLSchema,
  formatFor: (ids: RequestIds) => (error: GraphQLError) => GraphQLFormattedError,
  { silentMs = SILENT_MS, rightMs = RIGHT_MS }: StreamTimes = {},
) {
  const { clock, config, db, metrics, state } = deps;
  const open = new Map<string, number>();
  let total = 0;

  /** @returns gives the place back, once @throws {GraphQLError} RATE_LIMITED */
  const takePlace = (id: string): (() => void) => {
    const ofCaller = open.get(id) ?? 0;
    if (total >= MAX_STREAMS || ofCaller >= MAX_STREAMS_OF_CALLER) {
      const who = ofCaller >= MAX_STREAMS_OF_CALLER ? 'caller' : 'instance';
      const tooMany = status(429, ['retry-after', '5']);
      throw errorOf(
        'too_many_streams',
        `This ${who} has as many streams as it may; end one, or try again later`,
        tooMany,
      );
    }
    open.set(id, ofCaller + 1);
    total += 1;
    metrics.auditStreams.set(total);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      const left = (open.get(id) ?? 1) - 1;
      if (left > 0) open.set(id, left);
      else open.delete(id);
      total -= 1;
      metrics.auditStreams.set(total);
    };
  };

  /** False once the token, session or key has ended, or one of its scopes is lost; undefined during an outage. */
  const mayStill = async (context: GraphqlContext): Promise<boolean | undefined> => {
    const { caller } = context;
    try {
      const now = await kindOf(caller).scopesNow(db.admin, caller, clock.now(), config);
      return now !== undefined && ownScopes(scopesByCredential(context)).every((scope) => hasScope(now, scope));
    } catch (error) {
      if (!isOutage(error)) throw error;
      return undefined;
    }
  };

  /** Loaders for all streams that are given the same events: the database is asked once. */
  const loadersOf = new WeakMap<object, ReturnType<typeof createLoaders>>();
  const sharedLoaders = (page: object): ReturnType<typeof createLoaders> => {
    const found = loadersOf.get(page) ?? createLoaders(deps, (read) => read(), true);
    loadersOf.set(page, found);
    return found;
  };

  const frameOf = async (
    operation: Subscription,
    context: GraphqlContext,
    { event, cursor, page }: FollowedEvent,
  ): Promise<string> => {
    const contextValue = { ...context, ...sharedLoaders(page) };
    const { data, errors } = await execute({
      schema,
      ...operation,
      rootValue: { cursor, event: toAuditEvent(event) },
      contextValue,
    });
    const result = { ...(errors && { errors: errors.map(formatFor(context.ids)) }), data };
    return `id: ${cursor}\nevent: next\ndata: ${JSON.stringify(result)}\n\n`;
  };

  async function* framesOf(
    request: GraphqlRequest,
    subscription: Subscription,
    context: GraphqlContext,
    looks: AsyncIterable<Look>,
    givePlace: () => void,
  ): AsyncGenerator<string> {
    let askedMs = performance.now();
    let saidMs = Number.NEGATIVE_INFINITY;
    const isOver = async (): Promise<boolean> => {
      if (state.isStopping) return true;
      const nowMs = performance.now();
      if (nowMs - askedMs < rightMs) return false;
      const may = await mayStill(context);
      if (may) askedMs = nowMs; // in an outage it is asked again
      return may === false;
    };
    try {
      for await (const { events, cursor } of looks) {
        if (request.isGone()) return;
        if (await isOver()) break;
        for (let i = 0; i < events.length; i += AT_ONCE) {
          if (i > 0 && (await isOver())) return yield COMPLETE; // its reader may be slow
          const frames = events.slice(i, i + AT_ONCE).map((event) => frameOf(subscription, context, event));
          yield (await Promise.all(frames)).join('');
          saidMs = performance.now();
        }
        const nowMs = performance.now();
        if (nowMs - saidMs >= silentMs) {
          yield `:\nid: ${cursor}\n\n`;
          saidMs = nowMs;
        }
      }
      yield COMPLETE;
    } finally {
      givePlace();
    }
  }

  return {
    /** @returns the errors if there is nothing to follow @throws {GraphQLError} RATE_LIMITED */
    open: async (
      request: GraphqlRequest,
      context: GraphqlContext,
      subscription: Subscription,
    ): Promise<GraphqlAnswer | readonly GraphQLError[]> => {
      const { caller } = context;
      const givePlace = takePlace(kindOf(caller).id(caller));
      request.onGone(givePlace);
      const looks = await createSourceEventStream({ schema, ...subscription, contextValue: context });
      if (!(Symbol.asyncIterator in looks)) {
        givePlace();
        return looks.errors ?? [];
      }
      const frames = framesOf(request, subscription, context, looks as AsyncIterable<Look>, givePlace);
      return { status: 200, headers: HEADERS, body: frames };
    },
  };
}
