/** The page on which people look after their own account. Only if ACCOUNT is on. (Interface 21) */
import type { Express } from 'express';
import type { Deps } from '../../services.js';
import { addAppPage } from '../app-page.js';
import { isForgotFormOurs } from './set-password-page.js';

/** Sections are behind `#`, so it has one path: ACCOUNT_PATH. */
export function addAccountPage(app: Express, { config }: Deps<'config'>): void {
  addAppPage(app, {
    name: 'account',
    paths: /^\/account$/,
    isPage: () => true,
    facts: {
      'public-url': config.publicUrl, // the origin whose logins are accepted
      mail: config.mail.kind !== 'off',
      devices: config.knownDevices,
      'set-password': isForgotFormOurs(config),
      'product-name': config.productName,
      ...(config.appUrl !== undefined && { 'app-url': config.appUrl }),
    },
  });
}
