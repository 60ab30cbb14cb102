/** Header fields of answers, and of requests, as OpenAPI 3.1 describes them. */
import { CHALLENGE } from '../refusals.js';

interface Field {
  description: string;
  required?: boolean;
  schema: object;
  example: string | number;
}

/** Wherever an answer can have it. */
export const REQUEST_ID: Field = {
  description: 'Names the request in the log: that of the request where it sent one, else a new one',
  schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
  example: '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a77',
};

export const NO_STORE: Field = {
  description: 'The answer is of this moment, or holds a token',
  schema: { const: 'no-store' },
  example: 'no-store',
};

/** Spec 5.2 */
export const COOKIE_SET: Field = {
  description:
    'The new refresh token; `Secure`, `SameSite` and `Domain` are those of the configuration, `Max-Age` the lifetime',
  schema: {
    type: 'string',
    pattern:
      '^refresh_token=[\\w-]+\\.[\\w-]+\\.[\\w-]+; Max-Age=[1-9]\\d*; (Domain=[^;]+; )?Path=/auth; HttpOnly; (Secure; )?SameSite=\\w+$',
  },
  example: 'refresh_token=eyJhbGciOiJIUzI1NiJ9.e30.MAC; Max-Age=1209600; Path=/auth; HttpOnly; Secure; SameSite=Strict',
};

export const COOKIE_CLEARED: Field = {
  description: 'The cookie is cleared',
  schema: {
    type: 'string',
    pattern:
      '^refresh_token=; Max-Age=0; (Domain=[^;]+; )?Path=/auth; Expires=[^;]+; HttpOnly; (Secure; )?SameSite=\\w+$',
  },
  example:
    'refresh_token=; Max-Age=0; Path=/auth; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict',
};

export const RETRY_AFTER: Field = {
  description: 'Seconds after which to try again',
  schema: { type: 'integer', minimum: 1 },
  example: 5,
};

export const RATE_LIMIT_POLICY: Field = {
  description: 'Logins that an address may try (`q`) in a window of so many seconds (`w`)',
  schema: { type: 'string', pattern: '^"login";q=\\d+;w=\\d+$' },
  example: '"login";q=5;w=900',
};

export const RATE_LIMIT: Field = {
  description: 'Logins that this address has left (`r`), for so many seconds (`t`)',
  schema: { type: 'string', pattern: '^"login";r=\\d+;t=\\d+$' },
  example: '"login";r=4;t=900',
};

export const WWW_AUTHENTICATE: Field = {
  description: 'Log in, and a cookie will hold the credential',
  schema: { const: CHALLENGE },
  example: CHALLENGE,
};

/** Interface 12 */
export const REFRESH_RETRY: Field = {
  description: 'Which of the two keys of the request has proved that this answer was given before',
  schema: { enum: ['this', 'previous'] },
  example: 'this',
};

export const ALLOW: Field = {
  description: 'The methods that there are',
  schema: { enum: ['POST', 'GET, HEAD', 'GET, HEAD, POST'] },
  example: 'POST',
};

export const KEPT_FOR_A_WHILE: Field = {
  description: 'Anybody may keep it for so many seconds',
  schema: { type: 'string', pattern: '^public, max-age=\\d+$' },
  example: 'public, max-age=300',
};

export const ANY_ORIGIN: Field = {
  description: 'A page of any origin may read it',
  schema: { const: '*' },
  example: '*',
};

/** @returns the same field, which is always there */
export function always(field: Field): Field {
  return { ...field, required: true };
}
