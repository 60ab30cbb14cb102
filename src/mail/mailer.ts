/** The mailer that MAIL names. (Interface 17) */
import type { Config } from '../config/config.js';
import { createPrinter, type Mailer } from './mail.js';

/**
 * nodemailer is loaded only for MAIL=smtp.
 * @param print writes a line to the terminal, for MAIL=log
 */
export async function createMailer({ mail, publicUrl }: Config, print: (line: string) => void): Promise<Mailer> {
  if (mail.kind !== 'smtp' || mail.smtp === undefined) return createPrinter(print);
  const { createSmtpMailer } = await import('./smtp.js');
  return createSmtpMailer(mail.smtp, new URL(publicUrl).hostname);
}
