/** Interface 6: ROLE_SCOPES_FILE, what roles may do in the services behind the gateway. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Role } from '../domain/roles.js';
import { isScope, OWN_SCOPES } from '../domain/scopes.js';

/** As many as a key may have */
const MOST_SCOPES = 50;

const foreignScope = z
  .string('must be texts')
  .refine(isScope, 'must be resource:action in lower case, such as invoices:read')
  .refine(
    (scope) => !OWN_SCOPES.some((own) => own === scope),
    'must not be scopes of the gateway itself, which come with the role',
  );

const scopes = z
  .array(foreignScope, 'must be a list')
  .max(MOST_SCOPES, `may be ${MOST_SCOPES} at most`)
  .refine((list) => new Set(list).size === list.length, 'must differ')
  .default([]);

const content: z.ZodType<Record<Role, string[]>> = z.strictObject(
  { viewer: scopes, analyst: scopes, admin: scopes },
  'must be an object whose names are of viewer, analyst and admin',
);

/** The file, read once. Its content is no secret, but is not repeated either. */
export const roleScopesFile = z
  .string()
  .transform((path, context) => {
    const refuse = (message: string) => {
      context.issues.push({ code: 'custom', message, input: path });
      return z.NEVER;
    };
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      return refuse(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
    const read = content.safeParse(parsed(text));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    const of = issue?.path[0] === undefined ? 'its content' : `the scopes of ${String(issue.path[0])}`;
    return refuse(`names a file that cannot be used: ${of} ${issue?.message}`);
  })
  .describe('the path of a JSON file such as {"analyst": ["invoices:read"]}');

/** @returns undefined if it is not JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
