/** The folder of `MAIL_TEMPLATES`, whose texts replace ours. (Interface 17) */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MailTemplatesError } from './mail-templates-error.js';
import {
  MAX_TEXT,
  missingPlace,
  ourTemplates,
  type Places,
  parseTemplate,
  TEXT_NAMES,
  type Templates,
  type TextName,
} from './texts.js';

/**
 * Reads each text once, at the start.
 * @param places those that texts can name
 * @throws {MailTemplatesError} if the folder cannot be read, or a file in it has another name or form
 */
export async function readTemplates(folder: string | undefined, places: Places): Promise<Templates> {
  const templates = ourTemplates(places);
  if (folder === undefined) return templates;
  const files = await readdir(folder).catch((error) => {
    throw new MailTemplatesError(folder, `cannot be read (${error.code})`);
  });
  // Kubernetes puts `..data` next to the files of a ConfigMap, and editors put files of their own.
  for (const file of files.filter((name) => !name.startsWith('.')).toSorted()) {
    const path = join(folder, file);
    const name = TEXT_NAMES.find((text) => `${text}.txt` === file);
    if (name === undefined) {
      const names = TEXT_NAMES.map((text) => `${text}.txt`).join(', ');
      throw new MailTemplatesError(path, `has no meaning: the files are ${names}`);
    }
    templates[name] = await readTemplate(name, path, places);
  }
  return templates;
}

async function readTemplate(name: TextName, path: string, places: Places): Promise<Templates[TextName]> {
  const bytes = await readStart(path).catch((error) => {
    throw new MailTemplatesError(path, `cannot be read (${error.code})`);
  });
  if (bytes.length > MAX_TEXT) throw new MailTemplatesError(path, `must have at most ${MAX_TEXT / 1000} kB`);
  const source = textOf(bytes);
  if (source === undefined) throw new MailTemplatesError(path, 'must be text in UTF-8');
  const template = parseTemplate(name, source);
  if ('fault' in template) throw new MailTemplatesError(path, template.fault);
  const missing = missingPlace(source, places);
  if (missing !== undefined) throw new MailTemplatesError(path, missing);
  return template;
}

/** One byte more than may be there, of a file of any size. */
async function readStart(path: string): Promise<Buffer> {
  await using file = await open(path);
  const buffer = Buffer.alloc(MAX_TEXT + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
  }
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
