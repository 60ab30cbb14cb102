/** Interface 2: `BREACHED_PASSWORDS` is missing, unreadable or of another format. */
import { ExplainedError } from '../../platform/explained.js';

export class BreachedPasswordsError extends ExplainedError {
  override readonly name = 'BreachedPasswordsError';

  constructor(path: string, fault: string) {
    super(
      `BREACHED_PASSWORDS: ${path} ${fault}`,
      'see docs/passwords.md#breached-passwords for how to download them, or unset it',
    );
  }
}
