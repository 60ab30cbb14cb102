/** The console. (Interface 19) */
import type { Express } from 'express';
import type { Deps } from '../../services.js';
import { addAppPage } from '../app-page.js';
import { isForgotFormOurs } from './set-password-page.js';

/** In a decoded path: what other programs take for another path, such as dot segments, or for an asset. */
const NO_VIEW = /[/\\]\.{1,2}(?:[/\\]|$)|^\/console\/assets(?:\/|$)|\p{Cc}/u;

/** The page at every path below `/console`, so that a view survives a reload. */
export function addConsole(app: Express, { config }: Deps<'config'>): void {
  addAppPage(app, {
    name: 'console',
    paths: /^\/console(?:\/|$)/,
    isPage: isView,
    facts: {
      'public-url': config.publicUrl, // the origin whose logins are accepted
      explorer: config.graphql.explorer,
      'set-password': isForgotFormOurs(config),
      'product-name': config.productName,
    },
  });
}

function isView(path: string): boolean {
  try {
    return !NO_VIEW.test(decodeURIComponent(path));
  } catch {
    return false; // an invalid escape
  }
}
