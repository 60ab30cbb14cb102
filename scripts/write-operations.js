/** `npm run schema`: writes `pages/console/operations.ts`: the operations of the console as text, with the types that the schema gives them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { buildSchema, Kind, parse, print, stripIgnoredCharacters, visit } from 'graphql';

const FOLDER = 'pages/console/operations';
export const PRINTED = 'pages/console/operations.ts';
/** As that file imports it */
const OPERATION = '../kit/graphql.js';
/** As the generated types end */
const KINDS = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' };

/** @returns what `pages/console/operations.ts` should be */
export async function printedOperations() {
  const schema = readFileSync('schema.graphql', 'utf8');
  const files = readdirSync(FOLDER)
    .sort()
    .map((name) => ({ location: name, document: parse(readFileSync(join(FOLDER, name), 'utf8')) }));
  const types = await codegen({
    filename: PRINTED,
    schema: parse(schema),
    schemaAst: buildSchema(schema),
    documents: files,
    plugins: [{ operations: {} }],
    pluginMap: { operations: typescriptOperations },
    config: {
      useTypeImports: true,
      strictScalars: true,
      skipTypename: true,
      scalars: { DateTime: 'string', JSON: 'Record<string, unknown>' },
    },
  });
  const definitions = files.flatMap(({ document }) => document.definitions);
  const fragments = new Map(
    definitions
      .filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  const operations = definitions
    .filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    .map((operation) => {
      const name = operation.name.value;
      const type = `${name}${KINDS[operation.operation]}`;
      const text = stripIgnoredCharacters([operation, ...usedBy(operation, fragments)].map(print).join('\n'));
      return `export const ${name} =\n  ${quoted(text)} as Operation<${type}, ${type}Variables>;`;
    });
  return [
    '// Written by `npm run schema` from `operations/` and `schema.graphql`.',
    `import type { Operation } from '${OPERATION}';`,
    types.trim(),
    ...operations,
    '',
  ].join('\n\n');
}

function quoted(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** The fragments of an operation, and those that they use. */
function usedBy(definition, fragments, found = new Set()) {
  visit(definition, {
    FragmentSpread: ({ name }) => {
      const fragment = fragments.get(name.value);
      if (found.has(fragment)) return;
      found.add(fragment);
      usedBy(fragment, fragments, found);
    },
  });
  return found;
}

if (process.argv[1] === import.meta.filename) writeFileSync(PRINTED, await printedOperations());
