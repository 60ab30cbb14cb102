/** The Python of the machine. */
import { execFileSync } from 'node:child_process';

/** The one that has PyJWT and what it needs for keys that are no secrets; undefined where there is none. */
export function pythonWithJwt(): string | undefined {
  return ['python3', '/usr/bin/python3'].find((python) => {
    try {
      execFileSync(python, ['-c', 'import jwt, cryptography'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}
