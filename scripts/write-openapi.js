/** `npm run openapi`: writes `openapi.json` as the code has it, of a gateway with no configuration. */
import { writeFileSync } from 'node:fs';
import { openApiDocument } from '../dist/src/http/openapi/document.js';

writeFileSync('openapi.json', `${JSON.stringify(openApiDocument('http://localhost:3000'), null, 2)}\n`);
