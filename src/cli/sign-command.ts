/** CONTRACT 6: signs a request by hand, and shows what a refused one should have signed. */
import { readFile } from 'node:fs/promises';
import { type RequestToSign, signatureBase, signRequest } from '../client/sign-request.js';
import { randomBase62 } from '../platform/ids.js';
import { type Command, command } from './command.js';
import { flag, optional, required, text, UsageError, word } from './parameters.js';
import { askHidden, readAll, say } from './terminal.js';

const METHOD_AND_URL = 'a METHOD and a URL';

export const signCommands: Record<string, Command> = {
  sign: command({
    on: 'nothing',
    takes: {
      method: word('METHOD', METHOD_AND_URL),
      url: word('URL', METHOD_AND_URL),
      'key-id': required('ID', text),
      body: optional('FILE', text),
      'content-type': optional('T', text),
      authority: optional('HOST', text),
      send: flag,
    },
    run: async ({ clock, terminal }, values) => {
      const { method, url, 'key-id': keyId, 'content-type': contentType, authority } = values;
      if (!URL.canParse(url)) throw new UsageError(METHOD_AND_URL);
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
      if (answer.status !== 401) return result;
      say(terminal, `The gateway expects a signature over this text:\n${signatureBase(request)}`);
      return { ...result, signature_base: signatureBase(request) };
    },
  }),
};
