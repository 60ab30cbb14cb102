/** Writes a path through the model as a short story: who did what. */

const REQUESTS = ['', 'a refresh', 'a logout', 'a confirmation'];
const STATES = ['', 'live', 'rotated', 'rotated, without retries', 'ended by the logout', 'revoked by the theft'];
const ANSWERS = [
  '',
  'new tokens',
  'the same tokens again',
  '"the session is over"',
  '"done"',
  '"the session has ended"',
];

/** By the word after the `@` of a line that the model prints. Requests are numbered by their slots. */
const SENTENCES: Record<string, (...values: number[]) => string> = {
  sent: (slot, by, what = 0, record, key, previous) =>
    `${by === 1 ? 'The thief' : 'The owner'} sends ${REQUESTS[what]}${what === 3 ? '' : ` with token ${record}`}${keys(key, previous)}: request ${slot}.`,
  sees: (slot, record) => `Request ${slot} sees that record ${record} is live.`,
  waits: (slot, record) => `Request ${slot} waits for the lock of record ${record}.`,
  rotated: (slot, record, successor) => `Request ${slot} rotates record ${record}: record ${successor} is live.`,
  again: (slot, record, successor) =>
    `Request ${slot} proves its key for record ${record} and is given record ${successor}.`,
  looks: (slot) => `Request ${slot} looks for live records.`,
  revoked: (slot, record) => `Request ${slot} revokes record ${record}.`,
  survivor: (slot) => `Request ${slot} finds a survivor and looks again.`,
  theft: (slot, record) => `Request ${slot} finds that record ${record} was used: theft.`,
  left: (slot, record, state = 0) => `Request ${slot} logs out: record ${record} is ${STATES[state]}.`,
  proved: (slot, record) => `Request ${slot} notes the proof in record ${record}.`,
  answer: (slot, what = 0) => `Request ${slot} is answered: ${ANSWERS[what]}.`,
  crash: (slot) => `The instance of request ${slot} crashes.`,
  undone: (slot) => `Request ${slot} is rolled back.`,
  lost: (slot) => `The owner gets no answer to request ${slot}.`,
  impatient: () => 'The owner gives up waiting.',
  jar: (record) => `The owner has token ${record}.`,
  cleared: () => "The owner's cookie is deleted.",
  out: () => 'The owner is logged out.',
  copies: (record) => `The thief copies token ${record}.`,
  copy: (record) => `The thief has token ${record}.`,
};

function keys(key = 0, previous = 0): string {
  const name = (number: number): string => (number === 99 ? 'a guess' : `key ${number}`);
  return key === 0 ? '' : `, ${name(key)}${previous === 0 ? '' : ` and the former ${name(previous)}`}`;
}

/** @param printed by `pan -r` @returns a sentence a step */
export function storyOf(printed: string): string[] {
  return Array.from(printed.matchAll(/^@(\w+) ?(.*)$/gm), ([, word = '', values = '']) => {
    const sentence = SENTENCES[word];
    if (sentence === undefined) throw new Error(`the model prints @${word}, which has no sentence`);
    return sentence(...values.split(' ').map(Number));
  });
}
