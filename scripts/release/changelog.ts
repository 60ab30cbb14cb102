/** The changelog: a draft from commits, and the section of a version. (Keep a Changelog 1.1.0) */

const UNRELEASED = '## [Unreleased]';
export const DRAFT = '<!-- draft: make each line a sentence for users, or delete it; then delete this line -->';
const STEPS = 'Do this when you upgrade';
const SECTIONS = [STEPS, 'Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
interface Commit {
  title: string;
  type: string;
  isBreaking: boolean;
}

/** The types of Conventional Commits that users can notice */
const SECTION_OF: Record<string, string> = { feat: 'Added', perf: 'Changed', fix: 'Fixed' };

/** @returns the changelog with a line for each commit that users can notice, newest first, below what is there */
export function withDraft(changelog: string, commits: Commit[]): string {
  const sections = Map.groupBy(
    commits.filter((commit) => sectionOf(commit) !== undefined),
    sectionOf,
  );
  const lines = SECTIONS.flatMap((name) => {
    const titles = sections.get(name)?.map(({ title }) => `- ${title}`) ?? [];
    return titles.length === 0 ? [] : [`### ${name}`, '', ...titles, ''];
  });
  const { before, own, after } = cut(changelog);
  return (
    [before, own.trim(), DRAFT, lines.join('\n').trimEnd()].filter((part) => part !== '').join('\n\n') +
    `\n\n${after}`.trimEnd() +
    '\n'
  );
}

function sectionOf({ type, isBreaking }: Commit): string | undefined {
  return isBreaking ? STEPS : SECTION_OF[type];
}

/** @returns faults of the unreleased section, each with what to do; empty if it can become a version's */
export function faultsOf(changelog: string, level: string): string[] {
  const own = cut(changelog).own.trim();
  const headings = Array.from(own.matchAll(/^### (.*)$/gm), ([, name = '']) => name);
  const strange = headings.filter((name) => !SECTIONS.includes(name));
  return [
    ...(own === '' ? ['CHANGELOG.md has nothing under "Unreleased": npm run release -- draft'] : []),
    ...(own.includes('<!-- draft') ? ['CHANGELOG.md has an unedited draft: edit its lines, and delete its first'] : []),
    ...strange.map((name) => `CHANGELOG.md has the section "${name}": take one of ${SECTIONS.join(', ')}`),
    ...(level !== 'patch' && !headings.includes(STEPS)
      ? [`CHANGELOG.md lacks "### ${STEPS}", whose first line says whether a migration is breaking`]
      : []),
  ];
}

/**
 * @param date ISO 8601
 * @returns the changelog in which what was unreleased is of a version, and that section alone; a dry run may have nothing in it
 */
export function released(changelog: string, version: string, date: string): { text: string; section: string } {
  const { before, own, after } = cut(changelog);
  const section = `## [${version}] - ${date}\n\n${own.trim() || 'Nothing.'}\n`;
  return { text: `${before}\n\n${section}${after === '' ? '' : `\n${after}`}`, section };
}

/** @returns the section of a version, without its heading; undefined if there is none */
export function sectionOfVersion(changelog: string, version: string): string | undefined {
  const found = changelog.split(/^(?=## \[)/m).find((part) => part.startsWith(`## [${version}] - `));
  return found?.slice(found.indexOf('\n')).trim();
}

/** @throws if there is no section for what is unreleased */
function cut(changelog: string): { before: string; own: string; after: string } {
  const parts = changelog.split(/^(?=## \[)/m);
  const at = parts.findIndex((part) => part.startsWith(UNRELEASED));
  if (at === -1) throw new Error(`CHANGELOG.md has no "${UNRELEASED}"`);
  const before = `${parts.slice(0, at).join('')}${UNRELEASED}`;
  return { before, own: (parts[at] ?? '').slice(UNRELEASED.length), after: parts.slice(at + 1).join('') };
}
