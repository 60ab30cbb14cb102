/** How a receiver knows that the gateway has sent an event, and what it makes of one that is sent now. */
import { type ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { changeProblemOf } from '../../../kit/change.js';
import { Copyable } from '../../../kit/copy.js';
import { shownProblem } from '../../../kit/problem.js';
import type { TestWebhookMutation } from '../../operations.js';
import { outcomeText } from './webhook.js';

const VERIFY = `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

/** The event; throws unless the gateway has signed this body. Pass the body as it came, before it is parsed. */
export const verify = (body, headers) => webhook.verify(body, headers);
`;

export function VerifySnippet() {
  return (
    <>
      <Copyable label="Verify events in the receiver (npm install standardwebhooks)" text={VERIFY} />
      <p class="hint">
        Put the secret into its environment as <code>WEBHOOK_SECRET</code>. Answer 2xx within 15 seconds.
      </p>
    </>
  );
}

type Sent = TestWebhookMutation['testWebhook'];

/** `Delivered in 12 ms: delivered (204).` */
export function SentText({ of: sent }: { of: NonNullable<Sent> }) {
  const isDelivered = sent.outcome === 'delivered';
  return (
    <p class={isDelivered ? 'good' : 'bad'}>
      {isDelivered ? 'Delivered' : 'Not delivered'} in {sent.milliseconds.toLocaleString('en-GB')} ms:{' '}
      {outcomeText(sent)}.
    </p>
  );
}

interface SendProps {
  children: string;
  /** What the button says to screen readers, if its text alone says too little */
  label?: string;
  send(): Promise<Sent>;
  onSent?(): void;
}

/** A button that sends an event, with the outcome below it. */
export function SendNow({ children, label, send, onSent }: SendProps) {
  const [isSending, setSending] = useState(false);
  const [said, setSaid] = useState<ComponentChildren>();
  const press = async (): Promise<void> => {
    if (isSending) return; // a disabled button would lose the focus
    setSending(true);
    setSaid('Sending…');
    try {
      const sent = await send();
      setSaid(sent && <SentText of={sent} />);
      onSent?.();
    } catch (error) {
      setSaid(<p class="bad">{shownProblem(changeProblemOf(error)).message}</p>);
    }
    setSending(false);
  };
  return (
    <>
      <button type="button" class="small" aria-label={label} onClick={press}>
        {children}
      </button>
      <div role="status">{said}</div>
    </>
  );
}
