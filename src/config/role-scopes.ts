/** ROLE_SCOPES_FILE, what roles may do in the services behind the gateway. (Interface 6) */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Role } from '../domain/roles.js';
import { isScope, MAX_SCOPES, OWN_SCOPES } from '../domain/scopes.js';

/** What each role may do there */
export type RoleScopes = Record<Role, string[]>;

export const NO_ROLE_SCOPES: RoleScopes = { viewer: [], analyst: [], admin: [] };

/** Each message is the end of a sentence about the file, or about the scopes of one role. */
const foreignScope = z
  .string('must be texts')
  .refine(isScope, 'must look like invoices:read, in lower case')
  .refine(
    (scope) => !OWN_SCOPES.some((own) => own === scope),
    'include one of the gateway itself: those come with the role, so remove it',
  );

const scopes = z
  .array(foreignScope, 'must be a list')
  .max(MAX_SCOPES, `are more than ${MAX_SCOPES}`)
  .refine((list) => new Set(list).size === list.length, 'are not all different')
  .default([]);

const content: z.ZodType<RoleScopes> = z.strictObject(
  { viewer: scopes, analyst: scopes, admin: scopes },
  'has something else than viewer, analyst and admin with their scopes',
);

/** The form to write, as advice in an error */
const EXAMPLE = '{"analyst": ["invoices:read"]}';

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
      text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    } catch (error) {
      return refuse(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
    const json = parsed(text);
    if (json === undefined) return refuse(`names a file that is not JSON, such as ${EXAMPLE}`);
    const read = content.safeParse(json);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    const role = issue?.path[0];
    return refuse(
      role === undefined
        ? `names a file that ${issue?.message}, such as ${EXAMPLE}`
        : `names a file in which the scopes of ${String(role)} ${issue?.message}`,
    );
  })
  .describe('the path of a JSON file');

/** @returns undefined if it is not JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
