/** The last handler, for errors. (Interface 5 and 7) */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createFullDisk } from '../../src/db/full-disk.js';
import { errorHandler } from '../../src/http/errors.js';
import { systemClock } from '../../src/platform/clock.js';
import { createLogger } from '../../src/platform/create-logger.js';
import { Outage } from '../../src/platform/outage.js';
import { createSampling } from '../../src/platform/sampling.js';
import { send } from '../support/gateway/gateway.js';

const errors: Record<string, [error: unknown, status: number]> = {
  'an outage': [new Outage('away'), 503],
  'an outage further down': [new Error('outer', { cause: Object.assign(new Error('inner'), { code: '57P01' }) }), 503],
  'a system error': [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 503],
  ...Object.fromEntries(
    ['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'].map((code) => [
      `a system without resources (${code})`,
      [Object.assign(new Error('connect'), { code }), 503],
    ]),
  ),
  'a bug': [new TypeError('secret text'), 500],
  'what is no error': ['secret text', 500],
  'a 4xx of a library': [Object.assign(new Error('secret text'), { status: 418 }), 400],
  'a 5xx of a library': [Object.assign(new Error('secret text'), { status: 502 }), 500],
};

const EXTENSIONS: Record<number, object> = {
  400: { code: 'BAD_REQUEST', reason: 'malformed_request' },
  500: { code: 'INTERNAL_SERVER_ERROR', reason: 'internal_error' },
  503: { code: 'SERVICE_UNAVAILABLE', reason: 'unavailable' },
};

test.each(Object.entries(errors))(
  'Interface 5: %s never touches the cookie, and its text stays here',
  async (_what, [error, status]) => {
    const app = express();
    app.get(['/', '/graphql'], (_req, res) => {
      res.set('Set-Cookie', 'refresh_token=x; Path=/auth');
      throw error;
    });
    app.use(
      errorHandler({ fullDisk: createFullDisk(systemClock), log: createLogger('silent'), sampling: createSampling() }),
    );
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await send(`http://127.0.0.1:${port}`, 'GET', '/');
    const onGraphql = await send(`http://127.0.0.1:${port}`, 'GET', '/graphql');
    server.close();
    expect([answer.status, answer.cookies]).toEqual([status, []]);
    expect(answer.text).not.toContain('secret');
    expect(answer.headers['retry-after']).toBe(status === 503 ? '5' : undefined);
    const { detail } = answer.json;
    expect(answer.json).toEqual({ detail: expect.any(String), reason: expect.stringMatching(/^[a-z_]+$/) });
    const extensions = EXTENSIONS[status];
    expect([onGraphql.status, onGraphql.json]).toEqual([status, { detail, errors: [{ message: detail, extensions }] }]);
  },
);
