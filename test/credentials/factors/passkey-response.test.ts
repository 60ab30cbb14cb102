/** What is read of a passkey's response before anything is verified. (Interface 20) */
import { challengeOf, credentialIdOf } from '../../../src/credentials/factors/passkey-response.js';

const base64url = (value: string | Uint8Array) => Buffer.from(value).toString('base64url');
const CHALLENGE = base64url(Buffer.alloc(32, 200));

function responseWith(clientDataJSON: unknown): unknown {
  return { response: { clientDataJSON } };
}

function clientData(changes: Record<string, unknown> = {}): string {
  const data = { type: 'webauthn.get', challenge: CHALLENGE, origin: 'https://gate.example', ...changes };
  return base64url(JSON.stringify(data));
}

test.each([1, 16, 1023])('Interface 20: an id of %p bytes is read', (bytes) => {
  const id = base64url(Buffer.alloc(bytes, 251));
  expect(credentialIdOf({ id })).toBe(id);
});

test.each([
  ['undefined', undefined],
  ['null', null],
  ['text', 'AAAA'],
  ['a list', ['AAAA']],
  ['an object without one', {}],
  ['an empty one', { id: '' }],
  ['a number', { id: 1 }],
  ['a list of one', { id: ['AAAA'] }],
  ['1024 bytes', { id: base64url(Buffer.alloc(1024)) }],
  ['1 MB', { id: 'A'.repeat(2 ** 20) }],
  ['base64', { id: '+/+/' }],
  ['padding', { id: 'AA==' }],
  ['unused bits', { id: 'AB' }],
  ['one character', { id: 'A' }],
  ['white space', { id: ' AAAA' }],
  ['a line break', { id: 'AAAA\n' }],
  ['U+2028', { id: 'AAAA\u2028' }],
  ['an id of a prototype', Object.create({ id: 'AAAA' })],
])('Interface 20: no id is read of %s', (_, response) => {
  expect(credentialIdOf(response)).toBeUndefined();
});

test('Interface 20: the challenge is read of client data, also of those that will be refused', () => {
  expect(challengeOf(responseWith(clientData()))).toBe(CHALLENGE);
  expect(challengeOf(responseWith(clientData({ type: 'x', origin: 'y', crossOrigin: true })))).toBe(CHALLENGE);
});

test.each([
  ['undefined', undefined],
  ['an object without a response', {}],
  ['no client data', responseWith(undefined)],
  ['a number', responseWith(7)],
  ['an object', responseWith({ challenge: CHALLENGE })],
  ['JSON that is not encoded', responseWith(JSON.stringify({ challenge: CHALLENGE }))],
  ['no JSON', responseWith(base64url('{'))],
  ['null', responseWith(base64url('null'))],
  ['4097 bytes', responseWith(clientData({ more: 'x'.repeat(4097) }))],
  ['no challenge', responseWith(clientData({ challenge: undefined }))],
  ['a challenge of 65 bytes', responseWith(clientData({ challenge: base64url(Buffer.alloc(65)) }))],
  ['a challenge with padding', responseWith(clientData({ challenge: `${CHALLENGE}=` }))],
  ['a challenge in a list', responseWith(clientData({ challenge: [CHALLENGE] }))],
  ['a challenge in a prototype', responseWith(base64url(`{"__proto__":{"challenge":"${CHALLENGE}"}}`))],
])('Interface 20: no challenge is read of %s', (_, response) => {
  expect(challengeOf(response)).toBeUndefined();
});
