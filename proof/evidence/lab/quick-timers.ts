/** Loaded into a gateway before anything else (`node --import`): what it does every few seconds it does more often. */
const times = Number(process.env['QUICK_TIMERS']);
const rightly = globalThis.setInterval;

globalThis.setInterval = new Proxy(rightly, {
  apply: (target, self, [work, ms, ...rest]) => Reflect.apply(target, self, [work, Number(ms) / times, ...rest]),
});
