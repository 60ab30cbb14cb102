/** Tables of docs/interface.md and docs/errors.md. */
import { readFileSync } from 'node:fs';
import { KINDS } from '../../../src/callers/kinds.js';
import { PARAMETERS } from '../../../src/callers/rule.js';
import { commandTable } from '../../../src/cli/cli.js';
import { PASSWORD_FAULT_REASONS } from '../../../src/credentials/passwords/password-rules.js';
import { ERROR_REASONS } from '../../../src/domain/error-reasons.js';
import { ROLES } from '../../../src/domain/roles.js';
import { hasScope, OWN_SCOPES, ROLE_SCOPES } from '../../../src/domain/scopes.js';
import { CODES } from '../../../src/graphql/reasons.js';
import { CORS_FIELDS } from '../../../src/http/cross-site.js';
import { GRAPHQL_ERRORS } from '../../../src/http/error-body.js';
import { AUTHZ_ERRORS, ERRORS } from '../../../src/http/refusals.js';
import { OWN_FILES_POLICY } from '../../../src/http/static-page.js';
import { OUTCOMES } from '../../../src/outbox/webhooks/webhook-consumer.js';
import { table } from './table.js';

const COMMANDS = await commandTable();

type Rows<Row> = Partial<Record<string, Row>>;

const COOKIE: Rows<string> = {
  cleared: ', cookie cleared',
  cleared_everywhere: ', cookie cleared for parent domains too',
};

/** @throws if a reason has no answer */
function errors(): string {
  const restOf: Rows<{ status: number; detail: string; cookie?: string }> = ERRORS;
  const authzOf: Rows<{ status: number; detail: string }> = AUTHZ_ERRORS;
  const codeOf: Rows<string> = CODES;
  const ofPasswords: readonly string[] = PASSWORD_FAULT_REASONS;
  const beforeGraphql = Object.values(GRAPHQL_ERRORS);
  const lines = Object.entries(ERROR_REASONS).map(([reason, { means, action }]) => {
    const [ofRest, ofAuthz] = [restOf[reason], authzOf[reason]];
    const rest = ofRest && `${ofRest.status} \`${ofRest.detail}\`${COOKIE[ofRest.cookie ?? ''] ?? ''}`;
    const code = codeOf[reason] ?? beforeGraphql.find((row) => row.reason === reason)?.code;
    const cells = [
      rest ?? (ofPasswords.includes(reason) ? '422, in `errors`' : ''),
      ofAuthz ? `${ofAuthz.status} \`${ofAuthz.detail}\`` : code === 'UNAUTHENTICATED' ? '401' : '', // Interface 6
      code === undefined ? '' : `\`${code}\``,
    ];
    if (cells.every((cell) => cell === '')) throw new Error(`no answer has the reason ${reason}`);
    return [`\`${reason}\``, ...cells, means, action];
  });
  const head = ['`reason`', 'REST', 'forward authentication', 'GraphQL: `code`', 'meaning', 'what a client does'];
  return table(head, lines);
}

/** What `--json` prints; commands that print the same share a row. */
function commandJson(): string {
  const named = COMMANDS.flatMap(({ name, prints }) => (prints === undefined ? [] : [{ name, prints }]));
  const rows = Map.groupBy(named, ({ prints }) => prints);
  const inWords = Array.from(rows, ([prints, of]) => [of.map(({ name }) => `\`${name}\``).join(', '), prints]);
  return table(['command', 'prints'], inWords);
}

interface Operation {
  summary: string;
  security?: object[];
  requestBody?: Content;
  responses: Record<string, Content>;
}
interface Content {
  content?: Record<string, { schema?: { $ref?: string } }>;
}

/** The fields of a body, as `{a, b}`; empty if it has none */
function fieldsOf({ content }: Content, schemas: Record<string, { properties?: object }>): string {
  const name =
    Object.values(content ?? {})[0]
      ?.schema?.$ref?.split('/')
      .at(-1) ?? '';
  const fields = Object.keys(schemas[name]?.properties ?? {});
  return fields.length === 0 ? '' : `\`{${fields.join(', ')}}\``;
}

/** Each route of openapi.json with its body and its answer if all is well */
function routes(): string {
  const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'));
  const operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => (operation.summary ? [{ path, method, operation }] : [])),
  );
  const credentials = { accessToken: 'access token', refreshCookie: 'cookie' };
  const rows = operations.map(({ path, method, operation: { summary, security = [], requestBody, responses } }) => {
    const [status = '', answer = {}] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
    const asked = Object.entries(credentials).find(([scheme]) => security.some((each) => scheme in each))?.[1];
    const sent = [asked ?? '', fieldsOf(requestBody ?? {}, components.schemas)].filter((part) => part !== '');
    const given = `${status} ${fieldsOf(answer, components.schemas)}`.trimEnd();
    return [`\`${method.toUpperCase()} ${path}\``, summary, sent.join(', '), given];
  });
  return table(['route', 'does', 'takes', 'answers'], rows);
}

function callers(): string {
  const rows = Object.entries(KINDS).map(([kind, { sends }]) => [`\`${kind}\``, sends]);
  return table(['caller', 'sends'], rows);
}

function ruleParameters(): string {
  const rows = Object.entries(PARAMETERS).map(([name, { values, isList, means }]) => {
    return [`\`${name}\``, `${isList ? 'some of ' : ''}\`${values}\``, means];
  });
  return table(['parameter', 'values', 'means'], rows);
}

function corsFields(): string {
  const inWords = (fields: string[]) => fields.map((field) => `\`${field}\``).join(', ');
  return `- sent: ${inWords(CORS_FIELDS.sent)}\n- read: ${inWords(CORS_FIELDS.read)}`;
}

function webhookOutcomes(): string {
  const rows = Object.entries(OUTCOMES).map(([outcome, meaning]) => [`\`${outcome}\``, meaning]);
  return table(['outcome', 'means'], rows);
}

function scopesOfRoles(): string {
  const rows = OWN_SCOPES.map((scope) => {
    const roles = ROLES.filter((role) => hasScope(ROLE_SCOPES[role], scope)).map((role) => `\`${role}\``);
    return [`\`${scope}\``, roles.join(', ')];
  });
  return table(['scope', 'roles that have it'], rows);
}

function pagesPolicy(): string {
  return `\`\`\`text\n${OWN_FILES_POLICY.replaceAll('; ', ';\n')}\n\`\`\``;
}

/** By the name of their block */
export const INTERFACE_TABLES = {
  errors,
  routes,
  callers,
  'command JSON': commandJson,
  'cors fields': corsFields,
  'pages policy': pagesPolicy,
  'rule parameters': ruleParameters,
  'scopes of roles': scopesOfRoles,
  'webhook outcomes': webhookOutcomes,
};
