/** Documents for verifiers of access tokens: the public keys, and where they are. (Interface 3, RFC 8414) */
import type { Express } from 'express';
import { JWKS_MAX_AGE_SECONDS } from '../../credentials/keyring/keyring.js';
import { OWN_SCOPES } from '../../domain/scopes.js';
import type { Deps } from '../../services.js';
import { addReadOnly } from '../errors.js';
import { forAnybody } from '../for-anybody.js';
import { INTROSPECTION_PATH } from './introspection-route.js';

const JWKS_PATH = '/.well-known/jwks.json';

/** How the tokens are made and checked, for people. */
const DOCUMENTATION = 'https://www.rfc-editor.org/rfc/rfc9068.html';

export function addWellKnownRoutes(app: Express, { config, keyring }: Deps<'config' | 'keyring'>): void {
  const metadata = {
    issuer: config.publicUrl,
    jwks_uri: `${config.publicUrl}${JWKS_PATH}`,
    introspection_endpoint: `${config.publicUrl}${INTROSPECTION_PATH}`,
    response_types_supported: [],
    grant_types_supported: [],
    token_endpoint_auth_methods_supported: [],
    // RFC 8414 section 2 lets others be left out: those of ROLE_SCOPES_FILE would describe the services behind to strangers.
    scopes_supported: OWN_SCOPES,
    service_documentation: DOCUMENTATION,
  };
  /** The gateway is no OpenID provider: verifiers look here first for the keys, and want these two members. */
  const openidMetadata = () => ({
    ...metadata,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keyring.publicJwks().keys.map(({ alg }) => alg))],
  });

  const publish = (path: string, type: string, body: () => object): void => {
    addReadOnly(
      app,
      path,
      (_req, res) => void res.set(forAnybody(JWKS_MAX_AGE_SECONDS)).type(type).send(JSON.stringify(body())),
    );
  };
  publish(JWKS_PATH, 'application/jwk-set+json', keyring.publicJwks);
  publish('/.well-known/oauth-authorization-server', 'application/json', () => metadata);
  publish('/.well-known/openid-configuration', 'application/json', openidMetadata);
}
