/** The command `sign` signs a request by hand, and says what is wrong with the signature if it is refused. (Interface 6) */
import { readFile } from 'node:fs/promises';
import { type RequestToSign, signatureBase, signRequest } from '../../client/src/sign.js';
import { isApiSecret, isKeySecret } from '../credentials/key-secrets.js';
import { errorLabel } from '../platform/error-label.js';
import { randomBase62 } from '../platform/ids.js';
import { type Command, command } from './command.js';
import { file, rejectUsage, text } from './parameter-types.js';
import { flag, optional, required, word } from './parameters.js';
import { CliRefusal } from './refusal.js';
import { askHidden, print, printMessage, readAll } from './terminal.js';

const METHOD_AND_URL = 'give a METHOD and an absolute URL';

export const signCommands: Record<string, Command> = {
  sign: command({
    summary: 'sign a request with the secret of an API key, from standard input or a prompt',
    example: 'sign POST http://localhost:3000/graphql --key-id ak_… --body body.json --send',
    prints: '`{headers, signature_base}`; with `--send` `{status, body}` of the answer',
    on: 'nothing',
    takes: {
      method: word(text('METHOD'), 'such as POST', METHOD_AND_URL),
      url: word(text('URL'), 'the absolute URL', METHOD_AND_URL),
      'key-id': required(text('ID'), 'the ID of the key'),
      body: optional(file, 'a file with the body'),
      'content-type': optional(text('TYPE'), 'media type of the body: application/json by default'),
      authority: optional(text('HOST'), 'the host of PUBLIC_URL, if the URL has another'),
      send: flag('send the request and print the response; exit code 1 if it is refused'),
    },
    run: async ({ clock, terminal }, values) => {
      const { method, url, 'key-id': keyId, 'content-type': contentType, authority } = values;
      if (!URL.canParse(url)) rejectUsage(METHOD_AND_URL);
      if (isKeySecret(keyId)) rejectUsage('--key-id takes the ID of the key, ak_…, not its secret');
      const body = values.body === undefined ? new Uint8Array() : await readFile(values.body);
      const secret = terminal.stdin.isTTY ? await askHidden(terminal, 'Secret: ') : await readAll(terminal);
      if (!isApiSecret(secret)) throw new CliRefusal('this is no secret of an API key; give the whole text, aks_…');
      const request: RequestToSign = {
        method: method.toUpperCase(),
        url,
        body,
        keyId,
        secret,
        now: clock.now(),
        nonce: randomBase62(22),
        ...(contentType === undefined ? {} : { contentType }),
        ...(authority === undefined ? {} : { authority }),
      };
      const headers = signRequest(request);
      if (!values.send) return values.json ? { headers, signature_base: signatureBase(request) } : headers;

      const sent = body.length > 0 ? { body } : {};
      const asked = fetch(url, { method: request.method, headers, redirect: 'error', ...sent });
      const answer = await asked.catch((error: Error) => {
        throw new CliRefusal(`no answer from ${new URL(url).origin} (${errorLabel(error.cause ?? error)})`);
      });
      const result = { status: answer.status, body: (await answer.text()).trimEnd() };
      if (answer.status < 400) return result;

      if (answer.status !== 401) {
        print(terminal, result, values.json);
      } else {
        const base = signatureBase(request);
        print(terminal, { ...result, signature_base: base }, values.json);
        printMessage(terminal, `${verdict(base, expectedBase(result.body))}\n${base}`);
      }
      throw new CliRefusal(`the request was refused with ${answer.status}`);
    },
  }),
};

/** The text that the gateway expected: in an answer of GraphQL, or to the question of a proxy. */
function expectedBase(body: string): string | undefined {
  try {
    const { errors, signature_base } = JSON.parse(body);
    const base: unknown = errors?.[0]?.extensions?.signatureBase ?? signature_base;
    return typeof base === 'string' ? base : undefined;
  } catch {
    return undefined;
  }
}

/** Compares the text that was signed with the one that the gateway expected, in lines to print above it. */
function verdict(signed: string, expected: string | undefined): string {
  if (expected === undefined) return 'The text that was signed:';
  if (expected === signed) {
    return 'The text below is the one that the gateway expected, so the secret is wrong, or the key is unknown or revoked (see api-key list):';
  }
  const [ours, theirs] = [signed.split('\n'), expected.split('\n')];
  return [
    'Signed, and not expected:',
    ...ours.filter((line) => !theirs.includes(line)),
    'Expected in its place:',
    ...theirs.filter((line) => !ours.includes(line)),
    'The whole text that was signed:',
  ].join('\n');
}
