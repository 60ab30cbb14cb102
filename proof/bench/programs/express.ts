/** Bare Express routes: one answers JSON, one answers a signature of its own (Ed25519), one verifies that of a passkey (ES256). */
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { doTasks } from './task.js';

const app = express();
app.post('/', (_req, res) => {
  res.json({ message: 'Hello' });
});
/** As many bytes as an assertion has */
const SIGNED_BYTES = 500;
const { privateKey } = generateKeyPairSync('ed25519');
const signed = Buffer.alloc(SIGNED_BYTES, 'a');
app.post('/signed', (_req, res) => {
  res.set('X-Auth-Assertion', sign(null, signed, privateKey).toString('base64url')).end();
});
/** As a browser sends it: the data of the authenticator, and the hash of those of the page */
const PASSKEY_BYTES = 37 + 32;
const asserted = Buffer.alloc(PASSKEY_BYTES, 'a');
const passkey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const assertion = sign('sha256', asserted, passkey.privateKey);
app.post('/verified', (_req, res) => {
  res.json({ verified: verify('sha256', asserted, passkey.publicKey, assertion) });
});
const server = app.listen(0, '127.0.0.1', () => doTasks(async () => undefined, (server.address() as AddressInfo).port));
