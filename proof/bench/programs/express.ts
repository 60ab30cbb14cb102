/** Bare Express routes: one answers JSON, one answers a signature of its own (Ed25519, as an assertion has). */
import { generateKeyPairSync, sign } from 'node:crypto';
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
const server = app.listen(0, '127.0.0.1', () => doTasks(async () => undefined, (server.address() as AddressInfo).port));
