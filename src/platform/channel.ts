/** Questions and answers between a process and the one that has started it, over the channel that Node gives to both. */
import type { EventEmitter } from 'node:events';
import { Outage } from './outage.js';

/** The other process: `process` in the one that was started, a `ChildProcess` in the one that has started it. */
export type Peer = EventEmitter & {
  send?(message: Message, handle: undefined, options: object, sent: (error: Error | null) => void): boolean;
};

/** What a process answers: by question, from one value. */
export type Answers<A> = { [Question in keyof A]: (value: never) => unknown };
type Value<Answer> = Answer extends (value: infer V) => unknown ? V : never;
type Answered<Answer> = Answer extends (value: never) => infer R ? Awaited<R> : never;

/** @throws {Outage} where the other process has ended or cannot answer */
export type Ask<A> = <Question extends keyof A & string>(
  question: Question,
  value: Value<A[Question]>,
) => Promise<Answered<A[Question]>>;

type Message =
  | { id: number; question: string; value: unknown }
  | { id: number; answer: unknown }
  | { id: number; failed: true };

/** Answers what the other process asks, and gives what asks it. How long an answer is waited for is the asker's business. */
export function converse<Theirs>(peer: Peer, ours: Answers<object>): Ask<Theirs> {
  const answers = new Map<string, (value: unknown) => unknown>(Object.entries(ours));
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;

  const giveUp = (id: number): void => {
    open.get(id)?.reject(new Outage('another process of the gateway cannot be asked'));
    open.delete(id);
  };
  const send = (message: Message, failed: () => void): void => {
    peer.send?.(message, undefined, {}, (error) => error && failed());
  };
  const answer = async (id: number, question: string, value: unknown): Promise<void> => {
    const unheard = (): void => undefined; // nobody waits for it any more
    try {
      send({ id, answer: await answers.get(question)?.(value) }, unheard);
    } catch {
      send({ id, failed: true }, unheard);
    }
  };
  peer.on('message', (message: Message) => {
    if ('question' in message) return void answer(message.id, message.question, message.value);
    if ('failed' in message) return giveUp(message.id);
    open.get(message.id)?.resolve(message.answer);
    open.delete(message.id);
  });
  peer.on('disconnect', () => {
    for (const id of [...open.keys()]) giveUp(id);
  });
  return (question, value) => {
    lastId += 1;
    const id = lastId;
    const asked = Promise.withResolvers<unknown>();
    open.set(id, asked);
    send({ id, question, value }, () => giveUp(id));
    return asked.promise as ReturnType<Ask<Theirs>>;
  };
}
