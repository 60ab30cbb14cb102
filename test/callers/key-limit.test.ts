/** Interface 6: the limit of a key; `key-limit.slow.test.ts` asks the same of Redis. */
import { keyLimitWith } from './key-limit-with.js';

describe('with PostgreSQL', () => keyLimitWith('PostgreSQL'));
