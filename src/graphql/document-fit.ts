/** Trusted documents that the schema of this version refuses. (Interface 24) */
import { setImmediate } from 'node:timers/promises';
import { type GraphQLSchema, parse, specifiedRules, validate } from 'graphql';
import { readDocuments, type TrustedTexts } from './documents-file.js';
import { MAX_TOKENS, validationRules } from './limits.js';
import { createSchema } from './schema.js';

/**
 * Lets other work through between two documents.
 * @returns operation and file of each that cannot run, such as `Users of /etc/documents.json`
 */
export async function misfitsOf(schema: GraphQLSchema, documents: TrustedTexts): Promise<string[]> {
  const found: string[] = [];
  for (const [digest, { text, file }] of documents) {
    await setImmediate();
    if (fits(schema, text)) continue;
    const [, name = `sha256:${digest}`] = /\b(?:query|mutation|subscription)\s+(\w+)/.exec(text) ?? [];
    found.push(`${name} of ${file}`);
  }
  return found;
}

/** @throws {TrustedDocumentsError} */
export async function readMisfits(files: readonly string[]): Promise<{ count: number; misfits: string[] }> {
  const documents = await readDocuments(files);
  return { count: documents.size, misfits: await misfitsOf(await createSchema(), documents) };
}

function fits(schema: GraphQLSchema, text: string): boolean {
  try {
    const document = parse(text, { maxTokens: MAX_TOKENS });
    return validate(schema, document, [...specifiedRules, ...validationRules], { maxErrors: 1 }).length === 0;
  } catch {
    return false; // it cannot be parsed
  }
}
