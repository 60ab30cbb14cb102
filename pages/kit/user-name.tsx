/** The e-mail of who is logged in, for their password manager. */
import { useMe } from './own/own.js';

/** A field that nobody sees, next to a field for the password (a rule of Chromium for forms of passwords). */
export function UserName() {
  const { data } = useMe();
  return (
    <input
      class="unseen"
      name="login-name"
      autocomplete="username"
      value={data?.email ?? ''}
      tabIndex={-1}
      aria-hidden="true"
      readonly
    />
  );
}
