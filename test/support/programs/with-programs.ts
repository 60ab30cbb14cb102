/** For tests that need programs on the PATH; REQUIRE_PROGRAMS=1 makes their absence a failure. */
import { execFileSync } from 'node:child_process';

/** Skipped if a program is missing, unless all are required. */
export function testWith(programs: string[], name: string, work: () => Promise<void>): void {
  const missing = programs.filter((program) => {
    try {
      execFileSync('sh', ['-c', `command -v ${program}`]);
      return false;
    } catch {
      return true;
    }
  });
  const here = missing.length === 0 || process.env['REQUIRE_PROGRAMS'] === '1';
  (here ? test : test.skip)(missing.length === 0 ? name : `${name} (without ${missing.join(', ')})`, work);
}
