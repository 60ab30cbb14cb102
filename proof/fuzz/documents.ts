/** Requests to `POST /graphql`, from what the schema allows to what no client would send. (Interface 7) */
import type { As } from '../../test/support/gateway/graphql.js';
import { bearer, nobody } from '../../test/support/gateway/graphql.js';
import type { Dice } from './dice.js';
import { clientHeaders } from './headers.js';
import { hostileOperation } from './hostile-documents.js';
import { type Operation, randomOperation } from './random-documents.js';
import type { HttpRequest, World } from './request.js';
import { fieldText, jsonText, mutateBytes, text } from './texts.js';

export function documentRequest(dice: Dice, world: World): HttpRequest {
  const { operation, mayEcho } = chooseOperation(dice, world);
  const body = bodyOf(dice, operation);
  const query = dice.chance(0.03) ? `?query=${encodeURIComponent('{__typename}')}&x=${dice.secret.word}` : '';
  const type = dice.chance(0.97) ? 'application/json' : oddType(dice);
  const credentials = credentialsOf(dice, world)(body.toString('utf8'));
  // A signature has its own; of the bytes that are no text it signs others, which is refused.
  const { 'Content-Type': _signed, ...others } = credentials as Record<string, string>;
  return {
    method: dice.chance(0.97) ? 'POST' : dice.pick(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'QUERY']),
    path: `/graphql${query}`,
    headers: [['Content-Type', type], ...Object.entries(others), ...(dice.chance(0.2) ? clientHeaders(dice) : [])],
    body,
    mayEcho,
  };
}

function chooseOperation(dice: Dice, world: World): { operation: Operation; mayEcho: HttpRequest['mayEcho'] } {
  if (dice.chance(0.03)) return { operation: hostileOperation(dice), mayEcho: 'nowhere' };
  switch (dice.int(0, 4)) {
    case 0: // tokens out of order: values stay values, but only those in quotes differ from names
      return { operation: shuffled(dice, randomOperation(dice, world, 'in quotes')), mayEcho: 'data' };
    case 1: // anything may become anything
      return { operation: broken(dice, randomOperation(dice, world, 'in quotes')), mayEcho: 'anywhere' };
    default: {
      const operation = randomOperation(dice, world, 'everywhere');
      return { operation, mayEcho: OF_MANY_USERS.test(operation.query) ? 'data' : 'nowhere' };
    }
  }
}

/** They answer with the ids of those who are refused, as they were sent. */
const OF_MANY_USERS = /\b(?:setUsersActive|unlockUsers|revokeSessionsOfUsers|issuePasswordLinks)\b/;

const TOKEN = /"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|\.\.\.|[\w.-]+|[^\s,]/g;

function shuffled(dice: Dice, operation: Operation): Operation {
  const tokens = operation.query.match(TOKEN) ?? [];
  for (let times = dice.int(1, 3); times > 0 && tokens.length > 0; times -= 1) {
    const at = dice.int(0, tokens.length - 1);
    const other = dice.pick(tokens);
    switch (dice.int(0, 3)) {
      case 0:
        tokens.splice(at, 1);
        break;
      case 1:
        tokens.splice(at, 0, other);
        break;
      case 2:
        tokens[at] = other;
        break;
      default:
        tokens.splice(
          at,
          0,
          dice.pick(['{', '}', '(', ')', '[', ']', '!', '$', '@', '...', 'on', 'null', '&', '|', '=']),
        );
    }
  }
  return { ...operation, query: tokens.join(' ') };
}

function broken(dice: Dice, operation: Operation): Operation {
  return { ...operation, query: mutateBytes(dice, Buffer.from(operation.query)).toString('utf8') };
}

function bodyOf(dice: Dice, { query, variables, operationName }: Operation): Buffer {
  const { word, digits } = dice.secret;
  const members: Record<string, string> = { query: JSON.stringify(query), variables };
  if (operationName !== undefined) members['operationName'] = JSON.stringify(operationName);
  if (dice.chance(0.05)) members['operationName'] = dice.pick([`"${word}"`, '""', 'null', digits, '{}', '["A"]']);
  if (dice.chance(0.03)) members['variables'] = dice.pick(['null', '[]', `"${word}"`, digits, jsonText(dice)]);
  if (dice.chance(0.03)) members['query'] = dice.pick(['null', '""', `"\\"${word}\\""`, digits, '[]', '"#"']);
  if (dice.chance(0.05)) {
    const hash = `{"persistedQuery":{"version":1,"sha256Hash":"${word}"}}`;
    members['extensions'] = dice.pick([hash, 'null', '[]', `"${word}"`, jsonText(dice)]);
  }
  if (dice.chance(0.02)) members[dice.pick(['id', '__proto__', word, 'http'])] = jsonText(dice);
  const json = `{${Object.entries(members)
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')}}`;
  if (dice.chance(0.03)) return Buffer.from(dice.pick([`[${json}]`, `[${json},${json}]`, '[]', jsonText(dice, 5), '']));
  if (dice.chance(0.02)) return mutateBytes(dice, Buffer.from(json));
  if (dice.chance(0.01)) return Buffer.from(json.padEnd(64 * 1024 + dice.int(-1, 1)));
  return Buffer.from(json);
}

function oddType(dice: Dice): string {
  return dice.pick([
    ...['application/graphql', 'application/graphql+json', 'text/plain', 'application/x-www-form-urlencoded', ''],
    ...['application/json; charset=utf-16', 'application/json;charset=utf-7', 'multipart/form-data', 'a/b;'],
    `application/json; charset=${dice.secret.word}`,
    fieldText(dice),
  ]);
}

function credentialsOf(dice: Dice, { admin, api, cron, known }: World): As {
  if (dice.chance(0.02)) return bearer(text(dice).replace(/[^\x21-\x7e]/g, ''));
  return dice.pick([nobody, known.as, admin.as, admin.as, admin.as, api.as, api.as, cron.as]);
}
