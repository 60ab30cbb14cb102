/** The document `openapi.json` (OpenAPI 3.1): REST as the code has it. `npm run openapi` writes it. */
import { GATEWAY_VERSION } from '../../platform/versions.js';
import { SHARED } from './answers.js';
import { loginRoutes } from './login-routes.js';
import { otherRoutes } from './other-routes.js';
import { schemas } from './schemas.js';

const DESCRIPTION = `Logs people in, and says how it is. Who is calling is asked over GraphQL at \`/graphql\`, which \`schema.graphql\` describes.

Another path is 404 (\`NotFound\`), another method 405 (\`MethodNotAllowed\`); where there is GET there is HEAD.`;

/** @param publicUrl where the gateway is */
export function openApiDocument(publicUrl: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'auth-gateway',
      version: GATEWAY_VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'login', description: 'Sessions of people' },
      { name: 'keys', description: 'For services that verify access tokens' },
      { name: 'operating', description: 'For those who run it' },
    ],
    paths: { ...loginRoutes(), ...otherRoutes(publicUrl) },
    components: {
      schemas: schemas(),
      responses: SHARED,
      securitySchemes: {
        refreshCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'refresh_token',
          description: 'Set by a login and by each refresh; of several the first counts',
        },
      },
    },
  };
}
