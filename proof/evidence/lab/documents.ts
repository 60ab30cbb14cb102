/** Trusted documents, and twins of them that must not run. (Interface 24) */
import { randomInt } from 'node:crypto';
import { asManifest, asRecord, sha256 } from '../../../test/support/gateway/trusted-documents.js';

/** Its side effect is a key whose service has this name. */
export const CREATE =
  'mutation Create($name: String!) { createCronKey(input: { serviceName: $name, scopes: [] }) { cronKey { id } } }';
/** The same, which files leave out in turn */
export const RETIRED = CREATE.replace('Create(', 'Retired(');
/** Reads nothing, and says which file is in use */
export const MARKERS = [0, 1].map((i) => `query Marker${i} { caller { callerType } }`) as [string, string];

/** @param turn odd ones have the marker 1 and lack what is retired, in the form of Apollo */
export function fileOf(turn: number): string {
  return turn % 2 === 0 ? asRecord(CREATE, RETIRED, MARKERS[0]) : asManifest(CREATE, MARKERS[1]);
}

/** Files that are refused whole */
export const BROKEN = [fileOf(0).slice(0, 120), '[]'] as const;
/** A right key with another text: refused whole as well */
export const POISONED = JSON.stringify({ [sha256(CREATE)]: ownText('untrusted by a wrong hash') });

/** A text that needs no variable */
export function ownText(name: string): string {
  return `mutation Own { createCronKey(input: { serviceName: "${name}", scopes: [] }) { cronKey { id } } }`;
}

export interface Hostile {
  what: string;
  /** The bytes of the body */
  body: string;
}

type Twin = [what: string, make: (text: string) => string];

const TWINS: readonly Twin[] = [
  ['a space in front', (text) => ` ${text}`],
  ['a space behind', (text) => `${text} `],
  ['a line behind', (text) => `${text}\n`],
  ['a byte order mark', (text) => `\ufeff${text}`],
  ['a comment', (text) => `${text}#`],
  ['a comment of a lone surrogate', (text) => `${text}#\ud800`],
  ['two spaces', (text) => text.replace(' { createCronKey', '  { createCronKey')],
  ['commas', (text) => text.replace(' { createCronKey', ', { createCronKey')],
  ['another case of the name', (text) => text.replace('Create(', 'create(')],
  ['an alias', (text) => text.replace('{ createCronKey', '{ a: createCronKey')],
  ['one field more', (text) => text.replace('{ id }', '{ id serviceName }')],
  ['one field less', (text) => text.replace('cronKey { id }', '__typename')],
  ['one field twice', (text) => text.replace('{ id }', '{ id id }')],
  ['another operation behind', (text) => `${text} query Other { __typename }`],
  ['another operation in front', (text) => `query Other { __typename } ${text}`],
  ['a full-width bracket', (text) => text.replace('{', '\uff5b')],
  ['a text of its own', () => ownText('untrusted text')],
];

const ID_TWINS: readonly Twin[] = [
  ['one digit changed', (id) => withDigit(id, randomInt(64))],
  ['one digit less', (id) => id.slice(1)],
  ['one digit more', (id) => `${id}0`],
  ['a space behind', (id) => `${id} `],
  ['a line behind', (id) => `${id}\n`],
  ['NUL behind', (id) => `${id}\0`],
  ['another prefix', (id) => `sha1:${id}`],
  ['a prefix in upper case', (id) => `SHA256:${id}`],
  ['two prefixes', (id) => `sha256:sha256:${id}`],
  ['full-width digits', (id) => id.replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))],
  ['half of it', (id) => id.slice(0, 32)],
  ['the name', () => 'Create'],
  ['nothing', () => ''],
];

function withDigit(id: string, at: number): string {
  const digit = id[at] === 'f' ? '0' : 'f';
  return id.slice(0, at) + digit + id.slice(at + 1);
}

const persisted = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } });

/** @param name of the service in whatever runs */
export function hostileOf(name: string): Hostile[] {
  const variables = { name };
  const id = sha256(CREATE);
  const own = ownText(name);
  const bodies: Array<[string, unknown]> = [
    ...TWINS.map(([what, make]): [string, unknown] => [
      `a text with ${what}`,
      { query: make(CREATE), variables, operationName: /Other/.test(make(CREATE)) ? 'Create' : undefined },
    ]),
    ...ID_TWINS.flatMap(
      ([what, make]): Array<[string, unknown]> => [
        [`an id with ${what}`, { documentId: make(id), query: CREATE, variables }],
        [`a persisted query with ${what}`, { extensions: persisted(make(id)), query: own, variables }],
      ],
    ),
    ['the id of an own text, next to it', { documentId: sha256(own), query: own }],
    ['the persisted query of an own text, next to it', { extensions: persisted(sha256(own)), query: own }],
    ['another version', { extensions: persisted(id, '1'), query: own, variables }],
    ['two ids that differ', { documentId: id, extensions: persisted(sha256(own)), query: own, variables }],
    ['two ids the other way', { documentId: sha256(own), extensions: persisted(id), query: own, variables }],
    ['a list of ids', { documentId: [id], query: CREATE, variables }],
    ['a batch', [{ query: CREATE, variables }]],
    ['a batch of two', [{ documentId: id, variables }, { query: own }]],
    ['a tree in place of a text', { query: { kind: 'Document', definitions: [] }, variables }],
    ['a list of texts', { query: [CREATE], variables }],
  ];
  const quoted = JSON.stringify(CREATE);
  const given = JSON.stringify(variables);
  return [
    ...bodies.map(([what, body]) => ({ what, body: JSON.stringify(body) })),
    { what: 'two texts by two keys', body: `{"query":${quoted},"query":${JSON.stringify(own)},"variables":${given}}` },
    { what: 'two ids by two keys', body: `{"documentId":"${id}","documentId":"${sha256(own)}","variables":${given}}` },
    { what: 'a text by the prototype', body: `{"__proto__":{"query":${quoted}},"variables":${given}}` },
  ];
}
