/** For `node --import`: writes the address of every module that is loaded to the file `TELL_LOADED`. */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

registerHooks({
  load: (url, context, next) => {
    appendFileSync(process.env.TELL_LOADED, `${url}\n`);
    return next(url, context);
  },
});
