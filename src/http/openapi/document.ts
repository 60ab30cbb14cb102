/** The document `openapi.json` (OpenAPI 3.1): REST as the code has it. `npm run openapi` writes it. */
import { GATEWAY_VERSION } from '../../platform/versions.js';
import { accountRoutes } from './account-routes.js';
import { SHARED } from './answers.js';
import { exportRoutes } from './export-routes.js';
import { factorRoutes } from './factor-routes.js';
import { gateRoutes } from './gate-routes.js';
import { loginRoutes } from './login-routes.js';
import { otherRoutes } from './other-routes.js';
import { passwordRoutes } from './password-routes.js';
import { schemas } from './schemas.js';

const DESCRIPTION = `Logs users in and reports the health of the gateway. To find out who is calling, use GraphQL at \`/graphql\`, described by \`schema.graphql\`.

Other paths give 404 (\`NotFound\`) and other methods 405 (\`MethodNotAllowed\`). Every path with GET also has HEAD.`;

/** @param publicUrl base URL of the gateway */
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
      { name: 'login', description: 'Sessions of users' },
      { name: 'factors', description: 'Second factors and passkeys' },
      { name: 'account', description: 'What people do with their own account' },
      { name: 'passwords', description: 'Passwords that people choose themselves' },
      { name: 'gate', description: 'Pages of services behind the gate' },
      { name: 'keys', description: 'Keys for services that verify access tokens, and their questions' },
      { name: 'exports', description: 'The audit log and the users as files' },
      { name: 'operating', description: 'Health and metrics for operators' },
    ],
    paths: {
      ...loginRoutes(),
      ...factorRoutes(),
      ...accountRoutes(),
      ...passwordRoutes(),
      ...gateRoutes(),
      ...exportRoutes(),
      ...otherRoutes(publicUrl),
    },
    components: {
      schemas: schemas(),
      responses: SHARED,
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        signedRequest: {
          type: 'apiKey',
          in: 'header',
          name: 'Signature',
          description:
            'A signature of the request by an API key (RFC 9421), with `Signature-Input` and `Content-Digest`',
        },
        internalKey: { type: 'apiKey', in: 'header', name: 'X-Internal-Key' },
        refreshCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'refresh_token',
          description: 'Set by login and by each refresh. Several that differ are refused',
        },
      },
    },
  };
}
