/** Interface 7: whoever reads the schema learns what each part of it means, and what the events of the audit log hold. */
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLEnumType,
  type GraphQLObjectType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { administer, COMMAND_LINE } from '../../src/admin/administer.js';
import { createApiKey, revokeApiKey, rotateApiKey } from '../../src/admin/api-keys.js';
import { createCronKey, revokeCronKey } from '../../src/admin/cron-keys.js';
import { revokeSession } from '../../src/admin/sessions.js';
import { deleteUser, setUserActive, setUserPassword, setUserRole, unlockUser } from '../../src/admin/user-changes.js';
import { ENTITY_OF } from '../../src/audit/events.js';
import { claimsOf, PASSWORD, startGateway } from '../support/gateway.js';
import { newcomer } from '../support/graphql.js';
import { login, logout, refresh, WRONG } from '../support/routes.js';

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

interface Described {
  name: string;
  description?: string | null | undefined;
}

/** Whatever of the schema has a name, by its path. */
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

test('Interface 11: graphql/types/audit.ts names every kind of actor, and all that events are about', () => {
  const callers = (schema.getType('CallerType') as GraphQLEnumType).getValues().map(({ name }) => name);
  const fields = (schema.getType('AuditEvent') as GraphQLObjectType).getFields();
  const missing = (description: string | null | undefined, words: string[]) =>
    words.filter((word) => !description?.includes(`\`${word}\``));
  expect(missing(schema.getType('AuditEventType')?.description, [...callers, 'cli'])).toEqual([]);
  expect(missing(fields['entityType']?.description, Object.values(ENTITY_OF))).toEqual([]);
});

/** The fields of `metadata` that the description of an event type names. */
function fieldsNamed(type: string): string[] {
  const { description } = (schema.getType('AuditEventType') as GraphQLEnumType).getValue(type) ?? {};
  const [, fields] = /`metadata`: (.*)\.$/s.exec(description ?? '') ?? [];
  return Array.from((fields ?? '').replace(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g), ([, field = '']) => field).sort();
}

test('Interface 11: each type of event happens here, and its description names the fields that its metadata has', async () => {
  const gateway = await startGateway({ env: { LOGIN_MAX_FAILURES: '2' } });
  const { app } = gateway;
  try {
    const { user, refreshToken } = await newcomer(gateway);
    const key = { serviceName: 'billing', scopes: ['a:b'], rateLimit: 60 };
    await refresh(gateway, refreshToken);
    await refresh(gateway, refreshToken);
    const other = await newcomer(gateway);
    await logout(gateway, other.refreshToken);
    const { sid } = claimsOf((await newcomer(gateway)).accessToken);
    await revokeSession(app, COMMAND_LINE, undefined, String(sid));
    for (const password of [WRONG, WRONG, PASSWORD]) await login(gateway, user.email, password);
    await unlockUser(app, COMMAND_LINE, user.id);
    await setUserRole(app, COMMAND_LINE, user.id, 'analyst');
    await setUserPassword(app, COMMAND_LINE, user.id, 'a new good password');
    for (const isActive of [false, true]) await setUserActive(app, COMMAND_LINE, user.id, isActive);
    const apiKey = await createApiKey(app, COMMAND_LINE, key);
    await rotateApiKey(app, COMMAND_LINE, apiKey.key.keyId, 60);
    await revokeApiKey(app, COMMAND_LINE, apiKey.key.keyId);
    const cronKey = await createCronKey(app, COMMAND_LINE, key);
    await revokeCronKey(app, COMMAND_LINE, cronKey.key.keyId);
    await deleteUser(app, COMMAND_LINE, user.id);
    await administer(app, COMMAND_LINE, undefined, ({ audit }) =>
      audit({ eventType: 'keyring_rotated', userId: null, metadata: { added: [], dropped: [] } }),
    );
    const events = await gateway.rows<{ event_type: string; fields: string[] }>(
      `select distinct event_type, array(select jsonb_object_keys(metadata) order by 1) as fields from audit_events`,
    );
    const types = (schema.getType('AuditEventType') as GraphQLEnumType).getValues().map(({ name }) => name);
    const written = Object.fromEntries(events.map(({ event_type, fields }) => [event_type, fields.toSorted()]));
    expect(written).toEqual(Object.fromEntries(types.map((type) => [type, fieldsNamed(type)])));
  } finally {
    await gateway.close();
  }
});
