/** Interface 3 and 10: what is well known, health and metrics. */

import { OWN_SCOPES } from '../../domain/scopes.js';
import { OUTAGE_DETAIL } from '../../platform/outage.js';
import { json, OF_EVERY_ROUTE } from './answers.js';
import { ANY_ORIGIN, always, KEPT_FOR_A_WHILE, NO_STORE, REQUEST_ID, RETRY_AFTER } from './fields.js';

const WELL_KNOWN = { 'Cache-Control': always(KEPT_FOR_A_WHILE), 'Access-Control-Allow-Origin': always(ANY_ORIGIN) };

const JWK = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'k1',
  use: 'sig',
  alg: 'EdDSA',
};

/** What is said in metadata, of an issuer. */
function metadata(issuer: string) {
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: [],
    grant_types_supported: [],
    token_endpoint_auth_methods_supported: [],
    scopes_supported: OWN_SCOPES,
    service_documentation: 'https://www.rfc-editor.org/rfc/rfc9068.html',
  };
}

/** Another media type than JSON's own. */
function as(type: string, answer: object): object {
  const { content } = answer as { content: Record<string, object> };
  return { ...answer, content: { [type]: content['application/json'] } };
}

function get(operationId: string, tag: string, summary: string, responses: object): object {
  return { get: { operationId, summary, tags: [tag], security: [], responses: { ...OF_EVERY_ROUTE, ...responses } } };
}

export function otherRoutes(publicUrl: string): object {
  const openid = {
    ...metadata(publicUrl),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['EdDSA'],
  };
  const notReady = {
    detail: OUTAGE_DETAIL,
    status: 'unavailable',
    checks: { database: 'unreachable', clock: 'unknown' },
  };
  return {
    '/.well-known/jwks.json': get('jwks', 'keys', 'The public keys of access tokens', {
      200: as('application/jwk-set+json', json('The keys.', 'Jwks', { keys: [JWK] }, WELL_KNOWN)),
    }),
    '/.well-known/oauth-authorization-server': get('oauthMetadata', 'keys', 'Where the keys are (RFC 8414)', {
      200: json('The metadata.', 'ServerMetadata', metadata(publicUrl), WELL_KNOWN),
    }),
    '/.well-known/openid-configuration': get('openidConfiguration', 'keys', 'The same, where many look first', {
      200: json('The metadata. The gateway is no OpenID provider.', 'OpenidConfiguration', openid, WELL_KNOWN),
    }),
    '/health/live': get('live', 'operating', 'Whether the process runs', {
      200: json('It runs.', 'Live', { status: 'ok' }),
    }),
    '/health/ready': get('ready', 'operating', 'Whether requests can be answered', {
      200: json('They can.', 'Ready', { status: 'ok', checks: { database: 'ok', clock: 'ok' } }),
      503: json('They cannot, or the gateway is stopping.', 'NotReady', notReady, {
        'Retry-After': always(RETRY_AFTER),
      }),
    }),
    '/metrics': get('metrics', 'operating', 'Metrics; on `METRICS_PORT` alone where that is set', {
      200: {
        description: 'In the text format of Prometheus.',
        headers: { 'X-Request-Id': always(REQUEST_ID), 'Cache-Control': always(NO_STORE) },
        content: {
          'text/plain': { schema: { type: 'string' }, example: 'auth_gateway_logins_total{outcome="success"} 1\n' },
        },
      },
    }),
  };
}
