/** Interface 9: how a command is told of which user. */
import { text } from './kinds.js';
import { word } from './parameters.js';

/** Both options are the old way to say it. */
export const USER = word(text('EMAIL|ID'), 'whom: an e-mail or an ID', 'name one user, by e-mail or ID', 'email', 'id');
