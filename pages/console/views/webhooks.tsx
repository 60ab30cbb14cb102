/** The view Webhooks: where events go, and how far each receiver is. */
import { useRef, useState } from 'preact/hooks';
import { useAsked } from '../../kit/answer.js';
import { can } from '../../kit/auth.js';
import { useFocusBack } from '../../kit/focus.js';
import { Heading } from '../../kit/heading.js';
import { place } from '../../kit/location.js';
import { Answered, Empty } from '../../kit/states.js';
import { Table } from '../../kit/table.js';
import { useAskedFor } from '../asked-for.js';
import { Attempts } from './webhooks/attempts.js';
import {
  DeleteDialog,
  PauseDialog,
  ReplayDialog,
  ResumeDialog,
  RotateSecretDialog,
  TestDialog,
} from './webhooks/change-webhook.js';
import { CreateWebhookDialog } from './webhooks/create-webhook.js';
import { readWebhooks } from './webhooks/read-webhooks.js';
import { type StateName, stateOf, type Webhook } from './webhooks/webhook.js';
import { webhookColumns } from './webhooks/webhook-table.js';

/** How often lags and attempts are asked for again */
const POLL_MS = 15_000;

const DIALOGS = {
  test: TestDialog,
  pause: PauseDialog,
  resume: ResumeDialog,
  replay: ReplayDialog,
  rotate: RotateSecretDialog,
  delete: DeleteDialog,
};

type Change = 'create' | { action: keyof typeof DIALOGS; webhook: Webhook };

export function Webhooks() {
  const answer = useAsked('webhooks', readWebhooks, { pollMs: POLL_MS });
  const [change, setChange] = useState<Change>();
  /** Of the webhook whose attempts are shown */
  const [openId, setOpenId] = useState<string>();
  useAskedFor(() => can('webhooks:write') && setChange('create'));
  const section = useRef<HTMLElement>(null);
  const heading = useFocusBack(section);
  const isOn = answer.data?.isOn ?? true; // if it may not be asked, the dialog says that they are off
  const columns = webhookColumns((action, webhook) =>
    action === 'attempts' ? setOpenId(webhook.id) : setChange({ action, webhook }),
  );
  const dialog = { onChange: answer.reload, onClose: () => setChange(undefined) };
  const ChosenDialog = typeof change === 'object' ? DIALOGS[change.action] : undefined;
  return (
    <>
      <Heading text="Webhooks" />
      <section class="webhooks" aria-label="Receivers" ref={section}>
        <div class="bar">
          <div>
            <h2 tabIndex={-1} ref={heading}>
              Receivers
            </h2>
            <p class="quiet" role="status">
              {summaryOf(answer.data?.webhooks)}&nbsp;
            </p>
          </div>
          {can('webhooks:write') && isOn && (
            <button type="button" class="main" onClick={() => setChange('create')}>
              Create a webhook
            </button>
          )}
        </div>
        {!isOn && <WebhooksOff />}
        <Answered answer={answer}>
          {({ webhooks, hasMore }) => (
            <>
              {webhooks.length === 0 ? (
                <Empty>No webhook yet. A webhook sends events of the audit log to an address of yours.</Empty>
              ) : (
                <Table
                  caption="Webhooks"
                  columns={columns}
                  rows={webhooks}
                  keyOf={({ id }) => id}
                  isMarked={({ id }) => id === place.value.query.get('id')}
                />
              )}
              {hasMore && <p class="quiet">There are more webhooks than these. The command line lists all.</p>}
              {webhooks
                .filter(({ id }) => id === openId)
                .map((webhook) => (
                  <Attempts key={webhook.id} of={webhook} pollMs={POLL_MS} onClose={() => setOpenId(undefined)} />
                ))}
            </>
          )}
        </Answered>
      </section>
      {change === 'create' && <CreateWebhookDialog {...dialog} />}
      {typeof change === 'object' && ChosenDialog !== undefined && <ChosenDialog of={change.webhook} {...dialog} />}
    </>
  );
}

function WebhooksOff() {
  return (
    <p class="notice">
      Webhooks are off, so nothing is sent. To switch them on, set <code>WEBHOOK_HOSTS</code> to the hosts that may
      receive events, in every instance of the gateway, and restart them.
    </p>
  );
}

const NOTABLE: readonly StateName[] = ['failing', 'waiting', 'paused'];

/** `3 webhooks, 1 failing`: it changes rarely, so screen readers can read out when it does. */
function summaryOf(webhooks: readonly Webhook[] | undefined): string {
  if (webhooks === undefined) return '';
  const states = webhooks.map(stateOf);
  const counts = NOTABLE.map((state) => ({ state, count: states.filter((one) => one === state).length }));
  const notable = counts.filter(({ count }) => count > 0).map(({ state, count }) => `${count} ${state}`);
  return [webhooks.length === 1 ? '1 webhook' : `${webhooks.length} webhooks`, ...notable].join(', ');
}
