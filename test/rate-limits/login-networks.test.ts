/** The login limit of a /48; `redis-logins.slow.test.ts` asks the same of Redis. (Interface 5) */
import { networksWith } from './login-networks-with.js';

describe('with PostgreSQL', () => networksWith('PostgreSQL'));
