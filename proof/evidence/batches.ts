/** `--batches`: a gateway whose batches (`src/db/batches.ts`) are as small or as large as they can be. */
import type { Edit } from './experiment.js';

const file = 'src/db/batches.ts';

/** How long a lane of large batches lets calls gather: milliseconds */
const GATHERING_MS = 20;

export const BATCHES = {
  /** Two calls at most */
  small: [{ file, from: 'const MAX_BATCH = 64;', to: 'const MAX_BATCH = 2;' }],
  /** Each call is in a batch, also if it is alone, and each lane waits for others before it sends */
  large: [
    { file, from: 'if (second === undefined) waiting = [];', to: 'if (second === first) waiting = [];' },
    {
      file,
      from: '(second === undefined ? sendAlone(first) : sendTogether())',
      to: `(second === first ? sendAlone(first) : new Promise((go) => setTimeout(go, ${GATHERING_MS})).then(sendTogether))`,
    },
  ],
} satisfies Record<string, Edit[]>;

export type Batches = keyof typeof BATCHES;

export function isBatches(value: string): value is Batches {
  return value in BATCHES;
}
