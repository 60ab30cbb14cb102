/** What a key may do: the scopes of the gateway itself in words, and the names of any others. */
import { OWN_SCOPES } from '../../../../src/domain/scopes.js';
import type { Scope } from '../../../kit/auth.js';
import { Checkboxes } from '../../../kit/choice.js';
import { Field } from '../../../kit/field.js';
import type { Problem } from '../../../kit/problem.js';

/** A scope without words does not compile. */
const ALLOWS: Record<Scope, string> = {
  'users:read': 'See users, their sessions and their devices',
  'users:write': 'Create, change and delete users',
  'sessions:read': 'See the sessions of everybody',
  'sessions:write': 'See the sessions of everybody and end them',
  'audit:read': 'Read the audit log',
  'keys:read': 'See API keys and cron keys',
  'keys:write': 'Create, rotate and revoke keys',
  'webhooks:read': 'See webhooks and how far they are',
  'webhooks:write': 'Change and delete webhooks; creating or replaying one also needs audit:read',
  'gateway:read': 'See the state of the gateway',
  'tokens:introspect': 'Ask whether an access token is still good',
};

const OPTIONS = OWN_SCOPES.map((scope) => ({ value: scope, label: <code>{scope}</code>, hint: ALLOWS[scope] }));

/** The fields of a form that `scopesOf` reads */
export function ScopeFields({ problem }: { problem: Problem | undefined }) {
  return (
    <>
      <Checkboxes legend="Scopes of the gateway" name="own-scopes" options={OPTIONS} />
      <Field
        label="Scopes of other services"
        name="scopes"
        hint="Each as resource:action, with spaces between, such as invoices:read"
        autocomplete="off"
        spellcheck={false}
        problem={problem}
      />
    </>
  );
}

export function scopesOf(form: FormData): string[] {
  const others = String(form.get('scopes'))
    .split(/[\s,]+/)
    .filter((scope) => scope !== '');
  return [...new Set([...form.getAll('own-scopes').map(String), ...others])];
}
