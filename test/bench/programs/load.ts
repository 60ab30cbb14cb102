/** The load: HTTP requests in a closed loop. Whatever is not answered 200 ends it. */
import { inClosedLoop, type Loop } from '../closed-loop.js';
import { openHttpConnection } from '../http-connection.js';
import { type Requests, ROTATIONS } from '../requests.js';
import { doTasks } from './task.js';

export interface LoadTask extends Loop {
  url: string;
  requests: Requests;
}

type Send = (ask: (request: string) => Promise<{ head: string; body: string }>) => Promise<boolean>;

doTasks<LoadTask>(async ({ url, requests, ...loop }, tell) => {
  const open = Array.from({ length: loop.connections }, () => openHttpConnection(url));
  const connections = await Promise.all(open);
  const send = senderOf(requests);
  try {
    return await inClosedLoop(loop, (number) => send(connections[number]?.ask ?? neverAsked), tell);
  } finally {
    for (const connection of connections) connection.close();
  }
});

function neverAsked(): never {
  throw new Error('there are fewer connections than lanes');
}

function senderOf(given: Requests): Send {
  let sent = 0;
  if (given.kind === 'rotate') {
    const { tokens } = given;
    const { request, successor } = ROTATIONS[given.way];
    return async (ask) => {
      const token = tokens.shift();
      if (token === undefined) throw new Error('there are fewer sessions than connections');
      const { head, body } = await ask(request(token));
      const next = successor(head, body);
      if (next === undefined) throw new Error('an answer has no refresh token');
      tokens.push(next);
      return true;
    };
  }
  const { kind, requests } = given;
  return async (ask) => {
    const request = requests[kind === 'in-turn' ? sent % requests.length : sent];
    sent += 1;
    if (request === undefined) return false;
    await ask(request);
    return true;
  };
}
