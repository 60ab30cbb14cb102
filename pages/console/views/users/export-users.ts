/** The file that the list of users is exported as. */
import { csvOf } from '../../../../src/platform/csv.js';
import type { Format } from '../../../kit/export-all.js';
import type { UserFacts } from '../user/facts.js';

const COLUMNS: ReadonlyArray<[name: string, cell: (user: UserFacts) => string | number | boolean | null]> = [
  ['id', ({ id }) => id],
  ['email', ({ email }) => email],
  ['role', ({ role }) => role],
  ['is_active', ({ isActive }) => isActive],
  ['has_password', ({ hasPassword }) => hasPassword],
  ['failed_login_attempts', ({ failedLoginAttempts }) => failedLoginAttempts],
  ['locked_until', ({ lockedUntil }) => lockedUntil],
  ['last_login_at', ({ lastLoginAt }) => lastLoginAt],
  ['created_at', ({ createdAt }) => createdAt],
];

export const FORMATS: ReadonlyArray<Format<UserFacts>> = [
  {
    name: 'CSV',
    extension: 'csv',
    type: 'text/csv;charset=utf-8',
    head: csvOf([COLUMNS.map(([name]) => name)]),
    text: (users) => csvOf(users.map((user) => COLUMNS.map(([, cell]) => String(cell(user) ?? '')))),
  },
];
