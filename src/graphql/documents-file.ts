/** Reads files of documents by their SHA-256, as GraphQL Code Generator, Relay and Apollo write them. (Interface 24) */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import * as z from 'zod';
import { describeError } from '../platform/logger.js';
import { packagePath } from '../platform/package-path.js';
import { TrustedDocumentsError } from './trusted-documents-error.js';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** As in a body */
const MAX_TEXT_BYTES = 64 * 1024;
/** Of a key that an error repeats, since it may be a text: characters of the longest valid one */
const SHOWN = 71;

/** Documents of the pages and of the client, which `npm run build` writes */
export const OWN_DOCUMENTS = packagePath('dist', 'console', 'trusted-documents.json');

export interface TrustedDocument {
  text: string;
  file: string;
}

/** By the SHA-256 of the text, in lower case */
export type TrustedTexts = ReadonlyMap<string, TrustedDocument>;

const manifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string(), body: z.string() })),
});

const FORM =
  'is neither a JSON object of documents by their SHA-256 nor a manifest of Apollo (apollo-persisted-query-manifest, version 1)';
const USE_SHA256 =
  "write the file with SHA-256: persistedDocuments: { hashAlgorithm: 'sha256' } for GraphQL Code Generator, " +
  'persistConfig.algorithm: "SHA256" for Relay';

/** @returns undefined if it is no id. */
export function digestIn(id: unknown): string | undefined {
  return typeof id === 'string' ? /^(?:sha256:)?([\da-fA-F]{64})$/.exec(id)?.[1]?.toLowerCase() : undefined;
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** @throws {TrustedDocumentsError} that names file and key */
export async function readDocuments(files: readonly string[]): Promise<TrustedTexts> {
  return new Map((await Promise.all(files.map(readFileOfDocuments))).flat());
}

async function readFileOfDocuments(file: string): Promise<Array<[digest: string, TrustedDocument]>> {
  const json = parsed(await textOf(file));
  const asManifest = manifest.safeParse(json).data?.operations.map(({ id, body }) => [id, body] as const);
  const asRecord = z.record(z.string(), z.string()).safeParse(json).data;
  const documents = asManifest ?? (asRecord && Object.entries(asRecord));
  if (documents === undefined) throw new TrustedDocumentsError(file, FORM);
  return documents.map(([key, text]) => {
    const shown = JSON.stringify(key.slice(0, SHOWN));
    if (Buffer.byteLength(text) > MAX_TEXT_BYTES) {
      throw new TrustedDocumentsError(file, `has a document of more than 64 KiB: ${shown}`, 'split the document');
    }
    const digest = digestIn(key);
    if (digest === undefined)
      throw new TrustedDocumentsError(file, `has a key that is no SHA-256: ${shown}`, USE_SHA256);
    if (digest !== digestOf(text)) {
      throw new TrustedDocumentsError(file, `has a key that is not the SHA-256 of its document: ${shown}`);
    }
    return [digest, { text, file }];
  });
}

async function textOf(file: string): Promise<string> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    if (size > MAX_FILE_BYTES) throw new TrustedDocumentsError(file, 'is larger than 16 MiB', 'list several files');
    return (await handle.readFile('utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof TrustedDocumentsError) throw error;
    const { code = 'error' } = describeError(error);
    throw new TrustedDocumentsError(file, `cannot be read (${code})`, 'correct the path, or let the gateway read it');
  }
}

/** @returns undefined if it is not JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
