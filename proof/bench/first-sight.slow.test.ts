/** Copies of an access token: a cache of checked tokens must not know one of them, and each must be good. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { copyAccessToken } from '../evidence/lab/minted.js';

test('each copy has a jti and a signature of its own, and the claims of the first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-test-'));
  try {
    const keyringFile = join(folder, 'keyring.json');
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
    const keys = [
      { kid: 'other', kty: 'oct', k: 'AAAA' },
      { ...(await exportJWK(privateKey)), kid: 'a', alg: 'EdDSA' },
    ];
    await writeFile(keyringFile, JSON.stringify({ keys }));
    const header = { alg: 'EdDSA', kid: 'a', typ: 'at+jwt' };
    const first = await new SignJWT({ jti: 'first', role: 'viewer' }).setProtectedHeader(header).sign(privateKey);

    const copies = copyAccessToken({ keyringFile }, first, 3);
    const read = await Promise.all(copies.map((copy) => jwtVerify(copy, publicKey)));
    expect(read.map(({ protectedHeader }) => protectedHeader)).toEqual([header, header, header]);
    expect(read.map(({ payload }) => payload['role'])).toEqual(['viewer', 'viewer', 'viewer']);
    expect(new Set(['first', ...read.map(({ payload }) => payload.jti)]).size).toBe(4);
    expect(new Set(copies.map((copy) => copy.split('.')[2])).size).toBe(3);
  } finally {
    await rm(folder, { recursive: true });
  }
});
