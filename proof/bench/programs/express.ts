/** A bare Express route that answers JSON. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import { doTasks } from './task.js';

const app = express();
app.post('/', (_req, res) => {
  res.json({ message: 'Hello' });
});
const server = app.listen(0, '127.0.0.1', () => doTasks(async () => undefined, (server.address() as AddressInfo).port));
