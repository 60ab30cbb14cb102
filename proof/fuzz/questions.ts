/** Questions of proxies: rules and original requests of any kind, with every kind of credential. (Interface 18) */
import { FAMILIES, ORIGIN, type Original, questionOf } from '../../test/support/gateway/authz.js';
import { signByHand } from '../../test/support/independent/signer.js';
import type { Dice } from './dice.js';
import { clientHeaders } from './headers.js';
import type { HttpRequest, World } from './request.js';
import { fieldText, mutateField } from './texts.js';
import { madeToken } from './tokens.js';

export function questionRequest(dice: Dice, world: World): HttpRequest {
  const family = dice.pick(FAMILIES);
  const target = dice.chance(0.8) ? dice.pick(['/invoices', '/invoices?year=2026', '/', '/a%20b']) : oddTarget(dice);
  const origin = dice.chance(0.9) ? ORIGIN : oddOrigin(dice);
  const method = dice.chance(0.9) ? dice.pick(['GET', 'POST', 'OPTIONS', 'DELETE']) : dice.secret.word;
  const { isGood, headers } = credential(dice, world, { method, target });
  const question = questionOf(family, rule(dice), { method, target, origin, headers: {} });
  let fields: HttpRequest['headers'] = Object.entries(question.headers);
  if (dice.chance(0.05)) fields = fields.filter(() => dice.chance(0.7));
  if (dice.chance(0.05)) fields = [...fields, dice.pick([...fields, ['X-Original-URL', origin + target]])];
  if (dice.chance(0.05)) fields = fields.map(([name, value]) => [name, dice.chance(0.4) ? odd(dice, value) : value]);
  if (dice.chance(0.1)) fields.push(identityField(dice));
  if (dice.chance(0.1)) fields.push(['Origin', 'https://page.example'], ['Access-Control-Request-Method', 'GET']);
  const path = dice.chance(0.95) ? question.path : mutateField(dice, question.path);
  return {
    // What Node's client would not send
    method: question.method === dice.secret.word ? 'PATCH' : question.method,
    path: `/${path.replace(/[^!-\xff]|^\//g, '')}`,
    headers: [...fields, ...headers, ...clientHeaders(dice)],
    body: dice.chance(0.1) ? Buffer.from(dice.secret.word) : Buffer.alloc(0),
    mayEcho: 'nowhere',
    mayPass: isGood || (headers.length === 0 && path.includes('preflight=allow')),
  };
}

function rule(dice: Dice): string {
  const { word } = dice.secret;
  const callers = dice.some(['user', 'user', 'api_key', 'cron']);
  const good = [
    `caller=${[...new Set(callers)].join() || 'user,api_key,cron'}`,
    ...(callers.includes('user') && dice.chance(0.3) ? [dice.pick(['role=analyst,admin', 'role=viewer'])] : []),
    ...(dice.chance(0.3) ? [dice.pick(['scope=users:read', 'scope=users:read,own:thing'])] : []),
    ...dice.some(['assertion=off', 'preflight=allow']),
  ];
  if (dice.chance(0.75)) return good.join(';');
  const lower = word.toLowerCase();
  return dice.pick([
    ...['', ';', 'caller', 'caller=', 'caller=user;', ';caller=user', 'caller=user;caller=user', 'caller=user,user'],
    ...[
      'caller=__proto__',
      '__proto__=x',
      'constructor=user',
      'caller=user,',
      'caller=USER',
      'caller=%75ser',
      '..',
      '.',
    ],
    ...[word, `caller=${lower}`, `caller=user;scope=${lower}:x`, `caller=user;${lower}=1`, `caller=user;role=${lower}`],
    `caller=user;scope=${Array.from({ length: dice.int(50, 300) }, (_, i) => `a:n${i}`).join()}`,
    ';'.repeat(dice.int(2, 2_000)),
    [...good, `preflight=${word}`].join(';'),
  ]);
}

function oddTarget(dice: Dice): string {
  const { word } = dice.secret;
  return `/${dice.pick([
    ...[word, `#${word}`, `a\\${word}`, `..%2f${word}`, `%00`, '?', '??', `//${word}`, `?a=${word}#x`, '\u00e4'],
    'x'.repeat(dice.int(1_000, 3_000)),
    fieldText(dice),
  ])}`;
}

function oddOrigin(dice: Dice): string {
  const { word } = dice.secret;
  return dice.pick([
    ...[`https://${word}.example`, `${ORIGIN}.`, `${ORIGIN}:443`, `http://app.example.com`, 'https://', '', word],
    ...[`https://app.example.com@${word}.example`, `${ORIGIN},${ORIGIN}`, 'HTTPS://APP.EXAMPLE.COM', `${ORIGIN} `],
  ]);
}

function odd(dice: Dice, value: string): string {
  return dice.pick([
    fieldText(dice),
    `${value}, ${value}`,
    '',
    ` ${value}`,
    mutateField(dice, value),
    dice.secret.word,
  ]);
}

function identityField(dice: Dice): [string, string] {
  const name = dice.pick(['X-Auth-Caller-Type', 'X_Auth_Role', 'x.auth.scopes', 'X-AUTH_x', 'X-Auth-']);
  return [name, dice.pick(['user', 'admin', dice.secret.word])];
}

/** @returns whether it is valid, so that a question with it may be answered 200 */
function credential(
  dice: Dice,
  world: World,
  { method, target }: Pick<Original, 'method' | 'target'>,
): { isGood: boolean; headers: HttpRequest['headers'] } {
  const { gateway, known, api, cron } = world;
  const signedFor = (authority: string): HttpRequest['headers'] => {
    const nowSeconds = Math.floor(gateway.clock.now().getTime() / 1000);
    const { keyId, secret } = api;
    return signByHand({ keyId, secret, authority, nowSeconds, method, target, body: '' }).headers;
  };
  return dice.pick<() => { isGood: boolean; headers: HttpRequest['headers'] }>([
    () => ({ isGood: true, headers: [['Authorization', `Bearer ${known.accessToken}`]] }),
    () => ({ isGood: true, headers: [['X-Internal-Key', cron.secret]] }),
    () => ({ isGood: true, headers: signedFor('app.example.com') }),
    () => ({ isGood: false, headers: signedFor(`${dice.secret.word}.example`) }),
    () => ({ isGood: false, headers: [] }),
    () => ({ isGood: false, headers: [['Authorization', `Bearer ${known.refreshToken}`]] }),
    () => ({ isGood: false, headers: [['Authorization', `Bearer ${dice.secret.word}`]] }),
    () => {
      const value = mutateField(dice, cron.secret);
      return { isGood: value.trim() === cron.secret, headers: [['X-Internal-Key', value]] };
    },
    // By a key of ours with claims of any kind: the fuzz of /graphql judges which of them are good.
    () => ({ isGood: true, headers: [['Authorization', `Bearer ${madeToken(dice, world, 'access')}`]] }),
    () => ({
      isGood: false,
      headers: [
        ['Authorization', `Bearer ${known.accessToken}`],
        ['X-Internal-Key', cron.secret],
      ],
    }),
  ])();
}
