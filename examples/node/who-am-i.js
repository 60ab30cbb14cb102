/**
 * Who is logged in. EMAIL and PASSWORD are needed by the first run alone, and CODE of an authenticator app if the user has one;
 * `node who-am-i.js logout` ends the session.
 */
import { createAuthClient } from '@auth-gateway/client/browser';
import { sessionIn } from './session-file.js';

const { GATEWAY = 'http://localhost:3000', EMAIL: email, PASSWORD: password, CODE: code } = process.env;
const auth = createAuthClient({ url: GATEWAY, ...sessionIn('session.json') });

try {
  if (process.argv[2] === 'logout') {
    await auth.logout();
    console.log('Logged out');
  } else {
    if ((await auth.getAccessToken()) === undefined) {
      if (!email || !password) throw new Error('Not logged in: set EMAIL and PASSWORD');
      const user = await auth.login({ email, password });
      if (!user && !code) throw new Error('A second factor is wanted: set CODE');
      if (!user) await auth.secondFactor({ code });
    }
    console.log((await auth.me()).email);
  }
} catch (error) {
  console.error(error.detail ?? error.message);
  process.exitCode = 1;
}
