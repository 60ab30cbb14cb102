/** The way out of a lock, if the gateway mails links. (Interface 21) */
import { forgotAddress } from '../forgot.js';
import { HAS_FORGOT_PAGE } from '../settings.js';

/** @param reason why the gateway refused the login */
export function Unlock({ reason, email }: { reason: string | undefined; email: string | undefined }) {
  if (reason !== 'account_locked' || !HAS_FORGOT_PAGE) return null;
  return (
    <>
      {' '}
      A new password unlocks it at once: <a href={forgotAddress(email)}>have a link sent to you</a>.
    </>
  );
}
