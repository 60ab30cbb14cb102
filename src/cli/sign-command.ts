/** CONTRACT 6: signs a request by hand, and shows what a refused one should have signed. */
import { readFile } from 'node:fs/promises';
import { type RequestToSign, signatureBase, signRequest } from '../client/sign-request.js';
import { randomBase62 } from '../platform/ids.js';
import { UsageError } from './arguments.js';
import { type Command, command } from './command.js';
import { askHidden, readAll, say } from './terminal.js';

const text = { type: 'string' } as const;

export const signCommands: Record<string, Command> = {
  sign: command({
    on: 'nothing',
    usage: 'METHOD URL --key-id ID [--body FILE] [--content-type T] [--authority HOST] [--send]',
    options: { 'key-id': text, body: text, 'content-type': text, authority: text, send: { type: 'boolean' } },
    positionals: 2,
    run: async ({ clock, terminal }, words) => {
      const [method, url] = words.positionals;
      if (method === undefined || url === undefined || !URL.canParse(url)) throw new UsageError('a METHOD and a URL');
      const keyId = words.required('key-id');
      const file = words.option('body');
      const body = file === undefined ? new Uint8Array() : await readFile(file);
      const contentType = words.option('content-type');
      const authority = words.option('authority');
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
      if (!words.flag('send'))
        return words.flag('json') ? { headers, signature_base: signatureBase(request) } : headers;

      const answer = await fetch(url, {
        method: request.method,
        headers,
        redirect: 'error',
        ...(body.length > 0 ? { body } : {}),
      });
      const result = { status: answer.status, body: (await answer.text()).trimEnd() };
      if (answer.status !== 401) return result;
      say(terminal, `The gateway expects a signature over this text:\n${signatureBase(request)}`);
      return { ...result, signature_base: signatureBase(request) };
    },
  }),
};
