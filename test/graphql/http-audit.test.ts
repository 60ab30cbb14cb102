/** The working draft of GraphQL over HTTP, checked by the audit suite of graphql-http. (Interface 7) */
import { serverAudits } from 'graphql-http';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';

let gateway: TestGateway;
let accessToken: string;
beforeAll(async () => {
  gateway = await startGateway();
  ({ accessToken } = await newcomer(gateway, 'admin'));
});
afterAll(() => gateway.close());

const audits = serverAudits({
  url: () => `${gateway.url}/graphql`,
  fetchFn: (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${accessToken}` } }),
});

/** Only POST takes queries, so that no URL contains one and no link sends one. */
const NO_GET = 'notice';
/** An invalid document or variable is 400 for every client, as in Apollo. */
const NOT_200 = 'warn';

/** Optional requirements that we leave out on purpose: a `notice` is a MAY, a `warn` a SHOULD. */
const LEFT_OUT: Record<string, string> = {
  'MAY accept application/x-www-form-urlencoded formatted GET requests': NO_GET,
  'MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting application/graphql-response+json':
    NO_GET,
  'MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting application/json': NO_GET,
  'SHOULD use 200 status code on document parsing failure when accepting application/json': NOT_200,
  'SHOULD use 200 status code on document validation failure when accepting application/json': NOT_200,
  'SHOULD use a status code of 200 on variable coercion failure when accepting application/json': NOT_200,
};

test('the suite contains all that we leave out, and much more', () => {
  const names = audits.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(LEFT_OUT)));
  expect(names.length).toBeGreaterThan(50);
});

test.each(audits.map(({ name, fn }) => [name, fn] as const))('%s', async (name, fn) => {
  const { status } = await fn();
  expect(status).toBe(LEFT_OUT[name] ?? 'ok');
});
