/** What documents, code and tests say of each other: citations, sections, links. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const NUMBER = String.raw`\d+(?:\.\d+)*`;
/** Of steps and rows, in whose place may stand the number of another section: `3.1 row 2 and 4.2 step 9`. */
const PLAIN = String.raw`\d+(?!\.?\d)`;
const AND = '(?:, and |, | and | to )';
const PLACE = `${NUMBER}(?:,? (?:step|row)s? ${PLAIN}(?:${AND}${PLAIN})*)?`;
const CITATION = new RegExp(String.raw`\b(Spec|Interface) (${PLACE}(?:${AND}${PLACE})*)`, 'g');

/** How citations were written before, and the documents of that time. */
const OLD_FORM = /\b(?:CONTRACT|SPEC|DESIGN)\b/g;

/** Every file below the folders and files, but for what is installed or built. */
export function filesIn(...paths: string[]): string[] {
  return paths.flatMap((path) => {
    if (statSync(path).isFile()) return [path];
    return readdirSync(path, { withFileTypes: true })
      .filter(({ name }) => !['node_modules', 'dist', 'package-lock.json'].includes(name))
      .flatMap(({ name }) => filesIn(join(path, name)));
  });
}

/** The text on one line, without what begins the lines of a comment. */
function unwrapped(text: string): string {
  return text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/|#|>)?[ \t]*/g, ' ');
}

/** Every section that a text cites, such as `Spec 4.2.7`: of `Spec 4.2 steps 6 to 8 and 7` each of the four. */
export function citationsIn(text: string): string[] {
  return Array.from(unwrapped(text).matchAll(CITATION), ([, of = '', places = '']) =>
    Array.from(places.matchAll(new RegExp(PLACE, 'g')), ([place]) =>
      numbersOf(place).map((number) => `${of} ${number}`),
    ),
  ).flat(2);
}

/** `4.2 steps 6 to 8` is 4.2.6, 4.2.7 and 4.2.8. */
function numbersOf(place: string): string[] {
  const [section = '', ...steps] = place.match(new RegExp(NUMBER, 'g')) ?? [];
  if (steps.length === 0) return [section];
  const [from = 0, to = from] = steps.map(Number);
  if (!place.includes(' to ')) return steps.map((step) => `${section}.${step}`);
  return Array.from({ length: to - from + 1 }, (_, i) => `${section}.${from + i}`);
}

/** What cites in another form: the old one, or one of these numbers, as `4.2.7`, without the word before it. */
export function badFormsIn(text: string, numbers: string[]): string[] {
  const bare = numbers.filter((number) => /\.\d+\./.test(number)).map((number) => number.replaceAll('.', '\\.'));
  const plain = unwrapped(text)
    .replace(/<a id="[^"]*">/g, '')
    .replace(CITATION, '');
  const found =
    plain.match(new RegExp(String.raw`(?<![\w./#-]|sections? )(?:${bare.join('|')})(?![\w-]|\.\d)`, 'g')) ?? [];
  return [...(plain.match(OLD_FORM) ?? []), ...found];
}

/** True if a file begins with a citation, instead of what it is about. */
export function opensWithCitation(text: string): boolean {
  return /^(?:#!.*\n)?(?:\/\*\*?|\/\/|#)\s*(?:\* )?(?:Spec|Interface) \d/.test(text);
}

/** Texts of a test that begin with a citation: titles. */
export function titlesIn(text: string): string[] {
  return Array.from(text.matchAll(/['"`]((?:Spec|Interface) \d[^'"`\n]*)/g), ([, title = '']) => title);
}

/** Titles that do not go on with a colon, or cite a number without its document: `17: …`, which no status of HTTP has. */
export function badTitlesIn(text: string): string[] {
  const bare = Array.from(
    text.matchAll(/['"`](\d{1,2}(?:\.\d+)*(?:(?:, and |, | and )\d[\d.]*)*: [^'"`\n]*)/g),
    ([, title = '']) => title,
  );
  const endless = titlesIn(text).filter((title) => {
    const [cited] = title.match(CITATION) ?? [''];
    return title[cited.length] !== ':';
  });
  return [...bare, ...endless];
}

/**
 * The numbers of a document in their order, each with an anchor of the same number: `## <a id="4"></a>4.`, of a step in a
 * list or a row of a table below it `7. <a id="4.2.7"></a>`.
 */
export function sectionsOf(text: string): { numbers: string[]; misplaced: string[] } {
  const numbers: string[] = [];
  const misplaced: string[] = [];
  let section = '';
  for (const line of text.split('\n')) {
    const [, id] = /<a id="([^"]*)"><\/a>/.exec(line) ?? [];
    const [, heading] = /^##+ (?:<a id="[^"]*"><\/a>)?(\d[\d.]*?)\.? /.exec(line) ?? [];
    const [, step, row] = /^(?:(\d+)\. <a|\| <a id="[^"]*"><\/a>(\d+) \|)/.exec(line) ?? [];
    if (heading !== undefined) section = heading;
    const printed = heading ?? ((step ?? row) ? `${section}.${step ?? row}` : undefined);
    if (id !== undefined) numbers.push(id);
    if (id !== printed) misplaced.push(line);
  }
  return { numbers, misplaced };
}

export interface Link {
  text: string;
  /** As it is written */
  target: string;
}

/** Links of a document to what is in the repository, pictures included, blocks of code excluded. */
export function linksIn(markdown: string): Link[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '');
  const links = Array.from(prose.matchAll(/\[([^\]]*)\]\(([^()\s]+)\)/g), ([, text = '', target = '']) => ({
    text,
    target,
  }));
  const pictures = Array.from(prose.matchAll(/ (?:src|srcset|href)="([^"]+)"/g), ([, target = '']) => ({
    text: '',
    target,
  }));
  return [...links, ...pictures].filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** The file and the anchor that a link of that document means. */
export function resolveLink(document: string, { target }: Link): { path: string; anchor: string | undefined } {
  const [path = '', anchor] = decodeURI(target).split('#');
  return { path: path === '' ? document : normalize(join(dirname(document), path)), anchor };
}

/** Every anchor of a document: those that it has written down, and those that GitHub makes of headings. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set(Array.from(markdown.matchAll(/<a id="([^"]*)">/g), ([, id = '']) => id));
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '');
  for (const [, heading = ''] of prose.matchAll(/^#+ (.+)$/gm)) {
    const slug = heading
      .replace(/<[^>]*>|\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let twin = 1; anchors.has(anchor); twin += 1) anchor = `${slug}-${twin}`;
    anchors.add(anchor);
  }
  return anchors;
}

export function read(path: string): string {
  return readFileSync(path, 'utf8');
}
