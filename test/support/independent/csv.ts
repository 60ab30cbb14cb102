/** A reader of CSV that shares nothing with what writes it: RFC 4180, section 2, a character at a time. */

/** @returns the records with their fields @throws if the text breaks a rule */
export function readCsv(text: string): string[][] {
  const records: string[][] = [];
  let at = 0;
  while (at < text.length) records.push(readRecord());
  return records;

  function readRecord(): string[] {
    const fields = [readField()];
    while (text[at] === ',') {
      at += 1;
      fields.push(readField());
    }
    if (text.slice(at, at + 2) !== '\r\n') throw new Error(`no CRLF after the record, at ${at}`);
    at += 2;
    return fields;
  }

  function readField(): string {
    if (text[at] !== '"') return readPlain();
    let field = '';
    for (at += 1; ; at += 1) {
      if (at >= text.length) throw new Error('a quoted field does not end');
      if (text[at] !== '"') field += text[at];
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else {
        at += 1;
        return field;
      }
    }
  }

  function readPlain(): string {
    const begin = at;
    while (at < text.length && !',\r\n'.includes(text[at] ?? '')) {
      if (text[at] === '"') throw new Error(`a quote inside of a plain field, at ${at}`);
      at += 1;
    }
    return text.slice(begin, at);
  }
}
