/** What holds of every kind of caller. A kind that is not tried here does not compile. (Spec 2.8 and Interface 6) */
import { WAYS } from '../../pages/explorer/ways.js';
import type { CallerType } from '../../src/callers/caller.js';
import { KINDS } from '../../src/callers/kinds.js';
import { type Answer, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import {
  type As,
  ask,
  bearer,
  dataOf,
  internalKey,
  newApiKey,
  newCronKey,
  newcomer,
  nobody,
} from '../support/gateway/graphql.js';
import { auditDuring } from '../support/gateway/rows.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** A new caller of each kind, that may make keys. */
const NEW: Record<CallerType, () => Promise<{ as: As }>> = {
  user: () => newcomer(gateway, 'admin'),
  api_key: () => newApiKey(gateway, ['keys:write']),
  cron: () => newCronKey(gateway, ['keys:write']),
};
/** A credential of each kind that is not good. */
const BAD: Record<CallerType, As> = {
  user: bearer('x'),
  api_key: () => ({ signature: 'x' }),
  cron: internalKey('x'),
};
const KIND_NAMES = Object.keys(NEW) as CallerType[];
/** The header of its credential, and how `callers/resolve-caller.ts` asks for it. */
const ASKED: Record<CallerType, [header: string, as: string]> = {
  user: ['authorization', 'an access token'],
  api_key: ['signature-input', 'a signed request'],
  cron: ['x-internal-key', 'an internal key'],
};

const CALLER = '{ caller { __typename callerType scopes } }';
const CHANGE = 'mutation { createCronKey(input: {serviceName: "s", scopes: []}) { cronKey { id } } }';

test.each(KIND_NAMES)('Spec 2.8 and 5.3: %s is answered as its own type, with its scopes', async (kind) => {
  const { as } = await NEW[kind]();
  const { caller } = await dataOf(gateway, as, CALLER);
  const typeName = kind.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  expect(caller).toMatchObject({ __typename: `${typeName}Caller`, callerType: kind });
  expect(caller.scopes).toContain('keys:write');
});

test.each(KIND_NAMES)(
  'Interface 6: a request without a credential is asked for %s, and the explorer can send it',
  async (kind) => {
    const [header, words] = ASKED[kind];
    const { errors } = await ask(gateway, nobody, CALLER);
    expect(errors[0]?.message).toContain(words);
    const sent = await Promise.all(
      Object.values(WAYS).flatMap((way) =>
        way.kind === kind ? [way.headers({ secret: 'aks_x' }, '{}', 'localhost')] : [],
      ),
    );
    expect(sent.flatMap(Object.keys)).toContain(header);
  },
);

test.each(KIND_NAMES)('Interface 11: a change by %s is in the audit log under its kind', async (kind) => {
  const { as } = await NEW[kind]();
  const [, [event, ...others]] = await auditDuring(gateway, () => dataOf(gateway, as, CHANGE));
  expect(others).toEqual([]);
  expect(event).toMatchObject({ event_type: 'cron_key_created', metadata: { actor: { caller_type: kind } } });
});

test.each(KIND_NAMES)(
  'Interface 6: %s has a scheme of its own, and is refused together with any other kind',
  async (kind) => {
    const challenges = ({ headers }: Answer) => String(headers['www-authenticate']);
    const scheme = `${KINDS[kind].scheme} realm=`;
    expect(challenges(await ask(gateway, nobody, CALLER))).toContain(scheme);
    const { as } = await NEW[kind]();
    for (const other of KIND_NAMES.filter((name) => name !== kind)) {
      const { as: another } = await NEW[other]();
      const answer = await ask(gateway, (body) => ({ ...as(body), ...another(body) }), CALLER);
      expect(answer).toMatchObject({ status: 401, reason: 'multiple_credentials' });
      expect(challenges(answer)).toContain(scheme);
    }
  },
);

test.each(KIND_NAMES)('Interface 14: why %s is refused is counted from 0 (http/outcomes.ts)', async (kind) => {
  const { text } = await gateway.send('GET', '/metrics');
  const answer = await ask(gateway, BAD[kind], CALLER);
  expect(answer.status).toBe(401);
  for (const outcome of ['success', answer.reason]) {
    expect(text).toContain(`auth_gateway_caller_checks_total{caller="${kind}",outcome="${outcome}"}`);
  }
});
