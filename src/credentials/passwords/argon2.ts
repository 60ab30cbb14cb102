/** Argon2, a native package that is loaded when the first stored hash of that kind is checked. (Interface 15) */
import argon2 from 'argon2';

export function matchesArgon2(hash: string, password: string): Promise<boolean> {
  return argon2.verify(hash, password);
}
