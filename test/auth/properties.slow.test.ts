/** Random sequences of requests, time and crashes, on two instances, against a model. (Spec 3.1 and 3.2) */
import fc from 'fast-check';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { beginRun, commands, type World } from '../support/independent/session-commands.js';
import { LOCK_SECONDS, MAX_FAILURES, type Model, REFRESH_SECONDS } from '../support/independent/session-model.js';

const env = {
  LOGIN_MAX_FAILURES: String(MAX_FAILURES),
  LOGIN_LOCKOUT_SECONDS: String(LOCK_SECONDS),
  REFRESH_TOKEN_TTL_SECONDS: String(REFRESH_SECONDS),
};

let gateway: TestGateway;
let world: World;

beforeAll(async () => {
  gateway = await startGateway({ env, instances: 2 });
  const { rows, clock, database, instances } = gateway;
  world = {
    rows,
    clock,
    instances,
    crash: async (i) => {
      await instances[i]?.close();
      instances[i] = await startInstance(database, { env, clock });
    },
  };
});
afterAll(() => gateway.close());

/** Two users of their own for each sequence, at a time of its own. */
async function begin(): Promise<{ model: Model; real: World }> {
  gateway.clock.advance(REFRESH_SECONDS + LOCK_SECONDS);
  beginRun(gateway.clock);
  const users = [await gateway.user(), await gateway.user()].map(({ id, email }) => ({
    id,
    email,
    failures: 0,
    lockedUntil: null,
    lastLogin: null,
  }));
  return { model: { users, tokens: [], events: [] }, real: world };
}

test('Spec 3.1 and 3.2: hold for random sequences of login, refresh, logout, time and crashes over two instances', async () => {
  const sequences = fc.asyncProperty(fc.commands(commands, { size: 'large', maxCommands: 60 }), (sequence) =>
    fc.asyncModelRun(begin, sequence),
  );
  await fc.assert(sequences, { numRuns: 25 });
});
