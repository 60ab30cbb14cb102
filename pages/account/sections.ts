/** The sections of the page, by their anchors. (Interface 21) */
import { HAS_MAIL } from '../kit/settings.js';

export const SECTIONS: ReadonlyArray<readonly [id: string, name: string]> = [
  ...(HAS_MAIL ? [['email', 'E-mail'] as const] : []),
  ['password', 'Password'],
  ['factors', 'Second factors'],
  ['sessions', 'Sessions'],
  ['data', 'Your data'],
  ['delete', 'Delete'],
];
