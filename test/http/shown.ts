const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"' };

/** The texts between such tags of a page, as a browser shows them. */
export function shownIn(page: string, tag: string): string[] {
  const texts = Array.from(page.matchAll(new RegExp(`<${tag}\\b[^>]*>(.*?)</${tag}>`, 'gs')), ([, text = '']) => text);
  return texts.map((text) => text.replace(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity));
}
