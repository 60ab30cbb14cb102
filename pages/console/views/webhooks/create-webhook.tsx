/** The dialog that creates a webhook. */

import { announce } from '../../../kit/announce.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { Choosable } from '../../../kit/choice.js';
import { Field } from '../../../kit/field.js';
import { ask } from '../../../kit/graphql.js';
import { CreateWebhook } from '../../operations.js';
import { SecretOnce } from '../../secrets.js';
import { EventChoice, eventTypesOf } from './event-choice.js';
import { VerifySnippet } from './try-webhook.js';

const MAX_URL = 2048;

interface Props {
  onChange(): void;
  onClose(): void;
}

export function CreateWebhookDialog({ onChange, onClose }: Props) {
  const create = async (form: FormData) => {
    const input = {
      url: String(form.get('url')).trim(),
      eventTypes: eventTypesOf(form),
      includeEmails: form.has('includeEmails'),
    };
    const { createWebhook: created } = await ask(CreateWebhook, { input });
    if (created === null) return;
    announce('The webhook is created.');
    onChange();
    return (
      <SecretOnce label="Secret that signs the events" secret={created.secret}>
        <VerifySnippet />
        <p class="hint">Then “Test” in its row sends one event to try it.</p>
      </SecretOnce>
    );
  };
  return (
    <ChangeDialog
      title="Create a webhook"
      action="Create"
      saidByFields={['url', 'eventTypes']}
      onSubmit={create}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <p>The gateway sends events of the audit log from now on, each as a signed POST.</p>
          <Field
            label="URL"
            name="url"
            type="url"
            maxLength={MAX_URL}
            placeholder="https://"
            hint="WEBHOOK_HOSTS has to list its host and port."
            autocomplete="off"
            spellcheck={false}
            problem={problem}
            required
          />
          <EventChoice problem={problem} />
          <Choosable
            type="checkbox"
            name="includeEmails"
            option={{
              value: 'yes',
              label: 'Include e-mails',
              hint: 'Without them an event names a user by the id alone.',
            }}
          />
        </>
      )}
    </ChangeDialog>
  );
}
