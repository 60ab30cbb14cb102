/**
 * Loaded by `node --import` into a gateway of its own: moves its wall clock, and not its monotonic one, by the
 * milliseconds that stand in the file CLOCK_AHEAD_MS_FILE, looked at again and again.
 */
import { readFileSync } from 'node:fs';

const RightDate = Date;
let aheadMs = 0;
const look = () => {
  aheadMs = Number(readFileSync(process.env.CLOCK_AHEAD_MS_FILE, 'utf8'));
};
look();
setInterval(look, 20).unref();

globalThis.Date = class extends RightDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RightDate.now() + aheadMs] : given));
  }

  static now() {
    return RightDate.now() + aheadMs;
  }
};
