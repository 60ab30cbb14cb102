/** A session that outlives the program: its cookies and its storage, in a file that only its owner can read. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { CookieJar } from 'tough-cookie';

/** @returns the options `storage` and `fetch` of `createAuthClient` */
export function sessionIn(path) {
  const { cookies, items } = read(path);
  const jar = cookies ? CookieJar.deserializeSync(cookies) : new CookieJar();
  const stored = new Map(items);
  const save = () => {
    const text = JSON.stringify({ cookies: jar.serializeSync(), items: [...stored] });
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path); // whole, also if the program is killed
  };
  return {
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => {
        stored.set(key, value);
        save();
      },
      removeItem: (key) => {
        stored.delete(key);
        save();
      },
    },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      request.headers.set('cookie', jar.getCookieStringSync(request.url));
      const response = await fetch(request);
      for (const cookie of response.headers.getSetCookie()) jar.setCookieSync(cookie, request.url);
      save();
      return response;
    },
  };
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return {};
  }
}
