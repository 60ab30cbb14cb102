/** Documents and variables that cost more to refuse than to send. Each is below the limit of the body, or just above. */
import type { Dice } from './dice.js';
import type { Operation } from './random-documents.js';

const EVENTS = '{ edges { cursor } }';
const VIA_VARIABLE = `query ($f: AuditEventFilter) { auditEvents(filter: $f) ${EVENTS} }`;
const CALLER = 'caller { callerType }';

function repeat(times: number, make: (i: number) => string): string {
  return Array.from({ length: times }, (_, i) => make(i)).join('');
}

type Shape = (dice: Dice, size: number) => Partial<Operation>;

/** `size` is a number of items; the largest that fit a body are tried, and smaller ones. */
const SHAPES: Record<string, Shape> = {
  'wrong enum items in variables': ({ secret }, size) => ({
    query: `${'\n'.repeat(size)}${VIA_VARIABLE}`,
    variables: `{"f":{"eventTypes":["${secret.word}"${',0'.repeat(Math.min(size, 15_000))}]}}`,
  }),
  'wrong enum items in a literal': ({ secret }, size) => ({
    query: `${'\n'.repeat(size)}{ auditEvents(filter: {eventTypes: [${secret.word} ${'x '.repeat(Math.min(size, 1_900))}]}) ${EVENTS} }`,
  }),
  'wrong strings in a literal': ({ secret }, size) => ({
    query: `${'\n'.repeat(size)}mutation { createApiKey(input: { serviceName: "x", rateLimit: 1, scopes: ["${secret.word}" ${'1 '.repeat(Math.min(size, 1_900))}] }) { secret } }`,
  }),
  'wrong items of a list of strings': ({ secret }, size) => ({
    query: `${'\n'.repeat(size)}mutation ($s: [String!]!) { createApiKey(input: { serviceName: "x", rateLimit: 1, scopes: $s }) { secret } }`,
    variables: `{"s":["${secret.word}"${',0'.repeat(size)}]}`,
  }),
  'unknown input fields in variables': ({ secret }, size) => ({
    query: `${'\n'.repeat(size)}${VIA_VARIABLE}`,
    variables: `{"f":{"${secret.word}":1${repeat(Math.min(size, 2_500), (i) => `,"user${i}":0`)}}}`,
  }),
  'unknown input fields in a literal': ({ secret }, size) => ({
    query: `{ auditEvents(filter: {email: "${secret.word}" ${repeat(Math.min(size, 600), (i) => `userI${i}: 1 `)}}) ${EVENTS} }`,
  }),
  'unknown fields': (_dice, size) => ({ query: `{ ${repeat(Math.min(size, 1_900), (i) => `use${i} `)} }` }),
  'unknown arguments': (_dice, size) => ({
    query: `{ users(${repeat(Math.min(size, 600), (i) => `firs${i}: 1 `)}) ${EVENTS} }`,
  }),
  'a field many times': (_dice, size) => ({ query: `{ ${'__typename '.repeat(Math.min(size, 1_990))} }` }),
  'a field many times with a selection': (_dice, size) => ({
    query: `{ ${`${CALLER} `.repeat(Math.min(size, 490))} }`,
  }),
  aliases: (_dice, size) => ({ query: `{ ${repeat(Math.min(size, 600), (i) => `a${i}: __typename `)} }` }),
  'aliases that conflict': (_dice, size) => ({
    query: `{ ${repeat(Math.min(size, 300), (i) => `a: users(first: ${i}) { edges { cursor } } `)} }`,
  }),
  'directives on a field': (_dice, size) => ({
    query: `{ __typename ${'@skip(if: false) '.repeat(Math.min(size, 300))} }`,
  }),
  'unknown directives': (_dice, size) => ({ query: `{ __typename ${repeat(Math.min(size, 900), (i) => `@x${i} `)} }` }),
  'many operations': (_dice, size) => ({
    query: repeat(Math.min(size, 390), (i) => `query Q${i} { __typename } `),
    operationName: 'Q1',
  }),
  'operations of one name': (_dice, size) => ({ query: 'query Q { __typename } '.repeat(Math.min(size, 390)) }),
  'a cycle of fragments': (_dice, size) => ({
    query: `{ ...F0 } ${repeat(Math.min(size, 200), (i) => `fragment F${i} on Query { ...F${(i + 1) % Math.min(size, 200)} } `)}`,
  }),
  'a fragment of itself': () => ({ query: `{ ...F } fragment F on Query { ...F ...F ${CALLER} }` }),
  'unused fragments': (_dice, size) => ({
    query: `{ __typename } ${repeat(Math.min(size, 240), (i) => `fragment F${i} on Query { __typename } `)}`,
  }),
  'fragments of one name': (_dice, size) => ({
    query: `{ ...F } ${'fragment F on Query { __typename } '.repeat(Math.min(size, 240))}`,
  }),
  'a chain of fragments': (_dice, size) => ({
    query: `{ ...F0 } ${repeat(Math.min(size, 200), (i) => `fragment F${i} on Query { ...F${i + 1} } `)} fragment F${Math.min(size, 200)} on Query { __typename }`,
  }),
  'fragments that multiply': (dice) => {
    const width = dice.int(2, 60);
    const levels = dice.int(2, 8);
    const inner = repeat(levels, (i) => `fragment F${i} on Query { ${`...F${i + 1} `.repeat(width)} } `);
    return { query: `{ ...F0 } ${inner} fragment F${levels} on Query { ${CALLER} }` };
  },
  'fragments that all name each other': (_dice, size) => {
    const count = Math.min(size, 24);
    const all = repeat(count, (i) => `...F${i} `);
    return { query: `{ ...F0 } ${repeat(count, (i) => `fragment F${i} on Query { ${all} } `)}` };
  },
  'inline fragments, deep': (_dice, size) => ({
    query: `${'{ ... '.repeat(Math.min(size, 900))}{ __typename }${' }'.repeat(Math.min(size, 900))}`,
  }),
  'a deep selection': (_dice, size) => ({
    query: `${'{ a '.repeat(Math.min(size, 900))}${'} '.repeat(Math.min(size, 900))}`,
  }),
  'a deep list literal': ({ secret }, size) => ({
    query: `{ auditEvents(filter: {eventTypes: ${'['.repeat(Math.min(size, 900))}"${secret.word}"${']'.repeat(Math.min(size, 900))}}) ${EVENTS} }`,
  }),
  'a deep object literal': ({ secret }, size) => ({
    query: `{ auditEvents(filter: ${'{email: '.repeat(Math.min(size, 600))}"${secret.word}"${'}'.repeat(Math.min(size, 600))}) ${EVENTS} }`,
  }),
  'a deep list in variables': ({ secret }, size) => ({
    query: VIA_VARIABLE,
    variables: `{"f":{"eventTypes":${'['.repeat(size)}"${secret.word}"${']'.repeat(size)}}}`,
  }),
  'a deep object in variables': ({ secret }, size) => {
    const levels = Math.min(size, 6_000);
    return {
      query: VIA_VARIABLE,
      variables: `{"f":${'{"email":'.repeat(levels)}"${secret.word}"${'}'.repeat(levels)}}`,
    };
  },
  'a deep type of a variable': (_dice, size) => ({
    query: `query ($v: ${'['.repeat(Math.min(size, 900))}Int${']'.repeat(Math.min(size, 900))}) { users(first: $v) ${EVENTS} }`,
  }),
  'many variables': (_dice, size) => ({
    query: `query (${repeat(Math.min(size, 480), (i) => `$v${i}: Int `)}) { __typename }`,
  }),
  'variables of one name': (_dice, size) => ({
    query: `query (${'$v: Int '.repeat(Math.min(size, 480))}) { users(first: $v) ${EVENTS} }`,
  }),
  'variables that are not declared': (_dice, size) => ({
    query: `{ ${repeat(Math.min(size, 200), (i) => `users(first: $v${i}) ${EVENTS} `)} }`,
  }),
  'variables that nobody asked for': ({ secret }, size) => ({
    query: '{ __typename }',
    variables: `{"${secret.word}":1${repeat(Math.min(size, 5_000), (i) => `,"v${i}":0`)}}`,
  }),
  'a variable used many times': (_dice, size) => ({
    query: `query ($v: Int) { ${repeat(Math.min(size, 200), () => `users(first: $v) ${EVENTS} `)} }`,
  }),
  'a subscription': () => ({ query: 'subscription { caller { callerType } }' }),
  'a subscription by name': () => ({ query: 'query Q { __typename } subscription S { a }', operationName: 'S' }),
  'definitions of a schema': () => ({
    query: 'type Query { a: Int } extend schema @x { query: Query } { __typename }',
  }),
  'a long name': (_dice, size) => ({ query: `{ ${'a'.repeat(size)} }` }),
  'a long string': ({ secret }, size) => ({ query: `{ user(id: "${secret.word}${'x'.repeat(size)}") { id } }` }),
  'a long string of escapes': ({ secret }, size) => ({
    query: `{ user(id: "${secret.word}${'\\u0000'.repeat(Math.min(size, 5_000))}") { id } }`,
  }),
  'a block string of newlines': ({ secret }, size) => ({
    query: `{ user(id: """${secret.word}${' \n'.repeat(size)}""") { id } }`,
  }),
  'a long number': ({ secret }, size) => ({ query: `{ users(first: ${secret.digits}${'9'.repeat(size)}) ${EVENTS} }` }),
  'a long number in variables': ({ secret }, size) => ({
    query: `query ($n: Int) { users(first: $n) ${EVENTS} }`,
    variables: `{"n":${secret.digits}${'9'.repeat(size)}}`,
  }),
  'a long name of an operation': ({ secret }, size) => ({
    query: 'query Q { __typename }',
    operationName: secret.word + 'x'.repeat(size),
  }),
  'a long enum value': ({ secret }, size) => ({
    query: `mutation { setUserRole(input: { id: "x", role: ${secret.word}${'x'.repeat(size)} }) { user { id } } }`,
  }),
  'newlines and a syntax error': ({ secret }, size) => ({ query: `${'\n'.repeat(size)}{ user(id: "${secret.word}` }),
  'newlines between unknown fields': (_dice, size) => ({
    query: `{ ${repeat(Math.min(size, 1_900), (i) => `\n\n\n\n\n\n\n\n\n\nuser${i}`)} }`,
  }),
  'newlines between errors of execution': (_dice, size) => ({
    query: `${'\n'.repeat(size)}{ ${`users(first: 0) ${EVENTS} `} ${repeat(14, (i) => `a${i}: users(first: -${i}) ${EVENTS} `)} }`,
  }),
  'byte order marks and comments': (_dice, size) => ({
    query: `${'\ufeff'.repeat(Math.min(size, 10_000))}${'#\n'.repeat(Math.min(size, 10_000))}{ __typename }`,
  }),
  'introspection, deep': (_dice, size) => {
    const levels = Math.min(size, 300);
    return { query: `{ __schema { types { ${'fields { type { '.repeat(levels)} name ${'} }'.repeat(levels)} } } }` };
  },
  'introspection, wide': () => ({
    query: '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
  }),
  'a page of everything': (dice) => ({
    query: `{ ${repeat(dice.int(1, 15), (i) => `a${i}: users(first: 100) { nodes { sessions { nodes { events { nodes { id } } } } } } `)} }`,
  }),
  'many types of events': (_dice, size) => ({
    query: VIA_VARIABLE,
    variables: `{"f":{"email":"admin@example.com","eventTypes":["logout"${',"login_failure"'.repeat(Math.min(size, 3_500))}]}}`,
  }),
  'many types of counts': (_dice, size) => ({
    query: 'query ($f: AuditCountFilter!) { auditCounts(bucket: day, filter: $f) { count } }',
    variables: `{"f":{"since":"2026-01-01T00:00:00Z","until":"2026-02-01T00:00:00Z","eventTypes":["logout"${',"login_failure"'.repeat(Math.min(size, 3_500))}]}}`,
  }),
  'counts of a long time': () => ({
    query:
      'query ($f: AuditCountFilter!) { auditCounts(bucket: day, timeZone: "Europe/Berlin", filter: $f) { count } }',
    variables: '{"f":{"since":"0000-01-01T00:00:00Z","until":"9999-12-31T23:59:59Z"}}',
  }),
  'a search that backtracks': (_dice, size) => ({
    query: 'query ($s: String) { users(filter: {search: $s}) { edges { cursor } } }',
    variables: `{"s":"${'%_a'.repeat(Math.min(size, 20_000))}"}`,
  }),
};

const SHAPE_NAMES = Object.keys(SHAPES);

export function hostileOperation(dice: Dice): Operation {
  return operationOf(dice, dice.pick(SHAPE_NAMES), dice.pick([10, 100, 1_000, 15_000, 15_000, 30_000]));
}

function operationOf(dice: Dice, name: string, size: number): Operation {
  return { query: '', variables: '{}', ...(SHAPES[name] as Shape)(dice, size) };
}
