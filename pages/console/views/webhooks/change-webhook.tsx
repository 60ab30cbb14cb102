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
import { SendNow, SentText, VerifySnippet } from './try-webhook.js';
import { lagText, nameOf, parkedText, type Webhook } from './webhook.js';

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
      <>
        <h3>1. Put the new secret into the receiver</h3>
        <SecretOnce label="New secret that signs the events" secret={rotated.secret}>
          <VerifySnippet />
        </SecretOnce>
        <LastSteps of={webhook} endsAt={rotated.webhook.previousSecretEndsAt} />
      </>
    );
  };
  return (
    <ChangeDialog
      title="Rotate the secret"
      action={webhook.previousSecretEndsAt === null ? 'Rotate' : 'Rotate again'}
      tone={overlapSeconds === 0 || webhook.previousSecretEndsAt !== null ? 'bad' : 'plain'}
      onSubmit={rotate}
      onClose={onClose}
    >
      {webhook.previousSecretEndsAt !== null && (
        <>
          <p>Two secrets sign at the moment.</p>
          <h3>1. Put the new secret into the receiver</h3>
          <p>It was shown once. If it is lost, rotate again.</p>
          <LastSteps of={webhook} endsAt={webhook.previousSecretEndsAt} />
          <h3>Or rotate again</h3>
          <p>The older of the two secrets then ends at once.</p>
        </>
      )}
      <p>
        Gives the webhook to <Foreign text={name} /> a new secret, which is shown once.
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

/** What is left of a rotation once the secret was shown; also when the dialog is opened again. */
function LastSteps({ of: { id }, endsAt }: { of: Webhook; endsAt: string | null }) {
  const send = async () => (await ask(TestWebhook, { id, newSecretOnly: true })).testWebhook;
  return (
    <>
      <h3>2. Try it</h3>
      <p>A test event is signed by the new secret alone: a receiver that accepts it has the secret.</p>
      <div>
        <SendNow send={send}>Send a test event</SendNow>
      </div>
      <h3>3. Let the old secret end</h3>
      <PreviousSecret verb="signs too" endsAt={endsAt} />
      {endsAt !== null && (
        <p class="hint">It ends by itself. “Rotate” in the row shows these steps again until then.</p>
      )}
    </>
  );
}

/** Nothing changes: the event is in no log. */
export function TestDialog({ of: webhook, onClose }: Props) {
  const name = nameOf(webhook);
  const test = async () => {
    const { testWebhook: sent } = await ask(TestWebhook, { id: webhook.id, newSecretOnly: false });
    return sent && <SentText of={sent} />;
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
