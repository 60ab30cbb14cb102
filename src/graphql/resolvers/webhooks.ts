/** Resolvers of webhooks. (Interface 17) */
import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  pauseWebhook,
  RESENDS_EVENT,
  replayWebhook,
  resumeWebhook,
  rotateWebhookSecret,
  TESTS_WEBHOOK,
  type WebhookOrder,
} from '../../admin/webhooks.js';
import type { OrderedPageRequest } from '../../listing/keyset.js';
import { operatorOf, RequireScope, RequiresWhat } from '../authorization.js';
import type { GraphqlContext } from '../context.js';
import { costOfAttempts, costOfPage } from '../limits.js';
import { type Connection, toConnection } from '../types/connection.js';
import {
  CreateWebhookInput,
  CreateWebhookPayload,
  DeleteWebhookInput,
  DeleteWebhookPayload,
  PauseWebhookInput,
  PauseWebhookPayload,
  ReplayWebhookInput,
  ReplayWebhookPayload,
  ResendWebhookEventInput,
  ResendWebhookEventPayload,
  ResumeWebhookInput,
  ResumeWebhookPayload,
  RotateWebhookSecretInput,
  RotateWebhookSecretPayload,
  TestWebhookInput,
  TestWebhookPayload,
  toSentByHand,
  toWebhook,
  toWebhookEventAttempt,
  WebhookConnection,
  WebhookEventAttemptType,
  WebhookPageArgs,
  WebhookType,
} from '../types/webhook.js';

/** For the head of the answer to an event that is sent by hand: milliseconds. GraphQL answers within 5 s. */
const BY_HAND_MS = 3_500;

@Resolver(() => WebhookType)
export class WebhookResolver {
  @RequireScope('webhooks:read')
  @Query(() => WebhookType, { nullable: true, description: 'A webhook by id.' })
  async webhook(
    @Ctx() { deps }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Webhook id.' }) id: string,
  ): Promise<WebhookType> {
    return toWebhook(await findWebhook(deps.db.admin, id), deps.clock.now());
  }

  @RequireScope('webhooks:read')
  @Query(() => WebhookConnection, {
    nullable: true,
    description: 'Webhooks, oldest first unless `order` says otherwise.',
    complexity: costOfPage,
  })
  async webhooks(
    @Ctx() { deps }: GraphqlContext,
    @Args(() => WebhookPageArgs) page: OrderedPageRequest<WebhookOrder>,
  ): Promise<Connection<WebhookType>> {
    const now = deps.clock.now();
    const webhooks = await listWebhooks(deps, page);
    return toConnection(webhooks, (webhook) => toWebhook(webhook, now));
  }

  /** Nullable, as `url`. */
  @RequireScope('webhooks:read')
  @FieldResolver(() => [WebhookEventAttemptType], {
    nullable: true,
    description: 'The last 50 attempts, newest first.',
    complexity: costOfAttempts,
  })
  async attempts(
    @Root() { id }: WebhookType,
    @Ctx() { attemptsOf }: GraphqlContext,
  ): Promise<WebhookEventAttemptType[]> {
    return (await attemptsOf(id)).map(toWebhookEventAttempt);
  }

  @RequiresWhat(createWebhook)
  @Mutation(() => CreateWebhookPayload, {
    nullable: true,
    description: 'Creates a webhook, which receives events from now on. The first one is its own `webhook_created`.',
  })
  async createWebhook(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => CreateWebhookInput, { description: 'The webhook to create.' }) input: CreateWebhookInput,
  ): Promise<CreateWebhookPayload> {
    const { deps } = context;
    const { webhook, secret } = await createWebhook(deps, operatorOf(context), input);
    return { webhook: toWebhook(webhook, deps.clock.now()), secret };
  }

  @RequiresWhat(rotateWebhookSecret)
  @Mutation(() => RotateWebhookSecretPayload, {
    nullable: true,
    description: 'Gives a webhook a new secret. Until the overlap ends, events are signed with both.',
  })
  async rotateWebhookSecret(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => RotateWebhookSecretInput, { description: 'The webhook to rotate, and how.' })
    { id, overlapSeconds }: RotateWebhookSecretInput,
  ): Promise<RotateWebhookSecretPayload> {
    const { deps } = context;
    const operator = operatorOf(context);
    const { webhook, secret } = await rotateWebhookSecret(deps, operator, id, overlapSeconds ?? undefined);
    return { webhook: toWebhook(webhook, deps.clock.now()), secret };
  }

  @RequiresWhat({ needs: TESTS_WEBHOOK })
  @Mutation(() => TestWebhookPayload, {
    nullable: true,
    description:
      'Sends a webhook one signed event of type `webhook_test`, also while it is paused. It is in no log, and does not count as ' +
      'its last attempt.',
  })
  async testWebhook(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => TestWebhookInput, { description: 'The webhook to test.' })
    { id, newSecretOnly }: TestWebhookInput,
  ): Promise<TestWebhookPayload> {
    const { testWebhook } = await import('../../admin/send-by-hand.js'); // with the HTTP client
    return toSentByHand(await testWebhook(context.deps, operatorOf(context), id, newSecretOnly ?? false, BY_HAND_MS));
  }

  @RequiresWhat({ needs: RESENDS_EVENT })
  @Mutation(() => ResendWebhookEventPayload, {
    nullable: true,
    description:
      'Sends a webhook one event of the audit log again, with the id that it had, also while the webhook is paused. It is ' +
      'stored in `attempts`, and the audit log does not record it. An event that waits is still sent when it is due. If the ' +
      'webhook has `includeEmails`, this also needs `users:read`.',
  })
  async resendWebhookEvent(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => ResendWebhookEventInput, {
      description: 'The event to send again, and the webhook that gets it.',
    })
    { id, eventId }: ResendWebhookEventInput,
  ): Promise<ResendWebhookEventPayload> {
    const { resendWebhookEvent } = await import('../../admin/send-by-hand.js');
    return toSentByHand(await resendWebhookEvent(context.deps, operatorOf(context), id, eventId, BY_HAND_MS));
  }

  @RequiresWhat(pauseWebhook)
  @Mutation(() => PauseWebhookPayload, {
    nullable: true,
    description: 'Pauses a webhook. Nothing is sent to it, and events wait until it is resumed.',
  })
  async pauseWebhook(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => PauseWebhookInput, { description: 'The webhook to pause.' }) { id }: PauseWebhookInput,
  ): Promise<PauseWebhookPayload> {
    const { deps } = context;
    return { webhook: toWebhook(await pauseWebhook(deps, operatorOf(context), id), deps.clock.now()) };
  }

  @RequiresWhat(resumeWebhook)
  @Mutation(() => ResumeWebhookPayload, {
    nullable: true,
    description: 'Resumes a paused webhook. Events that have waited or failed are sent at once.',
  })
  async resumeWebhook(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => ResumeWebhookInput, { description: 'The webhook to resume.' }) { id }: ResumeWebhookInput,
  ): Promise<ResumeWebhookPayload> {
    const { deps } = context;
    return { webhook: toWebhook(await resumeWebhook(deps, operatorOf(context), id), deps.clock.now()) };
  }

  @RequiresWhat(replayWebhook)
  @Mutation(() => ReplayWebhookPayload, {
    nullable: true,
    description:
      'Sends a webhook all events since a time again, with the ids that they had. Older events that wait or failed are dropped. ' +
      'If the webhook has `includeEmails`, this also needs `users:read`.',
  })
  async replayWebhook(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => ReplayWebhookInput, { description: 'The webhook to replay, and from when.' })
    { id, since }: ReplayWebhookInput,
  ): Promise<ReplayWebhookPayload> {
    const { deps } = context;
    return { webhook: toWebhook(await replayWebhook(deps, operatorOf(context), id, since), deps.clock.now()) };
  }

  @RequiresWhat(deleteWebhook)
  @Mutation(() => DeleteWebhookPayload, {
    nullable: true,
    description: 'Deletes a webhook. Events that wait for it are not sent any more.',
  })
  async deleteWebhook(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => DeleteWebhookInput, { description: 'The webhook to delete.' }) { id }: DeleteWebhookInput,
  ): Promise<DeleteWebhookPayload> {
    return { deletedId: (await deleteWebhook(context.deps, operatorOf(context), id)).id };
  }
}
