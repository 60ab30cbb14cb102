/** Addresses with counted logins; `redis-logins.slow.test.ts` asks the same of Redis. (Interface 11) */
import { loginAddressesWith } from './login-addresses-with.js';

describe('with PostgreSQL', () => loginAddressesWith('PostgreSQL'));
