/** The error of a folder in `MAIL_TEMPLATES` that cannot be read, or of a text in it that cannot be mailed. (Interface 17) */
import { ExplainedError } from '../platform/explained.js';

export class MailTemplatesError extends ExplainedError {
  override readonly name = 'MailTemplatesError';

  constructor(path: string, fault: string) {
    super(`MAIL_TEMPLATES: ${path} ${fault}`, 'see docs/mail.md#texts-of-your-own for the form, or unset it');
  }
}
