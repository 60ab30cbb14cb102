/** Header fields as they came: lines (RFC 9110 section 5) and dictionaries of structured values (RFC 9651). */
import { type Dictionary, parseDictionary, serializeDictionary } from 'structured-headers';

/**
 * Every value of a field, in order.
 * @param rawHeaders names and values in turn, as Node reads them, so that duplicates are seen
 * @param name in lower case
 */
export function fieldValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** The value of a field that may be sent once: two lines would be joined by RFC 9421, but read one by one elsewhere. */
export function onlyFieldValue(rawHeaders: readonly string[], name: string): string | undefined {
  const values = fieldValues(rawHeaders, name);
  return values.length === 1 ? values[0] : undefined;
}

/**
 * Reads a dictionary in the one form in which RFC 9651 section 4.1 writes it, so that text and meaning are one to one.
 * A parser alone takes the last of two members or parameters of one name, `1.0` for an integer, and loose base64.
 * @returns undefined for every other text
 */
export function readDictionary(text: string): Dictionary | undefined {
  try {
    const dictionary = parseDictionary(text);
    return serializeDictionary(dictionary) === text ? dictionary : undefined;
  } catch {
    return undefined;
  }
}
