/** Hostile texts and JSON, each with the secret of its request somewhere inside. */
import type { Dice } from './dice.js';

const PIECES = [
  ...['\0', '\u0001', '\u001b[31m', '\n', '\r\n', '\t', '\u007f', '\u0085', '\u00a0', '\u2028', '\ufeff', '\uffff'],
  ...['\ud800', '\udc00', '\udc00\ud800', '\u{1f600}', '\u{10ffff}', '\u202e', '\u200b', 'e\u0301', '\u0130', '\u1e9e'],
  ...[
    "'",
    "' or 1=1 --",
    '"',
    '\\',
    '\\u0000',
    '%00',
    '%',
    '%zz',
    '_',
    '$1',
    ':x',
    '?',
    '/',
    '../../etc/passwd',
    '<b>',
  ],
  ...['@', 'a@b.c', ',', ';', '=', '.', ' ', '', '0', '-1', '1e999', 'NaN', 'null', 'true', '{}', '[]', '__proto__'],
];

/** What PostgreSQL has no text for. */
const WORST = ['\0', '\ud800', '\udc00'];

/** A text with the secret in it, and some of what texts go wrong by. */
export function text(dice: Dice): string {
  const pieces = dice.list(4, () => dice.pick(dice.chance(0.1) ? WORST : PIECES));
  pieces.splice(dice.int(0, pieces.length), 0, dice.secret.word);
  if (dice.chance(0.03)) pieces.push(dice.pick(PIECES).repeat(dice.int(100, 4_000)));
  return pieces.join('');
}

/** The same in the bytes that a header field can hold. */
export function fieldText(dice: Dice): string {
  const plain = text(dice).replace(/[^\t\x20-\x7e]/gu, () => String.fromCharCode(dice.int(0x80, 0xff)));
  return plain.slice(0, 3_000);
}

const ODD_NUMBERS = ['0', '-0', '-1', '1.5', '1e308', '1e999', '-1e999', '1E-400', '9007199254740993', '2147483648'];
const NO_JSON = ['01', '+1', '.5', '1.', 'NaN', 'Infinity', 'undefined', "'x'", '0x10', '{,}', '[1,]', '"\\x"', '"\n"'];
const KEYS = [
  'email',
  'password',
  '__proto__',
  'constructor',
  'toString',
  'then',
  'toJSON',
  'length',
  '',
  '0',
  'query',
];

/** JSON of any shape as text, so that it can have what JSON.stringify never writes; rarely it is no JSON. */
export function jsonText(dice: Dice, depth = 3): string {
  const deeper = (): string => jsonText(dice, depth - 1);
  switch (dice.int(depth > 0 ? 0 : 4, 12)) {
    case 0:
    case 1:
      return `{${dice.list(4, () => `${JSON.stringify(key(dice))}:${deeper()}`).join(',')}}`;
    case 2:
      return `[${dice.list(4, deeper).join(',')}]`;
    case 3:
      return nested(dice, dice.int(10, 4_000));
    case 4:
      return dice.pick(['null', 'true', 'false', '""', '[]', '{}']);
    case 5:
      return dice.pick(ODD_NUMBERS);
    case 6:
      return dice.secret.digits + dice.pick(['', '0000', '.5', 'e3']);
    case 7:
      return dice.chance(0.2) ? dice.pick(NO_JSON) : '1';
    case 8:
      return `"${dice.pick(['\\ud800', '\\u0000', '\\udc00\\ud800', '\\/', '\\u202e'])}${dice.secret.word}"`;
    default:
      return JSON.stringify(text(dice));
  }
}

function key(dice: Dice): string {
  return dice.chance(0.3) ? text(dice) : dice.pick(KEYS);
}

export function nested(dice: Dice, levels: number): string {
  const [open, close] = dice.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"email":', '}]'],
  ] as const);
  return open.repeat(levels) + JSON.stringify(dice.secret.word) + close.repeat(levels);
}

/** A few bytes changed, added, taken away or said twice. */
export function mutateBytes(dice: Dice, bytes: Buffer): Buffer {
  let changed = bytes;
  for (let times = dice.int(1, 4); times > 0; times -= 1) {
    const at = dice.int(0, changed.length);
    const [before, after] = [changed.subarray(0, at), changed.subarray(at)];
    switch (dice.int(0, 4)) {
      case 0:
        changed = Buffer.concat([before, dice.bytes(1), after.subarray(1)]);
        break;
      case 1:
        changed = Buffer.concat([before, dice.bytes(dice.int(1, 3)), after]);
        break;
      case 2:
        changed = Buffer.concat([before, after.subarray(dice.int(1, 8))]);
        break;
      case 3:
        changed = Buffer.concat([before, after.subarray(0, dice.int(1, 30)), after]);
        break;
      default:
        changed = Buffer.concat([before, Buffer.from(dice.pick(PIECES)), after]);
    }
  }
  return changed;
}

/** The same for text whose characters are bytes, such as a header field; what no field can hold is left out. */
export function mutateField(dice: Dice, value: string): string {
  return mutateBytes(dice, Buffer.from(value, 'latin1'))
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '');
}
