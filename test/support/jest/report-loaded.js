/** For `node --import`: writes the address of every module that is loaded to the file `LOADED_FILE`. */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

registerHooks({
  load: (url, context, next) => {
    appendFileSync(process.env.LOADED_FILE, `${url}\n`);
    return next(url, context);
  },
});
