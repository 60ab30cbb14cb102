/** Raw header fields: lines (RFC 9110 section 5) and dictionaries of structured values (RFC 9651). */
import { type Dictionary, parseDictionary, serializeDictionary } from 'structured-headers';

/**
 * Every value of a field, in order.
 * @param rawHeaders alternating names and values, as in Node, duplicates included
 * @param name in lower case
 */
export function fieldValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const its = rawHeaders[i] ?? '';
    if (its.length === name.length && its.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? '');
  }
  return values;
}

/** The value of a field that is sent exactly once: RFC 9421 would join two lines, other code would read only one. */
export function onlyFieldValue(rawHeaders: readonly string[], name: string): string | undefined {
  const values = fieldValues(rawHeaders, name);
  return values.length === 1 ? values[0] : undefined;
}

/**
 * Reads a dictionary in the canonical form of RFC 9651 section 4.1, so that each value has exactly one text. A plain
 * parser also accepts duplicate members or parameters, `1.0` for an integer, and loose base64.
 * @returns undefined for any other text
 */
export function readDictionary(text: string): Dictionary | undefined {
  try {
    const dictionary = parseDictionary(text);
    return serializeDictionary(dictionary) === text ? dictionary : undefined;
  } catch {
    return undefined;
  }
}
