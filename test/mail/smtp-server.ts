/** A mail server in this process, which answers as a test says. For a real one see `support/programs/exim.ts`. */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedMail, readMail } from './read-mail.js';

type Answer = string | undefined | Promise<string | undefined>;

export interface SmtpServer extends AsyncDisposable {
  url: string;
  /** What it has accepted, in order */
  mails: ReceivedMail[];
  /** Lines of commands, of all connections */
  commands: string[];
  /** How it answers a command or, after the text of a mail, `.`; undefined: as usual */
  answer(how: (command: string) => Answer): void;
  /** Resolves once there are so many mails, in all. */
  reached(count: number): Promise<ReceivedMail[]>;
  /** Resolves once such a command has come. */
  asked(command: RegExp): Promise<void>;
  /** As servers do with connections that are idle for long */
  closeConnections(): void;
}

const USUAL: Array<[RegExp, string]> = [
  [/^EHLO/, '250-here\r\n250-8BITMIME\r\n250 SIZE 1000000'],
  [/^DATA/, '354 go on'],
  [/^QUIT/, '221 bye'],
  [/^/, '250 ok'],
];

/** @param greetsAfterMs milliseconds from the connection to the greeting */
export async function startSmtpServer({ greetsAfterMs = 0 } = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const waiting = new Set<() => void>();
  const sockets = new Set<Socket>();
  let how: (command: string) => Answer = () => undefined;

  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isSo()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const changed = (): void => {
    for (const look of [...waiting]) look();
  };

  const server = createServer(async (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.setEncoding('utf8');
    if (greetsAfterMs > 0) await sleep(greetsAfterMs);
    socket.write('220 here ESMTP\r\n');
    let rest = '';
    let text: string | undefined;
    const handle = async (line: string): Promise<void> => {
      if (text !== undefined && line !== '.') {
        text += `${line.replace(/^\./, '')}\r\n`;
        return;
      }
      commands.push(line);
      changed();
      const reply = (await how(line)) ?? USUAL.find(([command]) => command.test(line))?.[1] ?? '';
      if (text !== undefined && reply.startsWith('2')) mails.push(readMail(text));
      text = /^DATA/.test(line) && reply.startsWith('3') ? '' : undefined;
      socket.write(`${reply}\r\n`);
      changed();
      if (/^QUIT/.test(line)) socket.end();
    };
    try {
      for await (const part of socket) {
        rest += part;
        for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
          const line = rest.slice(0, end);
          rest = rest.slice(end + 2);
          await handle(line);
        }
      }
    } catch {
      // the client has gone
    }
    sockets.delete(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    commands,
    answer: (answers) => {
      how = answers;
    },
    reached: async (count) => {
      await until(() => mails.length >= count);
      return mails;
    },
    asked: (command) => until(() => commands.some((line) => command.test(line))),
    closeConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
