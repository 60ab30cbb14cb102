/** Prints the GraphQL schema of the build: `npm run --silent schema > schema.graphql`. */
import { printedSchema } from '../dist/src/graphql/schema.js';

process.stdout.write(await printedSchema());
