/** Interface 17: `MAIL_TEMPLATES` cannot be read, or one of its texts cannot be mailed. */
import { ExplainedError } from '../platform/explained.js';

export class MailTemplatesError extends ExplainedError {
  override readonly name = 'MailTemplatesError';

  constructor(path: string, fault: string) {
    super(`MAIL_TEMPLATES: ${path} ${fault}`, 'see docs/mail.md#texts-of-your-own for the form, or unset it');
  }
}
