/** The dialogs that change a webhook. */
import { useState } from 'preact/hooks';
import { announce } from '../../../kit/announce.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { Field } from '../../../kit/field.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import type { Problem } from '../../../kit/problem.js';
import { TIME_ZONE } from '../../../kit/time.js';
import {
  DeleteWebhook,
  PauseWebhook,
  ReplayWebhook,
  ResumeWebhook,
  RotateWebhookSecret,
  TestWebhook,
} from '../../operations.js';
import { DAY_SECONDS, OverlapChoice, PreviousSecret, SecretOnce } from '../../secrets.js';
import { VerifySnippet } from './try-webhook.js';
import { lagText, nameOf, outcomeText, parkedText, type Webhook } from './webhook.js';

interface Props {
  of: Webhook;
  onChange(): void;
  onClose(): void;
}

export function RotateSecretDialog({ of: webhook, onChange, onClose }: Props) {
  const [overlapSeconds, setOverlap] = useState(DAY_SECONDS);
  const name = nameOf(webhook);
  const rotate = async () => {
    const input = { id: webhook.id, overlapSeconds };
    const { rotateWebhookSecret: rotated } = await ask(RotateWebhookSecret, { input });
    if (rotated === null) return;
    announce(`The webhook to ${name} has a new secret.`);
    onChange();
    return (
      <SecretOnce label="New secret that signs the events" secret={rotated.secret}>
        <PreviousSecret verb="signs too" endsAt={rotated.webhook.previousSecretEndsAt} />
        <VerifySnippet />
      </SecretOnce>
    );
  };
  return (
    <ChangeDialog
      title="Rotate the secret"
      action="Rotate"
      tone={overlapSeconds === 0 ? 'bad' : 'plain'}
      onSubmit={rotate}
      onClose={onClose}
    >
      <p>
        Gives the webhook to <Foreign text={name} /> a new secret, which is shown once.
        {webhook.previousSecretEndsAt !== null && ' Two secrets sign at the moment: the older one ends at once.'}
      </p>
      <OverlapChoice
        verb="signs too"
        atOnce="After a leak. What the receiver refuses until it has the new secret is tried again."
        chosen={overlapSeconds}
        onChoose={setOverlap}
      />
    </ChangeDialog>
  );
}

/** Nothing changes: the event is in no log. */
export function TestDialog({ of: webhook, onClose }: Props) {
  const name = nameOf(webhook);
  const test = async () => {
    const { testWebhook: sent } = await ask(TestWebhook, { id: webhook.id });
    if (sent === null) return;
    const isDelivered = sent.outcome === 'delivered';
    return (
      <p class={isDelivered ? 'good' : 'bad'}>
        {isDelivered ? 'Delivered' : 'Not delivered'} in {sent.milliseconds.toLocaleString('en-GB')} ms:{' '}
        {outcomeText(sent)}.
      </p>
    );
  };
  return (
    <ChangeDialog title="Send a test event" action="Send" onSubmit={test} onClose={onClose}>
      <p>
        Sends <Foreign text={name} /> one signed event of type <code>webhook_test</code>, also if it is paused.
      </p>
    </ChangeDialog>
  );
}

export function PauseDialog({ of: webhook, onChange, onClose }: Props) {
  const name = nameOf(webhook);
  const pause = async () => {
    await ask(PauseWebhook, { id: webhook.id });
    announce(`The webhook to ${name} is paused.`);
    onChange();
  };
  return (
    <ChangeDialog title="Pause the webhook" action="Pause" onSubmit={pause} onClose={onClose}>
      <p>
        Nothing is sent to <Foreign text={name} /> until somebody resumes it. Events wait meanwhile, and none is lost
        while the audit log has it.
      </p>
    </ChangeDialog>
  );
}

export function ResumeDialog({ of: webhook, onChange, onClose }: Props) {
  const name = nameOf(webhook);
  const parked = parkedText(webhook);
  const resume = async () => {
    await ask(ResumeWebhook, { id: webhook.id });
    announce(`The webhook to ${name} is resumed.`);
    onChange();
  };
  return (
    <ChangeDialog title="Resume the webhook" action="Resume" onSubmit={resume} onClose={onClose}>
      <p>
        Sends <Foreign text={name} /> what has waited, at once
        {parked !== '' && `, and its ${parked}`}.
        {webhook.pausedBy === 'receiver' && ' Its receiver had answered 410: if it does so again, it is paused again.'}
      </p>
    </ChangeDialog>
  );
}

const DAY_MS = DAY_SECONDS * 1000;
const MINUTE_MS = 60_000;

export function ReplayDialog({ of: webhook, onChange, onClose }: Props) {
  const name = nameOf(webhook);
  const [now] = useState(() => Date.now());
  const parked = parkedText(webhook);
  const replay = async (form: FormData) => {
    const since = new Date(String(form.get('since'))).toISOString();
    await ask(ReplayWebhook, { id: webhook.id, since });
    announce(`The webhook to ${name} gets its events again.`);
    onChange();
  };
  return (
    <ChangeDialog
      title="Replay events"
      action="Replay"
      tone="bad"
      saidByFields={['since']}
      onSubmit={replay}
      onClose={onClose}
    >
      {(problem: Problem | undefined) => (
        <>
          <p>
            Sends <Foreign text={name} /> all its events since a time again, with the ids that they had. Older events
            that wait or failed are dropped{parked !== '' && ` (it has ${parked})`}.
          </p>
          <Field
            label="Since"
            name="since"
            type="datetime-local"
            defaultValue={localText(now - DAY_MS)}
            max={localText(now)}
            hint={`In your time zone, ${TIME_ZONE}`}
            problem={problem}
            required
          />
        </>
      )}
    </ChangeDialog>
  );
}

/** As `datetime-local` has it, to the minute: `2026-11-25T14:07` */
function localText(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * MINUTE_MS;
  return new Date(ms - offsetMs).toISOString().slice(0, 16);
}

export function DeleteDialog({ of: webhook, onChange, onClose }: Props) {
  const name = nameOf(webhook);
  const [parked, lag] = [parkedText(webhook), lagText(webhook)];
  const remove = async () => {
    await ask(DeleteWebhook, { id: webhook.id });
    announce(`The webhook to ${name} is deleted.`);
    onChange();
  };
  return (
    <ChangeDialog title="Delete the webhook" action="Delete" tone="bad" onSubmit={remove} onClose={onClose}>
      <p>
        <strong>
          <Foreign text={name} />
        </strong>{' '}
        gets no more events, and its secret ends. This cannot be undone.
      </p>
      {(parked !== '' || lag !== '') && (
        <p>
          {parked === '' ? 'The events' : `Its ${parked} and all others`} that wait for it are not sent any more
          {lag !== '' && `; the oldest has waited for ${lag}`}.
        </p>
      )}
    </ChangeDialog>
  );
}
