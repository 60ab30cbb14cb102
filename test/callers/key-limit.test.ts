/** The limit of a key; `key-limit.slow.test.ts` asks the same of Redis. (Interface 6) */
import { keyLimitWith } from './key-limit-with.js';

describe('with PostgreSQL', () => keyLimitWith('PostgreSQL'));
