/** Brings about each answer of the exports. (Interface 24) */
import pg from 'pg';
import type { Answer, TestGateway } from '../support/gateway/gateway.js';
import { newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';
import { signByHand } from '../support/independent/signer.js';
import { lacksColumn, lacksTable, whileAway, withFault } from '../support/postgres/faults.js';
import { until } from '../support/until.js';
import type { Row } from './openapi-factor-answers.js';

export const EXPORT_ROUTES = ['/export/audit.csv', '/export/audit.jsonl', '/export/users.csv'];

/** @param on the gateways, once they have started; in `strict` analysts need a second factor */
export function exportRows(on: () => Record<'gateway' | 'strict', TestGateway>): Row[] {
  const gateway = () => on().gateway;
  const headersOf = async (scopes = ['audit:read', 'users:read']) => (await newCronKey(gateway(), scopes)).as('');
  return EXPORT_ROUTES.flatMap((path): Row[] => {
    const send = async (headers: Record<string, string | string[]>, target = path): Promise<Answer> =>
      gateway().send('GET', target, { headers });
    const fault = path.includes('users') ? lacksColumn('users', 'created_at') : lacksTable('audit_events');
    return [
      [path, 200, '', async () => send(await headersOf())],
      [
        path,
        400,
        'parameter',
        async () => send(await headersOf(), `${path}?${path.includes('users') ? 'isActive' : 'isTheft'}=x`),
      ],
      [path, 401, '', () => send({})],
      [path, 403, 'scope_missing', async () => send(await headersOf(['keys:read']))],
      [
        path,
        403,
        'second_factor_required',
        async () => {
          const { strict } = on();
          return strict.send('GET', path, { headers: (await newcomer(strict, 'analyst')).as('') });
        },
      ],
      [
        path,
        429,
        'too_many_streams',
        async () => {
          const headers = await headersOf();
          const client = new pg.Client({ connectionString: gateway().database.url });
          await client.connect();
          await client.query(
            `begin; insert into audit_events (event_type, ip_address, metadata) values ('logout', '', '{}')`,
          );
          let isOver = true;
          let waits: Promise<unknown> | undefined;
          await until('an export waits for the writer', async () => {
            // Again, if it was refused because the question below was under way.
            if (isOver) waits = send(headers, '/export/audit.csv').finally(() => (isOver = true));
            isOver = false;
            return (await gateway().send('HEAD', '/export/users.csv', { headers })).status === 429;
          });
          const answer = await send(headers);
          await client.query('rollback');
          await waits;
          await client.end();
          return answer;
        },
      ],
      [
        path,
        429,
        'rate_limited',
        async () => {
          const { keyId, secret } = await newApiKey(gateway(), ['audit:read', 'users:read'], 1);
          const { clock, config } = gateway();
          const nowSeconds = Math.floor(clock.now().getTime() / 1000);
          const signing = { keyId, secret, nowSeconds, authority: config.publicAuthority, method: 'GET', target: path };
          const signed = () => Object.fromEntries(signByHand({ ...signing, body: '' }).headers);
          await send(signed());
          return send(signed());
        },
      ],
      [
        path,
        500,
        'internal_error',
        async () => {
          const headers = await headersOf();
          return withFault(gateway(), fault, () => send(headers));
        },
      ],
      [
        path,
        503,
        'unavailable',
        async () => {
          const headers = await headersOf();
          return whileAway(gateway().database, () => send(headers));
        },
      ],
    ];
  });
}
