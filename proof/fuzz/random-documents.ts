/** Documents made from the schema, so that most are valid and get as far as the database. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Dice } from './dice.js';
import type { World } from './request.js';
import { jsonText, text } from './texts.js';

export interface Operation {
  query: string;
  /** JSON text */
  variables: string;
  operationName?: string | undefined;
}

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const MAX_DEPTH = 4;

interface Draft {
  dice: Dice;
  world: World;
  isMutation: boolean;
  /** How often something is not what the schema asks for */
  wrong: number;
  /** Whether secrets may stand where names do, as enum values and keys */
  secrets: 'everywhere' | 'in quotes';
  /** Declarations and values by name */
  variables: Map<string, { declared: string; value: string | undefined }>;
  fragments: string[];
  aliases: number;
}

export function randomOperation(dice: Dice, world: World, secrets: Draft['secrets']): Operation {
  const isMutation = dice.chance(0.4);
  const root = (isMutation ? schema.getMutationType() : schema.getQueryType()) as GraphQLObjectType;
  const draft: Draft = {
    ...{ dice, world, secrets, isMutation, variables: new Map(), fragments: [], aliases: 0 },
    wrong: dice.chance(0.5) ? 0 : dice.pick([0.03, 0.15]),
  };
  const selected = selection(draft, root, 0);
  const name = dice.chance(0.5) ? 'Op' : undefined;
  const declared = [...draft.variables.values()].map((variable) => variable.declared);
  const head = `${isMutation ? 'mutation' : 'query'} ${name ?? ''}${declared.length > 0 ? `(${declared.join(' ')})` : ''}`;
  const others = name !== undefined && dice.chance(0.1) ? [`query Other { __typename }`] : [];
  const documents = [`${head}${directives(draft, 0.02)} ${selected}`, ...draft.fragments, ...others];
  const values = [...draft.variables].flatMap(([variable, { value }]) =>
    value === undefined ? [] : [`"${variable}":${value}`],
  );
  return {
    query: documents.join(dice.pick(['\n', ' ', ',', '\r\n#x\n'])),
    variables: `{${values.join(',')}}`,
    operationName: others.length > 0 || dice.chance(0.2) ? name : undefined,
  };
}

type Fields = Record<string, GraphQLField<unknown, unknown>>;

/** They name files and variables on purpose, and have what a checked store says. */
const FINDINGS_OF_DOCTOR = 'checks';

function selection(draft: Draft, type: GraphQLNamedType, depth: number): string {
  const { dice } = draft;
  const fields: Fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
  const usable = Object.values(fields).filter(
    ({ name, type: inner }) => name !== FINDINGS_OF_DOCTOR && (depth < MAX_DEPTH || isLeafType(getNamedType(inner))),
  );
  const parts: string[] = [];
  for (let times = dice.int(1, depth === 0 && draft.isMutation ? 2 : 4); times > 0 && usable.length > 0; times -= 1) {
    parts.push(fieldOf(draft, dice.pick(usable), depth));
  }
  if (parts.length === 0 || dice.chance(0.15)) parts.push('__typename');
  if (dice.chance(0.1) && depth < MAX_DEPTH) parts.push(fragmentOf(draft, type, depth));
  if (depth === 0 && !draft.isMutation && dice.chance(0.03)) {
    parts.push(`__type(name: ${literal(draft, stringType, 'name')}) { name fields { name type { kind } } }`);
  }
  if (dice.chance(draft.wrong))
    parts.push(dice.pick(['nowhere', '__schema', 'caller', '...Missing', '... on Nothing { a }']));
  return `{ ${parts.join(' ')} }`;
}

const stringType = schema.getType('String') as GraphQLInputType;

function fieldOf(draft: Draft, field: GraphQLField<unknown, unknown>, depth: number): string {
  const { dice } = draft;
  const given = field.args.filter((arg) => isNonNullType(arg.type) || dice.chance(0.5));
  const texts = given.filter(() => !dice.chance(draft.wrong / 3)).map((arg) => `${arg.name}: ${argument(draft, arg)}`);
  if (dice.chance(draft.wrong / 3)) texts.push(`nothing: ${literal(draft, stringType, 'nothing')}`);
  const args = texts.length > 0 ? `(${texts.join(', ')})` : '';
  // One name may be there once with each arguments and directives, so these get different names.
  const hasAlias = args !== '' || dice.chance(0.1);
  if (hasAlias) draft.aliases += 1;
  const alias = hasAlias ? `a${draft.aliases}: ` : '';
  const inner = getNamedType(field.type);
  const below = isLeafType(inner) ? '' : ` ${selection(draft, inner, depth + 1)}`;
  const odd = dice.chance(draft.wrong / 5) ? ' { id }' : below;
  return `${alias}${field.name}${args}${directives(draft, 0.06)}${odd}`;
}

function fragmentOf(draft: Draft, type: GraphQLNamedType, depth: number): string {
  const { dice } = draft;
  const on = dice.pick<GraphQLNamedType>(isAbstractType(type) ? [type, ...schema.getPossibleTypes(type)] : [type]);
  const inner = selection(draft, on, depth + 1);
  if (dice.chance(0.5)) {
    const condition = on === type && dice.chance(0.3) ? '' : `on ${on.name}`;
    return `... ${condition}${directives(draft, 0.2)} ${inner}`;
  }
  const name = `F${draft.fragments.length}`;
  draft.fragments.push(`fragment ${name} on ${on.name}${directives(draft, draft.wrong / 3)} ${inner}`);
  return `...${name}${directives(draft, 0.2)}`;
}

const booleanType = schema.getType('Boolean') as GraphQLInputType;

function directives(draft: Draft, probability: number): string {
  const { dice, wrong } = draft;
  if (!dice.chance(probability)) return '';
  if (dice.chance(wrong)) {
    return dice.pick([
      ' @deprecated',
      ' @nothing',
      ' @skip',
      ' @skip(if: null)',
      ' @include(if: true) @include(if: true)',
      ' @defer',
      ' @oneOf',
    ]);
  }
  const name = dice.pick(['skip', 'include']);
  const value = dice.chance(0.4) ? variable(draft, booleanType, 'if', 'Boolean!') : dice.pick(['true', 'false']);
  return ` @${name}(if: ${value})`;
}

function argument(draft: Draft, arg: GraphQLArgument): string {
  return draft.dice.chance(0.35) ? variable(draft, arg.type, arg.name) : literal(draft, arg.type, arg.name);
}

function variable(draft: Draft, type: GraphQLInputType, name: string, declaredType = String(type)): string {
  const { dice, wrong, variables } = draft;
  const label = `v${variables.size}`;
  const shown = dice.chance(wrong / 2)
    ? dice.pick(['Int', '[String!]!', 'ID', 'Role', 'User', 'Nothing'])
    : declaredType;
  variables.set(label, { declared: '', value: undefined }); // its own default may need a name too
  const hasDefault = dice.chance(0.2);
  const fallback = hasDefault ? ` = ${literal({ ...draft, variables: new Map() }, type, name)}` : '';
  const isLeftOut = (hasDefault || !isNonNullType(type)) && dice.chance(0.3);
  const value = isLeftOut || dice.chance(wrong / 3) ? undefined : JSON_OF.value(draft, type, name);
  variables.set(label, { declared: `$${label}: ${shown}${fallback}`, value });
  return dice.chance(wrong / 5) ? '$missing' : `$${label}`;
}

/** How a value is written: in a document or in JSON. */
interface Spelling {
  value(draft: Draft, type: GraphQLInputType, name: string): string;
  enumValue(name: string): string;
  string(draft: Draft, value: string): string;
  object(members: Array<[string, string]>): string;
  odd(draft: Draft): string;
}

const LITERAL: Spelling = {
  value: (draft, type, name) => written(LITERAL, draft, type, name),
  enumValue: (name) => name,
  string: ({ dice }, value) => {
    const plain = JSON.stringify(value).replace(/\\u[dD][89abAB][0-9a-fA-F]{2}/g, dice.chance(0.9) ? '' : '$&');
    return dice.chance(0.05) ? `"""${value.replaceAll('"', '')}"""` : plain;
  },
  object: (members) => `{${members.map(([name, value]) => `${name}: ${value}`).join(', ')}}`,
  odd: ({ dice, secrets }) => {
    const { word, digits } = dice.secret;
    const bare = secrets === 'everywhere' ? word : `"${word}"`;
    const strings = [`"${word}"`, `"""${word}"""`, `{a: "${word}"}`, `["${word}", ${digits}]`, `{a: ${digits}}`];
    return dice.pick([
      ...strings,
      bare,
      `[${bare}]`,
      digits,
      `-${digits}.5`,
      `${digits}0000`,
      'null',
      '[]',
      '{}',
      'true',
      '1e400',
    ]);
  },
};

const JSON_OF: Spelling = {
  value: (draft, type, name) => written(JSON_OF, draft, type, name),
  enumValue: (name) => `"${name}"`,
  string: (_draft, value) => JSON.stringify(value),
  object: (members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`,
  odd: ({ dice }) => {
    const { word, digits } = dice.secret;
    return dice.pick([
      `"${word}"`,
      digits,
      `${digits}0000`,
      `{"${word}":1}`,
      `["${word}"]`,
      `[["${word}"]]`,
      'null',
      jsonText(dice),
    ]);
  },
};

function literal(draft: Draft, type: GraphQLInputType, name: string): string {
  return LITERAL.value(draft, type, name);
}

function written(spelling: Spelling, draft: Draft, type: GraphQLInputType, name: string): string {
  const { dice, wrong } = draft;
  if (dice.chance(wrong)) return isGivenBack(name) ? `[${spelling.odd(draft)}, 1]` : spelling.odd(draft);
  if (!isNonNullType(type) && dice.chance(0.1)) return 'null';
  const wanted = getNullableType(type);
  if (isListType(wanted)) {
    const items = dice.list(3, () => spelling.value(draft, wanted.ofType, name));
    return items.length === 1 && dice.chance(0.2) ? (items[0] ?? '') : `[${items.join(', ')}]`;
  }
  if (isInputObjectType(wanted)) {
    const given = Object.values(wanted.getFields()).filter((field) => isNonNullType(field.type) || dice.chance(0.4));
    const members = given.map((field: GraphQLInputField): [string, string] => [
      field.name,
      spelling.value(draft, field.type, field.name),
    ]);
    if (dice.chance(wrong)) members.push(['nothing', spelling.odd(draft)]);
    return spelling.object(members);
  }
  if (isEnumType(wanted)) return spelling.enumValue(dice.pick(wanted.getValues()).name);
  return scalar(spelling, draft, wanted.name, name);
}

/** What the answer shows again if it is a text; a list of two is refused, whatever is in it. */
function isGivenBack(name: string): boolean {
  return name === 'serviceName';
}

function scalar(spelling: Spelling, draft: Draft, type: string, name: string): string {
  const { dice, world } = draft;
  switch (type) {
    case 'Boolean':
      return dice.pick(['true', 'false']);
    case 'Int':
    case 'Float':
      return dice.pick([
        '0',
        '1',
        '10',
        '50',
        '100',
        '101',
        '-1',
        '86400',
        '2147483647',
        '-2147483648',
        dice.secret.digits,
      ]);
    case 'DateTime':
      return spelling.string(draft, dateTime(dice, world));
    case 'ID':
      return spelling.string(draft, id(dice, world));
    default:
      return spelling.string(draft, string(draft, name));
  }
}

function dateTime(dice: Dice, { gateway }: World): string {
  const now = gateway.clock.now().getTime();
  return dice.pick([
    new Date(now).toISOString(),
    new Date(now - dice.int(1, 86_400) * 1000).toISOString(),
    new Date(now + dice.int(1, 86_400) * 1000).toISOString(),
    ...['0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z', '2026-02-30T00:00:00Z'],
    ...[
      '2026-01-01T00:00:60Z',
      '2026-01-01T00:00:00+14:00',
      '2026-01-01T24:00:00Z',
      '2026-01-01',
      '+275760-09-13T00:00:00Z',
    ],
    ...['1969-12-31T23:59:59Z', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59', '-000001-01-01T00:00:00Z'],
    text(dice),
  ]);
}

function id(dice: Dice, { targets }: World): string {
  return dice.pick([
    dice.pick(targets.userIds),
    dice.pick(targets.userIds),
    dice.pick(targets.sessionIds),
    dice.pick(targets.keyIds),
    dice.pick(targets.keyIds),
    randomUUID(),
    '00000000-0000-0000-0000-000000000000',
    text(dice),
  ]);
}

/** What the field is for, or anything; a text that an answer gives back by its purpose holds no secret. */
function string({ dice, world, isMutation }: Draft, name: string): string {
  const plain = `fuzz ${dice.int(0, 1e9)}`;
  switch (name) {
    case 'serviceName':
      return dice.pick([
        plain,
        plain,
        '\u{1f600}',
        'e\u0301 x',
        ' ',
        `\0${dice.secret.word}`,
        'x'.repeat(101),
        '\u202ex',
      ]);
    case 'email':
      if (isMutation)
        return dice.pick([
          `fuzz${dice.int(0, 300)}@example.com`,
          `fuzz${dice.int(0, 1e9)}@example.com`,
          `${dice.secret.word}`,
          `${dice.secret.word}@\0`,
        ]);
      return dice.pick([world.known.user.email, 'x@example.com', text(dice)]);
    case 'scopes':
      return dice.pick(['users:read', 'audit:read', 'own:thing', 'keys:write', text(dice)]);
    case 'password':
      return `${text(dice)} and some more to be long enough`;
    case 'after':
      return dice.chance(0.5) ? cursor(dice) : text(dice);
    case 'timeZone':
      return dice.pick([
        'UTC',
        'Europe/Berlin',
        'America/St_Johns',
        'utc',
        '+01:00',
        'Etc/GMT+12',
        'localtime',
        'posixrules',
        text(dice),
      ]);
    case 'ipAddress':
      return dice.pick(['127.0.0.1', '::1', 'fe80::1%eth0', '1.2.3.4/8', text(dice)]);
    default:
      return text(dice);
  }
}

/** In the form that listings give, with anything in it. */
function cursor(dice: Dice): string {
  const times = [
    '2026-01-01T00:00:00.000000Z',
    '9999-12-31T23:59:59.999999Z',
    '0001-01-01T00:00:00.000000Z',
    '2026-02-30T00:00:00.000000Z',
  ];
  const parts = [dice.pick([...times, text(dice)]), dice.pick([randomUUID(), text(dice)])];
  const key = dice.pick([
    parts,
    parts.slice(0, 1),
    [dice.secret.word],
    ['\0'],
    ['\ud800', randomUUID()],
    [1, 2],
    {},
    null,
  ]);
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}
