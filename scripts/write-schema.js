/** `npm run schema`: writes `schema.graphql` as the code has it. */
import { writeFileSync } from 'node:fs';
import { printedSchema } from '../dist/src/graphql/schema.js';

writeFileSync('schema.graphql', await printedSchema());
