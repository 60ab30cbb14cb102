/**
 * Every name of the interface that a program or an operator can rely on, one a line: docs/interface.txt, by which
 * `npm run release` finds which version a change needs. (docs/versions.md)
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { buildSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType } from 'graphql';
import { EVENT_TYPES } from '../../../src/audit/events.js';
import { PARAMETERS } from '../../../src/callers/rule.js';
import { commandTable } from '../../../src/cli/cli.js';
import { variables } from '../../../src/config/config.js';
import { FINDINGS } from '../../../src/doctor/finding.js';
import { ERROR_REASONS } from '../../../src/domain/error-reasons.js';
import { OWN_SCOPES } from '../../../src/domain/scopes.js';
import { openApiDocument } from '../../../src/http/openapi/document.js';
import { createMetrics } from '../../../src/metrics.js';

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  enum?: string[];
  const?: string;
  properties?: Record<string, Schema>;
  required?: string[];
}
interface Content {
  content?: Record<string, { schema?: Schema }>;
}
interface Answer extends Content {
  headers?: Record<string, object>;
}
interface Operation {
  parameters?: Array<{ name: string; required?: boolean }>;
  requestBody?: Content;
  responses: Record<string, Answer | { $ref: string }>;
}

const read = (path: string): string => readFileSync(path, 'utf8');
const under = (head: string, names: Iterable<string>): string[] => [
  head,
  ...Array.from(names, (name) => `${head} ${name}`),
];

/** Each field of a body, such as `user.email`, and each value of those that are words. */
function fieldsOf(schema: Schema, schemas: Record<string, Schema>, seen: string[] = []): string[] {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return seen.includes(name) ? [] : fieldsOf(schemas[name] ?? {}, schemas, [...seen, name]);
  const values = [...(schema.enum ?? []), ...(schema.const === undefined ? [] : [schema.const])];
  const parts = [
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ];
  const own = Object.entries(schema.properties ?? {}).flatMap(([field, of]) => [
    field,
    ...(field === 'detail' ? [] : fieldsOf(of, schemas, seen)).map(
      (below) => `${field}${below.startsWith('=') ? '' : '.'}${below}`,
    ),
  ]);
  return [
    ...values.filter((value) => typeof value === 'string').map((value) => `=${value}`),
    ...own,
    ...parts.flatMap((part) => fieldsOf(part, schemas, seen)),
  ];
}

function requiredOf(schema: Schema, schemas: Record<string, Schema>): string[] {
  const of = schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  return of.required ?? [];
}

/** `requires` stands next to `takes`: to require one more breaks who calls, to require one less does not. */
function routes(): string[] {
  const { paths, components } = JSON.parse(JSON.stringify(openApiDocument('http://localhost:3000')));
  const { schemas } = components;
  const schemaOf = ({ content = {} }: Content): Schema => Object.values(content)[0]?.schema ?? {};
  const linesOf = (route: string, { parameters = [], requestBody = {}, responses }: Operation): string[] => {
    const body = schemaOf(requestBody);
    const named = [...parameters.map(({ name }) => name), ...fieldsOf(body, schemas)];
    const required = [
      ...parameters.flatMap((each) => (each.required ? [each.name] : [])),
      ...requiredOf(body, schemas),
    ];
    const answers = Object.entries(responses).map(([status, answer]): [string, Answer] => [
      status,
      '$ref' in answer ? components.responses[answer.$ref.split('/').at(-1) ?? ''] : answer,
    ]);
    const answered = answers.flatMap(([status, answer]) => [
      `answers ${status}`,
      ...fieldsOf(schemaOf(answer), schemas).map((name) => `answers ${status} ${name}`),
      ...Object.keys(answer.headers ?? {}).map((name) => `sends ${name}`),
    ]);
    return under(route, [
      ...named.map((name) => `takes ${name}`),
      ...required.map((name) => `requires ${name}`),
      ...answered,
    ]);
  };
  return Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      'responses' in operation ? linesOf(`route ${method.toUpperCase()} ${path}`, operation) : [],
    ),
  );
}

function commands(rows: Awaited<ReturnType<typeof commandTable>>): string[] {
  return rows.flatMap(({ name, options, prints }) => {
    const printed = new Set(
      Array.from((prints ?? '').matchAll(/`\{(.*?)\}`/g), ([, fields = '']) => fields.match(/\w+/g) ?? []).flat(),
    );
    return under(`command ${name}`, [
      ...options.map(({ option }) => `takes ${option.split(/[ ,=]/)[0]}`),
      ...Array.from(printed, (field) => `prints ${field}`),
    ]);
  });
}

function graphql(): string[] {
  const types = Object.values(buildSchema(read('schema.graphql')).getTypeMap()).filter(
    ({ name }) => !name.startsWith('__'),
  );
  const deprecated = ({ name, deprecationReason }: { name: string; deprecationReason?: string | null | undefined }) =>
    deprecationReason == null ? [] : [`${name} deprecated`];
  return types.flatMap((type) => {
    const head = `graphql ${type.name}`;
    if (isEnumType(type))
      return under(
        head,
        type.getValues().flatMap((value) => [value.name, ...deprecated(value)]),
      );
    if (isUnionType(type))
      return under(
        head,
        type.getTypes().map(({ name }) => name),
      );
    if (isInputObjectType(type))
      return under(
        head,
        Object.values(type.getFields()).flatMap((field) => [field.name, ...deprecated(field)]),
      );
    if (!isObjectType(type) && !isInterfaceType(type)) return [head];
    const fields = Object.values(type.getFields());
    return under(
      head,
      fields.flatMap((field) => [
        field.name,
        ...deprecated(field),
        ...field.args.map(({ name }) => `${field.name} takes ${name}`),
      ]),
    );
  });
}

function tables(): string[] {
  const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const key = read('src/db/entities/key.ts');
  return readdirSync('src/db/entities').flatMap((file) => {
    const own = read(`src/db/entities/${file}`);
    const [, name] = /tableName: '(\w+)'/.exec(own) ?? [];
    const text = /extends Key\b/.test(own) ? key + own : own;
    const columns = text.matchAll(/@(?:PrimaryKey|Property|ManyToOne)\(.*?\)\s+(?:readonly )?(\w+)[!?]?:/gs);
    const inSql = Array.from(columns, ([found, column = '']) => /fieldName: '(\w+)'/.exec(found)?.[1] ?? snake(column));
    return name === undefined ? [] : under(`table ${name}`, inSql);
  });
}

function metrics(): string[] {
  const all = createMetrics().registry.getMetricsAsArray() as unknown as Array<{ name: string; labelNames: string[] }>;
  return all
    .filter(({ name }) => /^(auth_gateway|http_server)_/.test(name))
    .flatMap(({ name, labelNames }) =>
      under(
        `metric ${name}`,
        labelNames.filter((label) => label !== 'le'),
      ),
    );
}

/** The names that each entry exports, and the fields of types. */
function client(): string[] {
  const { exports } = JSON.parse(read('client/package.json')) as { exports: Record<string, unknown> };
  const entries = Object.keys(exports).flatMap((entry) => {
    const file = `client/src/${entry.slice(2)}.ts`;
    const found = entry.endsWith('.graphql') ? [] : read(file).matchAll(/^export (?:async )?function (\w+)/gm);
    return under(
      `client ${entry}`,
      Array.from(found, ([, name = '']) => name),
    );
  });
  const fields = globSync('client/src/*.ts').flatMap((path) =>
    Array.from(read(path).matchAll(/^export interface (\w+).*?{\n(.*?)^}/gms), ([, type = '', body = '']) =>
      Array.from(body.matchAll(/^ {2}(?:readonly )?(\w+)[(<?:]/gm), ([, name]) => `client ${type} ${name}`),
    ).flat(),
  );
  return [...entries, ...fields];
}

/** Those that docs/monitoring.md describes. */
function logNames(): string[] {
  const [, lines = ''] = /^## Logs?\b.*?\n(.*?)(?=^## |$(?![\s\S]))/ms.exec(read('docs/monitoring.md')) ?? [];
  const named = Array.from(
    lines.matchAll(/^- \*\*(.*?)\*\*/gm),
    ([, names = '']) => names.match(/`\w+`/g) ?? [],
  ).flat();
  if (named.length === 0) throw new Error('docs/monitoring.md has no names of log lines');
  return named.map((name) => `log ${name.slice(1, -1)}`);
}

/** In lines, sorted, as docs/interface.txt has them. */
export async function interfaceNames(): Promise<string> {
  const lines = [
    ...routes(),
    ...graphql(),
    ...commands(await commandTable()),
    ...variables().map(({ name }) => `variable ${name}`),
    ...Object.keys(ERROR_REASONS).map((reason) => `reason ${reason}`),
    ...EVENT_TYPES.map((type) => `event ${type}`),
    ...OWN_SCOPES.map((scope) => `scope ${scope}`),
    ...Object.keys(PARAMETERS).map((name) => `rule ${name}`),
    ...Object.keys(FINDINGS).map((name) => `finding ${name}`),
    ...metrics(),
    ...logNames(),
    ...client(),
    ...tables(),
    'table rate_limits', // without an entity
  ];
  return `${[...new Set(lines)].toSorted().join('\n')}\n`;
}
