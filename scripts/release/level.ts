/** Which version the changes since the last one need. (docs/versions.md) */
import {
  buildSchema,
  type DangerousChange,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
} from 'graphql';

export const LEVELS = ['patch', 'minor', 'major'] as const;
export type Level = (typeof LEVELS)[number];

/** Of Conventional Commits 1.0.0 */
export interface Commit {
  title: string;
  /** Such as `feat`; empty if the title has none */
  type: string;
  isBreaking: boolean;
}

export function readCommit(title: string, body: string): Commit {
  const [, type = '', mark = ''] = /^(\w+)(?:\(.*?\))?(!?):/.exec(title) ?? [];
  return { title, type, isBreaking: mark === '!' || /^BREAKING[ -]CHANGE:/m.test(body) };
}

/** What a commit has of the interface */
export interface State {
  /** docs/interface.txt */
  names: string;
  /** schema.graphql */
  schema: string;
  /** Paths of the files */
  migrations: string[];
}

/** @returns the least level for the commits between two states, and each reason for it */
export function neededLevel(before: State, after: State, commits: Commit[]): { level: Level; reasons: string[] } {
  const [old, now] = [linesOf(before.names), linesOf(after.names)];
  const isDemand = (line: string): boolean => / requires /.test(line);
  /** Of what was there before: a new route demands nothing of those who do not call it. */
  const isNewDemand = (line: string): boolean => isDemand(line) && old.has(line.split(' requires ')[0] ?? '');
  const gone = [...old].filter((line) => !now.has(line) && !isDemand(line));
  const come = [...now].filter((line) => !old.has(line));
  const schemaOf = ({ schema }: State): GraphQLSchema => buildSchema(schema, { assumeValidSDL: true });
  const dangerous = findDangerousChanges(schemaOf(before), schemaOf(after));
  const isDefault = ({ type }: DangerousChange): boolean => type === DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE;
  const major = [
    ...gone.map((line) => `gone: ${line}`),
    ...come.filter(isNewDemand).map((line) => `demanded: ${line}`),
    ...findBreakingChanges(schemaOf(before), schemaOf(after)).map(({ description }) => `GraphQL: ${description}`),
    ...dangerous.filter(isDefault).map(({ description }) => `GraphQL: ${description}`),
    ...after.migrations
      .filter((name) => /_breaking\.\w+$/.test(name) && !before.migrations.includes(name))
      .map((name) => `migration: ${name}`),
    ...commits.filter(({ isBreaking }) => isBreaking).map(({ title }) => `commit: ${title}`),
  ];
  if (major.length > 0) return { level: 'major', reasons: major };
  const minor = [
    ...come.map((line) => `new: ${line}`),
    ...dangerous.map(({ description }) => `GraphQL: ${description}`),
    ...commits.filter(({ type }) => type === 'feat').map(({ title }) => `commit: ${title}`),
  ];
  return { level: minor.length > 0 ? 'minor' : 'patch', reasons: minor };
}

/** @throws {RangeError} if the version is not `MAJOR.MINOR.PATCH` */
export function nextVersion(version: string, level: Level): string {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new RangeError(`not MAJOR.MINOR.PATCH: ${version}`);
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return { major: `${major + 1}.0.0`, minor: `${major}.${minor + 1}.0`, patch: `${major}.${minor}.${patch + 1}` }[
    level
  ];
}

function linesOf(text: string): Set<string> {
  return new Set(text.split('\n').filter((line) => line !== ''));
}
