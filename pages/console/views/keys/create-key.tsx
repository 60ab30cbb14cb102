/** The dialogs that create a key. */

import { announce } from '../../../kit/announce.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { CopyableValue } from '../../../kit/copy.js';
import { Field } from '../../../kit/field.js';
import { ask } from '../../../kit/graphql.js';
import type { Problem } from '../../../kit/problem.js';
import { CreateApiKey, CreateCronKey, type CreateCronKeyInput } from '../../operations.js';
import { SecretOnce } from '../../secrets.js';
import { ScopeFields, scopesOf } from './scopes.js';
import { HEADER, TryApiKey, TryCronKey } from './try-key.js';

const DEFAULT_RATE_LIMIT = 60;
const MAX_RATE_LIMIT = 1_000_000;

interface Props {
  onChange(): void;
  onClose(): void;
}

export function CreateApiKeyDialog({ onChange, onClose }: Props) {
  const create = async (form: FormData) => {
    const input = { ...keyOf(form), rateLimit: Number(form.get('rateLimit')) };
    const { createApiKey: created } = await ask(CreateApiKey, { input });
    if (created === null) return;
    announce(`The API key of ${input.serviceName} is created.`);
    onChange();
    const { apiKey, secret } = created;
    return (
      <SecretOnce label="Secret" secret={secret}>
        <KeyId id={apiKey.id} />
        <TryApiKey keyId={apiKey.id} secret={secret} />
      </SecretOnce>
    );
  };
  return (
    <ChangeDialog
      title="Create an API key"
      action="Create"
      saidByFields={['serviceName', 'scopes', 'rateLimit', 'expiresAt']}
      onSubmit={create}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <p>A service signs its requests with its secret, which is shown once.</p>
          <ServiceName problem={problem} />
          <ScopeFields problem={problem} />
          <Field
            label="Requests per minute"
            name="rateLimit"
            type="number"
            min={1}
            max={MAX_RATE_LIMIT}
            defaultValue={String(DEFAULT_RATE_LIMIT)}
            hint="Over all instances. Beyond them requests are refused with 429."
            problem={problem}
            required
          />
          <Expiry problem={problem} />
        </>
      )}
    </ChangeDialog>
  );
}

export function CreateCronKeyDialog({ onChange, onClose }: Props) {
  const create = async (form: FormData) => {
    const input = keyOf(form);
    const { createCronKey: created } = await ask(CreateCronKey, { input });
    if (created === null) return;
    announce(`The cron key of ${input.serviceName} is created.`);
    onChange();
    return (
      <SecretOnce label={HEADER} secret={created.headerValue}>
        <TryCronKey headerValue={created.headerValue} />
      </SecretOnce>
    );
  };
  return (
    <ChangeDialog
      title="Create a cron key"
      action="Create"
      saidByFields={['serviceName', 'scopes', 'expiresAt']}
      onSubmit={create}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <p>A scheduled job sends it with each request. It is shown once.</p>
          <ServiceName problem={problem} />
          <ScopeFields problem={problem} />
          <Expiry problem={problem} />
        </>
      )}
    </ChangeDialog>
  );
}

/** The service needs it as well as the secret. */
function KeyId({ id }: { id: string }) {
  return (
    <p>
      Key id: <CopyableValue label="key id" text={id} />
    </p>
  );
}

function ServiceName({ problem }: { problem: Problem | undefined }) {
  return (
    <Field
      label="Service"
      name="serviceName"
      maxLength={100}
      hint="The name under which you find it here, such as billing"
      autocomplete="off"
      problem={problem}
      required
    />
  );
}

function Expiry({ problem }: { problem: Problem | undefined }) {
  return (
    <Field
      label="Expires"
      name="expiresAt"
      type="date"
      hint="At the end of this day. Without one the key works until it is revoked."
      problem={problem}
    />
  );
}

/** What both kinds of key have. The day is one of the browser's time zone. */
function keyOf(form: FormData): CreateCronKeyInput {
  const day = String(form.get('expiresAt'));
  return {
    serviceName: String(form.get('serviceName')).trim(),
    scopes: scopesOf(form),
    ...(day !== '' && { expiresAt: new Date(`${day}T23:59:59`).toISOString() }),
  };
}
