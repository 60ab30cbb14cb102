/** Bcrypt, a native package that is loaded when the first hash of that kind is checked. (Interface 15) */
import bcrypt from '@node-rs/bcrypt';

export function matchesBcrypt(hash: string, password: string): Promise<boolean> {
  return bcrypt.verify(password, hash);
}
