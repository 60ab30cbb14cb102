/** The error of a file in `BREACHED_PASSWORDS` that is missing, unreadable or of another format. (Interface 2) */
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
