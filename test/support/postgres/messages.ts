/** The messages of PostgreSQL's protocol 3.0 without TLS: which statement a client sends, and how the server ends its answer. */

interface Message {
  /** One letter; empty for the first message of a client, which has none */
  type: string;
  body: Buffer;
}

/** @param isClient whose first message has no type */
function messageReader(isClient: boolean): (bytes: Buffer) => Message[] {
  let unread = Buffer.alloc(0);
  let isFirst = isClient;
  return (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    const messages: Message[] = [];
    for (;;) {
      const typeBytes = isFirst ? 0 : 1;
      if (unread.length < typeBytes + 4) return messages;
      const end = typeBytes + unread.readInt32BE(typeBytes); // the length counts itself
      if (unread.length < end) return messages;
      messages.push({ type: unread.toString('latin1', 0, typeBytes), body: unread.subarray(typeBytes + 4, end) });
      unread = unread.subarray(end);
      isFirst = false;
    }
  };
}

/** @returns reads the statements that a client runs: the name of each, or its text if it has no name */
export function statementReader(): (bytes: Buffer) => string[] {
  const read = messageReader(true);
  let unnamed = '';
  return (bytes) =>
    read(bytes).flatMap(({ type, body }) => {
      const [first = '', second = ''] = body.toString('utf8').split('\0', 2);
      if (type === 'Q') return [first];
      if (type === 'P' && first === '') unnamed = second; // Parse: name and text
      return type === 'B' ? [second || unnamed] : []; // Bind: portal and name
    });
}

/** `completed`: the server has executed it, and outside a transaction has committed it. */
export type Ending = 'completed' | 'failed';

/** @returns reads the answer to one statement; undefined before its end */
export function answerReader(): (bytes: Buffer) => Ending | undefined {
  const read = messageReader(false);
  let isCompleted = false;
  return (bytes) => {
    for (const { type } of read(bytes)) {
      if (type === 'C') isCompleted = true; // CommandComplete
      if (type === 'Z') return isCompleted ? 'completed' : 'failed'; // ReadyForQuery
    }
    return undefined;
  };
}
