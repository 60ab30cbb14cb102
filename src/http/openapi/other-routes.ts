/** OpenAPI of well-known documents, health and metrics. (Interface 3 and 10) */

import { OWN_SCOPES } from '../../domain/scopes.js';
import { OUTAGE_DETAIL } from '../../platform/outage.js';
import { json, OF_EVERY_ROUTE } from './answers.js';
import { ANY_ORIGIN, always, CACHEABLE, NO_STORE, REQUEST_ID, RETRY_AFTER } from './fields.js';

const WELL_KNOWN = { 'Cache-Control': always(CACHEABLE), 'Access-Control-Allow-Origin': always(ANY_ORIGIN) };

const JWK = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'k1',
  use: 'sig',
  alg: 'EdDSA',
};

function metadata(issuer: string) {
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    response_types_supported: [],
    grant_types_supported: [],
    token_endpoint_auth_methods_supported: [],
    scopes_supported: OWN_SCOPES,
    service_documentation: 'https://www.rfc-editor.org/rfc/rfc9068.html',
  };
}

/** The response with another media type. */
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
    reason: 'unavailable',
    status: 'unavailable',
    checks: { database: 'unreachable', clock: 'unknown' },
  };
  return {
    '/.well-known/jwks.json': get('jwks', 'keys', 'Get the public keys of access tokens', {
      200: as('application/jwk-set+json', json('The public keys.', 'Jwks', { keys: [JWK] }, WELL_KNOWN)),
    }),
    '/.well-known/oauth-authorization-server': get('oauthMetadata', 'keys', 'Get the server metadata (RFC 8414)', {
      200: json('The metadata.', 'ServerMetadata', metadata(publicUrl), WELL_KNOWN),
    }),
    '/.well-known/openid-configuration': get(
      'openidConfiguration',
      'keys',
      'Get the same metadata at the path of OpenID Connect',
      {
        200: json('The metadata. The gateway is not an OpenID provider.', 'OpenidConfiguration', openid, WELL_KNOWN),
      },
    ),
    '/health/live': get('live', 'operating', 'Check that the process is running', {
      200: json('The process is running.', 'Live', { status: 'ok' }),
    }),
    '/health/ready': get('ready', 'operating', 'Check that the gateway can answer requests', {
      200: json('Ready.', 'Ready', { status: 'ok', checks: { database: 'ok', clock: 'ok' } }),
      503: json('Not ready, or the gateway is stopping.', 'NotReady', notReady, {
        'Retry-After': always(RETRY_AFTER),
      }),
    }),
    '/metrics': get('metrics', 'operating', 'Get metrics; only on `METRICS_PORT` if it is set', {
      200: {
        description: 'Metrics in the Prometheus text format.',
        headers: { 'X-Request-Id': always(REQUEST_ID), 'Cache-Control': always(NO_STORE) },
        content: {
          'text/plain': { schema: { type: 'string' }, example: 'auth_gateway_logins_total{outcome="success"} 1\n' },
        },
      },
    }),
  };
}
