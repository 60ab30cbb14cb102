/** Files of trusted documents, and requests for them. (Interface 24) */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, Instance } from './gateway.js';
import type { As } from './graphql.js';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** As GraphQL Code Generator and Relay write it */
export const asRecord = (...texts: string[]): string =>
  JSON.stringify(Object.fromEntries(texts.map((text) => [sha256(text), text])));

/** As Apollo's generate-persisted-query-manifest writes it */
export const asManifest = (...texts: string[]): string =>
  JSON.stringify({
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: texts.map((body) => ({ id: sha256(body), name: 'Named', type: 'query', body })),
  });

export interface DocumentsFile extends Disposable {
  path: string;
  write(content: string): void;
}

export function documentsFile(content: string): DocumentsFile {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'));
  const path = join(folder, 'documents.json');
  const write = (written: string): void => writeFileSync(path, written);
  write(content);
  return { path, write, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** Sends exactly this body. */
export function post(on: Instance, as: As, body: unknown): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return on.send('POST', '/graphql', { headers: { 'content-type': 'application/json', ...as(text) }, body: text });
}
