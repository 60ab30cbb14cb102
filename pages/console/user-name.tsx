/** The e-mail of who is logged in, for their password manager. */
import { useAnswer } from './answer.js';
import { OwnName } from './operations.js';

/** A field that nobody sees, next to a field for the password (a rule of Chromium for forms of passwords). */
export function UserName() {
  const { data } = useAnswer(OwnName, {});
  return (
    <input
      class="unseen"
      name="login-name"
      autocomplete="username"
      value={data?.me?.email ?? ''}
      tabIndex={-1}
      aria-hidden="true"
      readonly
    />
  );
}
