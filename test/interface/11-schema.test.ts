/** Interface 7 and 11: the schema is `11-schema.graphql`, no type, field, argument, default or `!` more or less. */
import { readFileSync } from 'node:fs';
import { buildASTSchema, lexicographicSortSchema, parse, printSchema, visit } from 'graphql';

const read = (file: string): string => readFileSync(file, 'utf8');

/** Without descriptions, and in the order of the alphabet. */
function bare(text: string): string[] {
  const document = visit(parse(text), {
    enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
    Directive: () => null,
  });
  return printSchema(lexicographicSortSchema(buildASTSchema(document))).split('\n\n');
}

test('Interface 11: schema.graphql has what test/interface/11-schema.graphql has, which is written by hand', () => {
  expect(bare(read('schema.graphql'))).toEqual(bare(read('test/interface/11-schema.graphql')));
});
