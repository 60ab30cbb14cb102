/**
 * Every name of the interface that a program or an operator can rely on, one a line: docs/interface.txt, by which
 * `npm run release` finds which version a change needs. (docs/versions.md)
 */
import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
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
  properties?: Record<string, object>;
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

/** `requires` stands next to `takes`: to require one more breaks who calls, to require one less does not. */
function routes(): string[] {
  const { paths, components } = JSON.parse(JSON.stringify(openApiDocument('http://localhost:3000')));
  const bodyOf = ({ content = {} }: Content): Schema => {
    const schema = Object.values(content)[0]?.schema ?? {};
    return schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  };
  const linesOf = (route: string, { parameters = [], requestBody = {}, responses }: Operation): string[] => {
    const body = bodyOf(requestBody);
    const named = [...parameters.map(({ name }) => name), ...Object.keys(body.properties ?? {})];
    const required = [...parameters.flatMap((each) => (each.required ? [each.name] : [])), ...(body.required ?? [])];
    const answers = Object.entries(responses).map(([status, answer]): [string, Answer] => [
      status,
      '$ref' in answer ? components.responses[answer.$ref.split('/').at(-1) ?? ''] : answer,
    ]);
    const answered = answers.flatMap(([status, answer]) => [
      `answers ${status}`,
      ...(status.startsWith('2')
        ? Object.keys(bodyOf(answer).properties ?? {}).map((name) => `answers ${status} ${name}`)
        : []),
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
  return types.flatMap((type) => {
    if (isEnumType(type))
      return under(
        `graphql ${type.name}`,
        type.getValues().map(({ name }) => name),
      );
    const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
    return under(`graphql ${type.name}`, hasFields ? Object.keys(type.getFields()) : []);
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

/** Functions of each entry, and those of the client itself. */
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
  const [, members = ''] = /^export interface AuthClient {\n(.*?)^}/ms.exec(read('client/src/types.ts')) ?? [];
  return [...entries, ...Array.from(members.matchAll(/^ {2}(\w+)[(<?:]/gm), ([, name]) => `client AuthClient ${name}`)];
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
  ];
  return `${[...new Set(lines)].toSorted().join('\n')}\n`;
}
