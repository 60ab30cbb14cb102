/** The way from a section to the code that implements it and to its tests, by what they cite. docs/map.md prints it. */
import { basename, dirname, relative } from 'node:path';
import { citationsIn, filesIn, read, sectionsOf } from './citations.js';
import { table } from './table.js';

/** The documents that are cited. */
export const CITED = { Spec: 'docs/specification.md', Interface: 'docs/interface.md' };

const CODE = ['src', 'client/src', 'pages', 'migrations'];
/** From this number on, files of one folder are shown as their folder. */
const MANY = 5;

/** Files that cite a section: those that open with it, and others. */
interface Citing {
  main: string[];
  others: string[];
}

interface Row {
  /** As it is cited. */
  name: string;
  anchor: string;
  title: string;
  code: Citing;
  tests: Citing;
}

/** In a file whose steps are numbered as in a section: those that it has, as `// 3.` */
function stepsIn(text: string): string[] {
  const [, section] = /Steps are numbered as in the specification\. \((Spec [\d.]+)\)/.exec(text) ?? [];
  const numbered = section === undefined ? [] : text.matchAll(/^ *\/\/ (\d+)\.(?: and (\d+)\.)? /gm);
  return Array.from(numbered, ([, ...steps]) =>
    steps.flatMap((step) => (step === undefined ? [] : `${section}.${step}`)),
  ).flat();
}

/** Each section and step of a document, with the files that cite it. */
export function rowsOf(document: keyof typeof CITED): Row[] {
  const files = [...CODE, 'test']
    .flatMap((folder) => filesIn(folder))
    .filter((path) => (path.startsWith('test/') ? /(?<!citations\.rule)\.test\.tsx?$/ : /\.(tsx?|css)$/).test(path))
    .map((path) => {
      const text = read(path);
      const [opening = ''] = /^(?:\/\*.*?\*\/|(?:\/\/[^\n]*\n)+)/s.exec(text) ?? [];
      const opensWith = new Set([...citationsIn(opening), ...stepsIn(text)]);
      return { path, opensWith, cited: new Set([...citationsIn(text), ...opensWith]) };
    });
  const page = read(CITED[document]);
  return sectionsOf(page).numbers.map((number) => {
    const name = `${document} ${number}`;
    const citing = files.filter(({ cited }) => cited.has(name));
    const ofKind = (isTest: boolean): Citing => {
      const found = citing.filter(({ path }) => path.startsWith('test/') === isTest);
      const [main, others] = [true, false].map((opens) =>
        found.filter(({ opensWith }) => opensWith.has(name) === opens).map(({ path }) => path),
      );
      return { main: main ?? [], others: others ?? [] };
    };
    const [, title = ''] =
      new RegExp(`^#+ <a id="${number.replaceAll('.', '\\.')}"></a>\\S+ (.*)$`, 'm').exec(page) ?? [];
    return { name, anchor: number, title, code: ofKind(false), tests: ofKind(true) };
  });
}

export function sectionMap(document: keyof typeof CITED): string {
  const page = basename(CITED[document]);
  const rows = rowsOf(document).map(({ name, anchor, title, code, tests }) => {
    return [`[${name}](${page}#${anchor}) ${title}`.trim(), linked(code), linked(tests)];
  });
  return table(['section', 'code', 'tests'], rows);
}

function linked({ main, others }: Citing): string {
  return [linksTo(main), linksTo(others)].filter((links) => links !== '').join('; also ');
}

/** Links from docs/ to the files; to their folder if there are many in it. */
function linksTo(paths: string[]): string {
  const places = paths.toSorted().map((path) => {
    const folder = dirname(path);
    return paths.filter((other) => dirname(other) === folder).length < MANY ? path : `${folder}/`;
  });
  const nameOf = (place: string) => place.replace(/^(src|test)\//, '').replace(/(\.slow|\.rule)?(\.test)?\.tsx?$/, '');
  return [...new Set(places)].map((place) => `[${nameOf(place)}](${relative('docs', place)})`).join(', ');
}
