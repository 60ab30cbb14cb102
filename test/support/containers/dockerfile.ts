/** The Dockerfile and .dockerignore as they stand, in as much of their languages as these two use. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

export interface Instruction {
  /** Such as `RUN` */
  name: string;
  /** Such as `--from=build` */
  options: string[];
  rest: string;
}

/** @returns one list for each stage, which begins with its FROM; before them the arguments that all have */
export function readDockerfile(text: string): Instruction[][] {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Instruction[][] = [[]];
  for (const line of lines) {
    const [, name = '', options = '', rest = ''] = /^([A-Z]+)\s+((?:--\S+\s+)*)(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`no instruction: ${line}`);
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, options: options.trim().split(/\s+/).filter(Boolean), rest: rest.trim() });
  }
  return stages;
}

/** @returns every file of the folder that a build is given, by its path from there; the last pattern that fits decides */
export function contextOf(folder: string): string[] {
  const rules = readFileSync(join(folder, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isTaken: line.startsWith('!'), pattern: line.replace(/^!/, '') }));
  /** @param wasTaken whether the folder is, in which it lies */
  const isTaken = (path: string, wasTaken: boolean): boolean =>
    rules.findLast(({ pattern }) => fits(path, pattern))?.isTaken ?? wasTaken;
  const filesIn = (within: string, wasTaken: boolean): string[] =>
    readdirSync(join(folder, within), { withFileTypes: true }).flatMap((entry) => {
      const path = join(within, entry.name);
      const taken = isTaken(path, wasTaken);
      if (!entry.isDirectory()) return taken ? [path] : [];
      const mayHold = taken || rules.some((rule) => rule.isTaken && rule.pattern.startsWith(`${path}/`));
      return mayHold ? filesIn(path, taken) : [];
    });
  return filesIn('', true);
}

function fits(path: string, pattern: string): boolean {
  return pattern === '*' ? !path.includes('/') : matchesGlob(path, pattern);
}
