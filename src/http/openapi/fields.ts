/** Header fields of requests and responses in OpenAPI 3.1. */
import { CHALLENGE } from '../refusals.js';

interface Field {
  description: string;
  required?: boolean;
  schema: object;
  example: string | number;
}

export const REQUEST_ID: Field = {
  description: 'Id of the request in the log: the one that was sent, otherwise a new one',
  schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
  example: '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a77',
};

export const NO_STORE: Field = {
  description: 'The response must not be cached: it may contain a token',
  schema: { const: 'no-store' },
  example: 'no-store',
};

/** Spec 5.2 */
export const COOKIE_SET: Field = {
  description: 'The new refresh token. `Secure`, `SameSite` and `Domain` are configured; `Max-Age` is its lifetime',
  schema: {
    type: 'string',
    pattern:
      '^refresh_token=[\\w-]+\\.[\\w-]+\\.[\\w-]+; Max-Age=[1-9]\\d*; (Domain=[^;]+; )?Path=/auth; HttpOnly; (Secure; )?SameSite=\\w+$',
  },
  example: 'refresh_token=eyJhbGciOiJIUzI1NiJ9.e30.MAC; Max-Age=1209600; Path=/auth; HttpOnly; Secure; SameSite=Strict',
};

export const COOKIE_CLEARED: Field = {
  description: 'Clears the cookie',
  schema: {
    type: 'string',
    pattern:
      '^refresh_token=; Max-Age=0; (Domain=[^;]+; )?Path=/auth; Expires=[^;]+; HttpOnly; (Secure; )?SameSite=\\w+$',
  },
  example:
    'refresh_token=; Max-Age=0; Path=/auth; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict',
};

export const RETRY_AFTER: Field = {
  description: 'Seconds to wait before retrying',
  schema: { type: 'integer', minimum: 1 },
  example: 5,
};

export const RATE_LIMIT_POLICY: Field = {
  description: 'Login attempts allowed per IP address (`q`) in a window (`w`, seconds)',
  schema: { type: 'string', pattern: '^"login";q=\\d+;w=\\d+$' },
  example: '"login";q=5;w=900',
};

export const RATE_LIMIT: Field = {
  description: 'Login attempts that this IP address has left (`r`), and seconds until the window ends (`t`)',
  schema: { type: 'string', pattern: '^"login";r=\\d+;t=\\d+$' },
  example: '"login";r=4;t=900',
};

export const WWW_AUTHENTICATE: Field = {
  description: 'Log in to receive the credential in a cookie',
  schema: { const: CHALLENGE },
  example: CHALLENGE,
};

/** RFC 6750 section 3 */
export const BEARER_CHALLENGE: Field = {
  description: 'Send a valid access token',
  schema: { type: 'string', pattern: '^Bearer realm="auth-gateway"(, error="\\w+", error_description="[^"]+")?$' },
  example: 'Bearer realm="auth-gateway"',
};

/** Interface 23: of a route for keys alone */
export const KEY_CHALLENGE: Field = {
  description: 'Send a valid signature, or a valid internal key',
  schema: { type: 'string', pattern: '^(?:Signature|InternalKey) realm="auth-gateway"' },
  example: 'Signature realm="auth-gateway", InternalKey realm="auth-gateway"',
};

/** Of a route for callers of any kind */
export const ANY_CHALLENGE: Field = {
  description: 'Send one valid credential',
  schema: { type: 'string', pattern: '^(?:Bearer|Signature|InternalKey) realm="auth-gateway"' },
  example: 'Bearer realm="auth-gateway", Signature realm="auth-gateway", InternalKey realm="auth-gateway"',
};

/** RFC 9421 section 5.1 */
export const ACCEPT_SIGNATURE: Field = {
  description: 'What a signature has to cover',
  schema: { type: 'string' },
  example: 'sig1=("@method" "@authority" "@path" "@query");created;keyid;nonce="…";tag="auth-gateway"',
};

/** RFC 9470 section 3 */
const STEP_UP_CHALLENGE: Field = {
  description: 'Confirm who you are, by a second factor if `acr_values` is there',
  schema: {
    type: 'string',
    pattern:
      '^Bearer realm="auth-gateway", error="insufficient_user_authentication", max_age="\\d+"(, acr_values="aal2")?$',
  },
  example: 'Bearer realm="auth-gateway", error="insufficient_user_authentication", max_age="300", acr_values="aal2"',
};

/** Of a route for what is a user's own: no token, an old proof, or a challenge or link that is used */
export const OWN_CHALLENGE: Field = {
  description: 'Send a valid access token, confirm who you are, or begin again',
  schema: { anyOf: [BEARER_CHALLENGE.schema, STEP_UP_CHALLENGE.schema, WWW_AUTHENTICATE.schema] },
  example: STEP_UP_CHALLENGE.example,
};

/** Interface 12 */
export const REFRESH_RETRY: Field = {
  description: 'Which key of the request proved that this is a retry; the same response was given before',
  schema: { enum: ['this', 'previous'] },
  example: 'this',
};

export const ETAG: Field = {
  description: 'Changes if the page does',
  schema: { type: 'string' },
  example: '"2jmj7l5rSw0yVb"',
};

export const ALLOW: Field = {
  description: 'Supported methods',
  schema: { enum: ['POST', 'GET, HEAD', 'GET, HEAD, POST', 'DELETE'] },
  example: 'POST',
};

export const CACHEABLE: Field = {
  description: 'Any cache may store the response for this many seconds',
  schema: { type: 'string', pattern: '^public, max-age=\\d+$' },
  example: 'public, max-age=300',
};

export const ANY_ORIGIN: Field = {
  description: 'Pages of any origin may read the response',
  schema: { const: '*' },
  example: '*',
};

/** Interface 21 */
export const DOWNLOAD: Field = {
  description: 'Browsers save the response as a file',
  schema: { const: 'attachment; filename="account.json"' },
  example: 'attachment; filename="account.json"',
};

/** Interface 24 */
export const EXPORT_FIELDS = {
  'Content-Disposition': {
    description: 'Browsers save the response as a file',
    schema: { type: 'string', pattern: '^attachment; filename="\\w+-[\\dTZ-]+\\.\\w+"$' },
    example: 'attachment; filename="audit-2026-11-28T03-10-00Z.csv"',
    required: true,
  },
  'Export-Until': {
    description:
      'Nothing later is in the file: the moment to which the log is complete, or when the export of users began',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-11-28T03:10:00.123456Z',
    required: true,
  },
} satisfies Record<string, Field>;

/** The same field, marked as required. */
export function always(field: Field): Field {
  return { ...field, required: true };
}

export const COUNTED = { 'RateLimit-Policy': always(RATE_LIMIT_POLICY), RateLimit: always(RATE_LIMIT) };
/** Who has a valid access token is not counted */
export const NOT_COUNTED = { 'RateLimit-Policy': always(RATE_LIMIT_POLICY) };
/** Of an API key, once it is known */
export const KEY_COUNTED = {
  'RateLimit-Policy': {
    description: 'Requests that the key may send (`q`) in a window (`w`, seconds)',
    schema: { type: 'string', pattern: '^"key";q=\\d+;w=60$' },
    example: '"key";q=600;w=60',
  },
  RateLimit: {
    description: 'Requests that the key has left (`r`), and seconds until the window ends (`t`)',
    schema: { type: 'string', pattern: '^"key";r=\\d+;t=\\d+$' },
    example: '"key";r=599;t=60',
  },
} satisfies Record<string, Field>;
/** The request may have been refused before it was counted */
export const MAYBE_COUNTED = { 'RateLimit-Policy': RATE_LIMIT_POLICY, RateLimit: RATE_LIMIT };
