/** Alterations that no ceremony survives, of either kind. (WebAuthn Level 3 sections 5.8.1 and 6.1) */
import { Raw } from './cbor.js';
import { type Draft, FLAGS, sha256 } from './software-authenticator.js';

export interface Hostile<Altered> {
  name: string;
  /** The same ceremony without it is good. */
  alter: (draft: Altered) => void;
}

const ORIGINS = {
  'of somebody else': 'https://evil.example',
  'of a subdomain': 'https://evil.gate.example',
  'that begins like ours': 'https://gate.example.evil.example',
  'that ends like ours': 'https://evilgate.example',
  'with another port': 'https://gate.example:8443',
  'with the default port': 'https://gate.example:443',
  'without TLS': 'http://gate.example',
  'with a slash': 'https://gate.example/',
  'in capitals': 'https://GATE.example',
  'with a space': ' https://gate.example',
  'of an app': 'android:apk-key-hash:7d1043473d55bfa90e8530d35801d4e381bc69f0',
  'that is opaque': 'null',
  'that is empty': '',
  'that is null': null,
  'that is a list': ['https://gate.example'],
  'that is an object': { toString: 'https://gate.example' },
};

const CHALLENGES = {
  'of another ceremony': Buffer.alloc(32, 7).toString('base64url'),
  'that is empty': '',
  'that is null': null,
  'that is a number': 7,
  'that is true': true,
  'that is a list': [Buffer.alloc(32, 7).toString('base64url')],
  'that is no base64url': '*'.repeat(43),
  'of 64 kB': 'A'.repeat(65_536),
};

type Change = (draft: Draft) => void;

const clientData: Record<string, Change> = {
  'the type of the other ceremony': ({ clientData: data }) => {
    data['type'] = data['type'] === 'webauthn.get' ? 'webauthn.create' : 'webauthn.get';
  },
  'the type of a payment': ({ clientData: data }) => {
    data['type'] = 'payment.get';
  },
  'a type in capitals': ({ clientData: data }) => {
    data['type'] = String(data['type']).toUpperCase();
  },
  'a type that is a list': ({ clientData: data }) => {
    data['type'] = [data['type']];
  },
  ...Object.fromEntries(
    ['type', 'challenge', 'origin'].map((name) => [
      `no ${name}`,
      ({ clientData: data }: Draft) => {
        delete data[name];
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(CHALLENGES).map(([name, challenge]) => [
      `a challenge ${name}`,
      ({ clientData: data }: Draft) => {
        data['challenge'] = challenge;
      },
    ]),
  ),
  'a challenge with padding': ({ clientData: data }) => {
    data['challenge'] += '=';
  },
  'a challenge that is encoded twice': ({ clientData: data }) => {
    data['challenge'] = Buffer.from(String(data['challenge'])).toString('base64url');
  },
  'the challenge and one byte more': ({ clientData: data }) => {
    data['challenge'] = Buffer.concat([Buffer.from(String(data['challenge']), 'base64url'), Buffer.alloc(1)]).toString(
      'base64url',
    );
  },
  ...Object.fromEntries(
    Object.entries(ORIGINS).map(([name, origin]) => [
      `an origin ${name}`,
      ({ clientData: data }: Draft) => {
        data['origin'] = origin;
      },
    ]),
  ),
  ...Object.fromEntries(
    [true, 'true', 'false', 1, 0, '', {}, []].map((value) => [
      `crossOrigin ${JSON.stringify(value)}`,
      ({ clientData: data }: Draft) => {
        data['crossOrigin'] = value;
      },
    ]),
  ),
  'topOrigin of somebody else': ({ clientData: data }) => {
    Object.assign(data, { crossOrigin: true, topOrigin: 'https://evil.example' });
  },
  'topOrigin in a frame of its own origin': ({ clientData: data }) => {
    data['topOrigin'] = data['origin'];
  },
  'topOrigin that is empty': ({ clientData: data }) => {
    data['topOrigin'] = '';
  },
  'client data in the prototype of an object': (draft) => {
    draft.clientDataBytes = (bytes) => Buffer.from(`{"__proto__":${bytes}}`);
  },
  'client data in a list': (draft) => {
    draft.clientDataBytes = (bytes) => Buffer.from(`[${bytes}]`);
  },
  'client data twice': (draft) => {
    draft.clientDataBytes = (bytes) => Buffer.concat([bytes, bytes]);
  },
  'client data in text': (draft) => {
    draft.clientDataBytes = (bytes) => Buffer.from(JSON.stringify(bytes.toString()));
  },
  'client data that are null': (draft) => {
    draft.clientDataBytes = () => Buffer.from('null');
  },
  'client data that are cut off': (draft) => {
    draft.clientDataBytes = (bytes) => bytes.subarray(0, -1);
  },
  'client data that are empty': (draft) => {
    draft.clientDataBytes = () => Buffer.alloc(0);
  },
  'client data in UTF-16': (draft) => {
    draft.clientDataBytes = (bytes) => Buffer.from(bytes.toString(), 'utf16le');
  },
  'client data with a byte that is not UTF-8': (draft) => {
    draft.clientDataBytes = (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from(',"more":"\xff"}', 'latin1')]);
  },
  'client data of 5 kB': ({ clientData: data }) => {
    data['more'] = 'x'.repeat(5000);
  },
  'client data of a thousand levels': (draft) => {
    draft.clientDataBytes = () => Buffer.from('['.repeat(1000) + ']'.repeat(1000));
  },
};

const authenticatorData: Record<string, Change> = {
  'the hash of another relying party': (draft) => {
    draft.rpIdHash = sha256(Buffer.from('evil.example'));
  },
  'the hash of the origin': (draft) => {
    draft.rpIdHash = sha256(Buffer.from('https://gate.example'));
  },
  'the hash of a subdomain': (draft) => {
    draft.rpIdHash = sha256(Buffer.from('app.gate.example'));
  },
  'a hash of zeros': (draft) => {
    draft.rpIdHash = Buffer.alloc(32);
  },
  'a hash that is one byte short': (draft) => {
    draft.rpIdHash = draft.rpIdHash.subarray(1);
  },
  'nobody present (UP)': (draft) => {
    draft.flags &= ~FLAGS.UP;
  },
  'nobody verified (UV)': (draft) => {
    draft.flags &= ~FLAGS.UV;
  },
  'a backup (BS) of a key that has none (BE)': (draft) => {
    draft.flags = (draft.flags & ~FLAGS.BE) | FLAGS.BS;
  },
  'no flags': (draft) => {
    draft.flags &= FLAGS.AT;
  },
  'extensions that are said and missing': (draft) => {
    draft.flags |= FLAGS.ED;
  },
  'extensions that are there and not said': (draft) => {
    draft.extensions = new Map([['credProtect', 2]]);
  },
  'extensions that are a list': (draft) => {
    draft.flags |= FLAGS.ED;
    draft.extensions = [];
  },
  'extensions that are cut off': (draft) => {
    draft.flags |= FLAGS.ED;
    draft.extensions = new Raw(Buffer.from([0xa1, 0x61]));
  },
  'extensions of indefinite length': (draft) => {
    draft.flags |= FLAGS.ED;
    draft.extensions = new Raw(Buffer.from([0xbf, 0xff]));
  },
  'extensions with one name twice': (draft) => {
    draft.flags |= FLAGS.ED;
    draft.extensions = new Raw(Buffer.from([0xa2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x02]));
  },
  'extensions of a thousand levels': (draft) => {
    draft.flags |= FLAGS.ED;
    draft.extensions = new Raw(Buffer.concat([Buffer.alloc(3000, Buffer.from([0xa1, 0x61, 0x61])), Buffer.from([0])]));
  },
  'extensions of 10 kB': (draft) => {
    draft.flags |= FLAGS.ED;
    draft.extensions = new Map([['a', Buffer.alloc(10_000)]]);
  },
  'one byte more': (draft) => {
    draft.afterAuthenticatorData = Buffer.alloc(1);
  },
  'a second item after the data': (draft) => {
    draft.afterAuthenticatorData = Buffer.from([0xa0]);
  },
};

/** Of a relying party `gate.example` whose only origins are `https://gate.example` and `https://app.gate.example`. */
export const HOSTILE_PARTS: Array<Hostile<Draft>> = Object.entries({ ...clientData, ...authenticatorData }).map(
  ([name, alter]) => ({ name, alter }),
);

/** Alterations of the JSON around a response, which both ceremonies share. */
export const HOSTILE_JSON: Array<{ name: string; alter: (response: Json) => unknown }> = [
  { name: 'an id without its rawId', alter: ({ rawId: _, ...rest }) => rest },
  { name: 'a rawId without its id', alter: ({ id: _, ...rest }) => rest },
  { name: 'another rawId', alter: (json) => ({ ...json, rawId: Buffer.alloc(32).toString('base64url') }) },
  { name: 'the id of another passkey', alter: (json) => withId(json, Buffer.alloc(32).toString('base64url')) },
  { name: 'an id with padding', alter: (json) => withId(json, `${json['id']}=`) },
  { name: 'an id with a line break', alter: (json) => withId(json, `${json['id']}\n`) },
  { name: 'an id of another spelling', alter: (json) => withId(json, otherSpelling(String(json['id']))) },
  { name: 'an empty id', alter: (json) => withId(json, '') },
  { name: 'an id of 1 MB', alter: (json) => withId(json, 'A'.repeat(2 ** 20)) },
  { name: 'ids that are lists', alter: (json) => withId(json, [json['id']]) },
  { name: 'no type', alter: ({ type: _, ...rest }) => rest },
  { name: 'another type', alter: (json) => ({ ...json, type: 'password' }) },
  { name: 'no response', alter: ({ response: _, ...rest }) => rest },
  { name: 'a response that is null', alter: (json) => ({ ...json, response: null }) },
  { name: 'a response that is text', alter: (json) => ({ ...json, response: JSON.stringify(json['response']) }) },
  { name: 'a response in a list', alter: (json) => ({ ...json, response: [json['response']] }) },
  {
    name: 'a response in the prototype of an object',
    alter: (json) => JSON.parse(`{"__proto__":${JSON.stringify(json)}}`),
  },
  {
    name: 'parts of the response in the prototype of an object',
    alter: (json) => ({ ...json, response: JSON.parse(`{"__proto__":${JSON.stringify(json['response'])}}`) }),
  },
];

export type Json = Record<string, unknown>;

function withId(json: Json, id: unknown): Json {
  return { ...json, id, rawId: id };
}

/** The unused bits of the last character are set: the same bytes. */
function otherSpelling(text: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + digits[digits.indexOf(text.slice(-1)) + 1];
}

/** Alterations of one text in base64url inside the response. */
export function hostileTexts(part: string): Array<{ name: string; alter: (response: Json) => unknown }> {
  const change = (of: (text: string) => unknown) => (json: Json) => {
    const inner = json['response'] as Json;
    return { ...json, response: { ...inner, [part]: of(String(inner[part])) } };
  };
  return [
    { name: `${part} that is null`, alter: change(() => null) },
    { name: `${part} that is a number`, alter: change(() => 1) },
    { name: `${part} that is a list of bytes`, alter: change((text) => [...Buffer.from(text, 'base64url')]) },
    { name: `${part} that is empty`, alter: change(() => '') },
    { name: `${part} with a line break`, alter: change((text) => `${text}\n`) },
    { name: `${part} with a space`, alter: change((text) => `${text.slice(0, 4)} ${text.slice(4)}`) },
    { name: `${part} with an end of padding`, alter: change((text) => `${text}=`) },
    { name: `${part} of 1 MB`, alter: change(() => 'A'.repeat(2 ** 20)) },
  ];
}
