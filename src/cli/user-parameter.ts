/** The parameter that names a user. (Interface 9) */
import { text } from './parameter-types.js';
import { word } from './parameters.js';

/** Both options are the old form. */
export const USER = word(text('EMAIL|ID'), 'the user, by e-mail or ID', 'name one user by e-mail or ID', 'email', 'id');
