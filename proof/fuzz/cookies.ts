/** Cookie fields of `POST /auth/refresh` and `POST /auth/logout`. (Spec 4.2 and 4.3) */
import { randomUUID } from 'node:crypto';
import type { Dice } from './dice.js';
import { clientHeaders } from './headers.js';
import type { HttpRequest, World } from './request.js';
import { fieldText, mutateField } from './texts.js';
import { sessionPath } from './tokens.js';

export function cookieRequest(dice: Dice, world: World): HttpRequest {
  const headers = [...Array(dice.chance(0.1) ? 2 : 1)].map((): [string, string] => ['Cookie', field(dice, world)]);
  const body = dice.chance(0.1) ? Buffer.from(fieldText(dice), 'latin1') : Buffer.alloc(0);
  return {
    method: 'POST',
    path: sessionPath(dice),
    headers: [...headers, ...clientHeaders(dice)],
    body,
    mayEcho: 'nowhere',
  };
}

function field(dice: Dice, world: World): string {
  const { word } = dice.secret;
  const token = value(dice, world);
  switch (dice.int(0, 11)) {
    case 0:
      return fieldText(dice);
    case 1:
      return `refresh_token=${token}; refresh_token=${value(dice, world)}`;
    case 2:
      return `${word}=1; refresh_token=${token};`;
    case 3:
      return `refresh_token="${token}"`;
    case 4:
      return dice.pick(['refresh_token', 'refresh_token=', '=', ';', '; ;=;', 'refresh_token=;', `=${token}`]);
    case 5:
      return `${'a=b; '.repeat(dice.int(100, 1_500))}refresh_token=${token}`;
    case 6:
      return dice.pick([`REFRESH_TOKEN=${token}`, ` refresh_token = ${token} `, `refresh%5ftoken=${token}`]);
    case 7:
      return dice.pick([`__proto__=${token}`, `__Host-refresh_token=${token}`, `$Version=1; refresh_token=${token}`]);
    case 8:
      return mutateField(dice, `refresh_token=${token}; other=${word}`);
    default:
      return `refresh_token=${token}`;
  }
}

function value(dice: Dice, { refreshTokens }: World): string {
  const { word } = dice.secret;
  // A token is in the hands of one request at a time, or it would be theft by chance; now and then it is.
  const good = (dice.chance(0.1) ? refreshTokens.at(-1) : refreshTokens.shift()) ?? word;
  return dice.pick([
    good,
    good,
    mutateField(dice, good),
    `${good}${dice.pick(['%', '%00', '%20', '.', '=', 'A', '%zz', '%E0%A4'])}`,
    encodeURIComponent(good).replaceAll('.', '%2e'),
    `%${word}`,
    `${word}%00%ff%`,
    `${word}.${word}.${word}`,
    `${'x'.repeat(dice.int(1_000, 7_000))}${word}`,
    fieldText(dice),
    randomUUID(),
    '.'.repeat(dice.int(0, 5_000)),
    '..',
  ]);
}
