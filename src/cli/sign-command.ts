/** Interface 6: signs a request by hand, and shows what a refused one should have signed. */
import { readFile } from 'node:fs/promises';
import { type RequestToSign, signatureBase, signRequest } from '../../client/src/sign.js';
import { randomBase62 } from '../platform/ids.js';
import { type Command, command } from './command.js';
import { CliRefusal } from './exit.js';
import { file, refuse, text } from './kinds.js';
import { flag, optional, required, word } from './parameters.js';
import { askHidden, print, readAll, say } from './terminal.js';

const METHOD_AND_URL = 'a METHOD and a URL';

export const signCommands: Record<string, Command> = {
  sign: command({
    does: 'signs a request as an API key, whose secret it reads from standard input or asks for',
    example: 'sign POST http://localhost:3000/graphql --key-id ak_… --body body.json --send',
    on: 'nothing',
    takes: {
      method: word(text('METHOD'), 'such as POST', METHOD_AND_URL),
      url: word(text('URL'), 'where to', METHOD_AND_URL),
      'key-id': required(text('ID'), 'the ID of the key'),
      body: optional(file, 'what to send'),
      'content-type': optional(text('TYPE'), 'of the body: application/json unless given'),
      authority: optional(text('HOST'), 'the host of PUBLIC_URL, where the URL has another'),
      send: flag('send it, and print the answer; exit 1 where it is refused'),
    },
    run: async ({ clock, terminal }, values) => {
      const { method, url, 'key-id': keyId, 'content-type': contentType, authority } = values;
      if (!URL.canParse(url)) refuse(METHOD_AND_URL);
      const body = values.body === undefined ? new Uint8Array() : await readFile(values.body);
      const secret = terminal.stdin.isTTY ? await askHidden(terminal, 'Secret: ') : await readAll(terminal);
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
      const answer = await fetch(url, { method: request.method, headers, redirect: 'error', ...sent });
      const result = { status: answer.status, body: (await answer.text()).trimEnd() };
      if (answer.status < 400) return result;

      const base = signatureBase(request);
      print(terminal, answer.status === 401 ? { ...result, signature_base: base } : result, values.json);
      if (answer.status === 401) {
        say(
          terminal,
          `This text was signed; its "@authority" has to be the host of the gateway's PUBLIC_URL:\n${base}`,
        );
      }
      throw new CliRefusal(`the request was refused with ${answer.status}`);
    },
  }),
};
