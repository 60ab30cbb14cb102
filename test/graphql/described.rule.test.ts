/** The schema describes each of its parts. The tests need no gateway, so `npm run check` runs them too. (Interface 7) */
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLEnumType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { ENTITY_OF } from '../../src/audit/events.js';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));

interface Described {
  name: string;
  description?: string | null | undefined;
}

/** Everything in the schema that has a name, by its path. */
function* everything(): Generator<[path: string, of: Described]> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    yield [type.name, type];
    if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value];
    if (isEnumType(type) || isScalarType(type) || isUnionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      yield [`${type.name}.${field.name}`, field];
      if (isInputObjectType(type) || !('args' in field)) continue;
      for (const arg of field.args) yield [`${type.name}.${field.name}(${arg.name}:)`, arg];
    }
  }
}

test('Interface 7: every type, field, argument, input field and enum value has a description, in sentences', () => {
  const paths = [...everything()].map(([path]) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['Session', 'Query.session(id:)', 'SessionEventKind.retried', 'UserFilter.role']),
  );
  const undescribed = [...everything()].filter(([, { description }]) => !/^[^a-z].*[.:]$/s.test(description ?? ''));
  expect(undescribed.map(([path, { description }]) => `${path} ${description ?? ''}`.trim())).toEqual([]);
});

test('Interface 11: graphql/types/audit.ts names every kind of actor, also in the description of event types', () => {
  const valuesOf = (name: string) => (schema.getType(name) as GraphQLEnumType).getValues().map((value) => value.name);
  const actors = [...valuesOf('CallerType'), 'cli'];
  expect(valuesOf('AuditActorType').toSorted()).toEqual(actors.toSorted());
  const description = schema.getType('AuditEventType')?.description;
  expect(actors.filter((word) => !description?.includes(`\`${word}\``))).toEqual([]);
  expect(valuesOf('AuditEntityType').toSorted()).toEqual([...new Set(Object.values(ENTITY_OF))].toSorted());
});
