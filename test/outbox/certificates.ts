/** Certificates of an authority of our own. Needs `openssl`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Issued {
  key: string;
  cert: string;
}

export interface Authority {
  /** Path of its certificate */
  file: string;
  /** Its own, which it has signed itself */
  own: Issued;
  /** @param days for which it is valid; negative: it has expired */
  issue(host: string, days?: number): Issued;
}

const KEY = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'.split(' ');

function read(key: string, cert: string): Issued {
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

function openssl(...words: string[]): void {
  execFileSync('openssl', words, { stdio: 'ignore' });
}

/** @param folder where its files are */
export function createAuthority(folder: string, name: string): Authority {
  const [file, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  openssl(
    'req',
    '-x509',
    ...KEY,
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
    '-addext',
    `subjectAltName=DNS:${name}`,
    '-keyout',
    key,
    '-out',
    file,
  );
  let issued = 0;
  return {
    file,
    own: read(key, file),
    issue: (host, days = 2) => {
      issued += 1;
      const [own, request, cert] = ['key', 'csr', 'crt'].map((kind) => join(folder, `${name}-${issued}.${kind}`)) as [
        string,
        string,
        string,
      ];
      const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
      openssl('req', '-new', ...KEY, ...names, '-keyout', own, '-out', request);
      const by = ['-CA', file, '-CAkey', key, '-copy_extensions', 'copy', '-days', String(days)];
      openssl('x509', '-req', '-in', request, ...by, '-out', cert);
      return read(own, cert);
    },
  };
}
