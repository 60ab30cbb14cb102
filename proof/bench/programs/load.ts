/** The load: HTTP requests in a closed loop. Whatever is not answered 200 ends it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Counted, inClosedLoop, type Loop } from '../closed-loop.js';
import { NotOk, openHttpConnection } from '../http-connection.js';
import { type Requests, ROTATIONS } from '../requests.js';
import { doTasks } from './task.js';

export interface LoadTask extends Loop {
  url: string;
  requests: Requests;
  /** Tries again after a 503 instead of giving up */
  isPatient?: boolean;
}

/** With the live tokens of `rotate`, which serve the next task */
export type LoadResult = Counted & { tokens?: string[] };

const COME_AGAIN_MS = 500;

type Ask = (request: string) => Promise<{ head: string; body: string }>;
type Send = (ask: Ask) => Promise<boolean>;

doTasks<LoadTask, LoadResult>(async ({ url, requests, isPatient = false, ...loop }, onEdge) => {
  const open = Array.from({ length: loop.connections }, () => openHttpConnection(url));
  const connections = await Promise.all(open);
  let refused = 0;
  const onRefused = (): void => {
    refused += 1;
  };
  const asks = connections.map(({ ask }) => (isPatient ? patient(ask, onRefused) : ask));
  const send = senderOf(requests);
  try {
    const counted = await inClosedLoop(loop, (number) => send(asks[number] ?? neverAsked), onEdge);
    const live = requests.kind === 'rotate' ? { tokens: requests.tokens } : {};
    return { ...counted, ...(isPatient && { refused }), ...live };
  } finally {
    for (const connection of connections) connection.close();
  }
});

function patient(ask: Ask, onRefused: () => void): Ask {
  return async (request) => {
    for (;;) {
      try {
        return await ask(request);
      } catch (error) {
        if (!(error instanceof NotOk) || error.status !== '503') throw error;
        onRefused();
        await sleep(COME_AGAIN_MS);
      }
    }
  };
}

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
  const expected = kind === 'in-turn' ? given.expected : undefined;
  return async (ask) => {
    const request = requests[kind === 'in-turn' ? sent % requests.length : sent];
    sent += 1;
    if (request === undefined) return false;
    const { body } = await ask(request);
    if (expected !== undefined && !body.includes(expected)) throw new Error(`an answer lacks ${expected}`);
    return true;
  };
}
