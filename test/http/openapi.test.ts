/** `openapi.json`: what the code prints, valid, and true of what the gateway answers. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { startGateway } from '../support/gateway/gateway.js';
import { createChecker } from './openapi-checker.js';

const document = JSON.parse(JSON.stringify(openApiDocument('http://localhost:3000')));

test('it is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(document);
  expect([valid, errors]).toEqual([true, undefined]);
});

test('every example fits its schema, and every answer has one', () => {
  expect(createChecker(document).wrongExamples()).toEqual([]);
});

test('in development it is served, of this gateway, and browsers keep it; in production it is 404', async () => {
  const gateway = await startGateway({ env: { PUBLIC_URL: 'http://localhost:4000' } });
  const answer = await gateway.send('GET', '/openapi.json');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.json).toEqual(JSON.parse(JSON.stringify(openApiDocument('http://localhost:4000'))));
  const etag = String(answer.headers.etag);
  const again = await gateway.send('GET', '/openapi.json', { headers: { 'if-none-match': etag } });
  expect([again.status, again.text]).toEqual([304, '']);
  expect(await gateway.send('HEAD', '/openapi.json')).toMatchObject({ status: 200, text: '' });
  const refused = await gateway.send('POST', '/openapi.json');
  expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD']);
  await gateway.close();

  const production = await startGateway({ env: { NODE_ENV: 'production' } });
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
    expect((await production.send(method, '/openapi.json')).status).toBe(404);
  }
  await production.close();
});
