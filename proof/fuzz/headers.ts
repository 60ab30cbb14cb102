/** Header fields that any request may carry */
import type { Dice } from './dice.js';
import { fieldText } from './texts.js';

const HOPS = [
  ...[
    '1.2.3.4',
    '10.0.0.1:8080',
    '2001:db8::1',
    '[2001:db8::1]:443',
    '::ffff:1.2.3.4',
    '::',
    'fe80::1%eth0',
    'fe80::1%eth0.1',
    '::ffff:1.2.3.4%a-b',
    '2001:db8::1%a:b',
  ],
  ...['fe80::1%', '::1%1', '::ffff:1.2.3.4%eth0', '127.0.0.1', '127.1', '0x7f000001', '2130706433', '0177.0.0.1'],
  ...['unknown', '_hidden', '', ' ', '1.2.3.4/8', '256.1.1.1', '1.2.3', 'for=1.2.3.4', '::1%\xff', '1::2::3'],
];

/** The fields that say who the client is and where the page was; mostly none of them. */
export function clientHeaders(dice: Dice): Array<[string, string]> {
  const lines: Array<[string, string]> = [];
  if (dice.chance(0.3)) lines.push(['X-Forwarded-For', forwardedFor(dice)]);
  if (dice.chance(0.05)) lines.push(['X-Forwarded-For', forwardedFor(dice)]);
  if (dice.chance(0.2)) lines.push(['User-Agent', userAgent(dice)]);
  // Never a plain one: that is given back.
  if (dice.chance(0.1)) lines.push(['X-Request-Id', `${fieldText(dice)} \xa0`]);
  if (dice.chance(0.08)) lines.push(['Origin', origin(dice)]);
  if (dice.chance(0.08)) lines.push(['Sec-Fetch-Site', dice.pick(['same-origin', 'none', 'cross-site', 'x', ''])]);
  if (dice.chance(0.05)) lines.push([dice.pick(NAMES), fieldText(dice)]);
  return lines;
}

const NAMES = [
  ...['Forwarded', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Real-Ip', 'Traceparent', 'Accept', 'Accept-Encoding'],
  ...['Range', 'If-None-Match', 'If-Match', 'TE', 'Via', 'Cache-Control', 'Apollo-Require-Preflight', 'Referer'],
  ...['Authorization', 'X-Internal-Key', 'Signature', 'Cookie', 'X-Http-Method-Override', 'Prefer', 'Date'],
];

function forwardedFor(dice: Dice): string {
  if (dice.chance(0.05)) return Array(dice.int(100, 800)).fill(dice.pick(HOPS)).join(',');
  if (dice.chance(0.2)) return fieldText(dice);
  const random = `${dice.int(1, 223)}.${dice.int(0, 255)}.${dice.int(0, 255)}.${dice.int(0, 255)}`;
  const hops = [random, ...dice.list(3, () => dice.pick(HOPS))];
  if (dice.chance(0.6)) hops.reverse(); // the last one counts
  return hops.join(dice.pick([',', ', ', ' ,']));
}

function userAgent(dice: Dice): string {
  const bytes = String.fromCharCode(...Array.from({ length: dice.int(0, 40) }, () => dice.int(0x80, 0xff)));
  return dice.pick([bytes, fieldText(dice), 'x'.repeat(dice.int(500, 3_000)), `${dice.secret.word}${bytes}`, '']);
}

function origin(dice: Dice): string {
  return dice.pick([
    ...['null', 'http://localhost:3000', 'https://app.example', 'https://app.example.', 'HTTPS://APP.EXAMPLE', '*', ''],
    `https://${dice.secret.word}.example`,
    fieldText(dice),
  ]);
}
