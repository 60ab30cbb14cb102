/** Loaded into a gateway before anything else (`node --import`): its clock is off by the seconds that a file says. */
import { readFileSync } from 'node:fs';

const file = process.env['MOVED_CLOCK_FILE'] ?? '';
const rightly = Date.now;

Date.now = () => rightly() + Number(readFileSync(file, 'utf8')) * 1000;
globalThis.Date = new Proxy(Date, {
  construct: (date, given, asked) => Reflect.construct(date, given.length === 0 ? [Date.now()] : given, asked),
});
