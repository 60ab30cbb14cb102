/** CONTRACT 3: what verifiers of access tokens have to know. */
import type { Express } from 'express';
import { JWKS_MAX_AGE_SECONDS } from '../credentials/keyring.js';
import type { Deps } from '../parts.js';
import { methodNotAllowed } from './errors.js';

export function addWellKnownRoutes(app: Express, { keyring }: Deps<'keyring'>): void {
  app
    .route('/.well-known/jwks.json')
    .get((_req, res) => {
      res.set('Cache-Control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`);
      res.type('application/jwk-set+json').send(JSON.stringify(keyring.publicJwks()));
    })
    .all(methodNotAllowed('GET', 'HEAD'));
}
