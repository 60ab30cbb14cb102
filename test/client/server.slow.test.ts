/** The client on a server: importing, creating and using it in a process of Node without a page. (Interface 13) */
import { installClient, type Project } from './packed.js';

let project: Project;
beforeAll(() => {
  project = installClient();
  for (const name of ['react', 'react-dom']) project.link(name);
});
afterAll(() => project[Symbol.dispose]());

/** Runs a module until it ends by itself. @returns what it has printed as JSON */
function ran(code: string): unknown {
  project.save('run.js', `import { createAuthClient } from '@auth-gateway/client/browser';\n${code}`);
  return JSON.parse(project.run(process.execPath, 'run.js'));
}

test('Interface 13: creating a client sends nothing, opens nothing and starts no timer', () => {
  const printed = ran(`
    const asked = [];
    const fetch = async ({ url }, _init) => { asked.push(url); throw new Error('no network'); };
    const before = process.getActiveResourcesInfo();
    const mark = JSON.stringify({ sid: 'a session' });
    const storage = { getItem: () => mark, setItem() {}, removeItem() {} };
    const clients = [
      createAuthClient({ url: '/', fetch }),
      createAuthClient({ url: 'https://auth.example.com', fetch }),
      createAuthClient({ url: 'https://auth.example.com', fetch, storage }),
    ];
    setImmediate(() => {
      const opened = process.getActiveResourcesInfo().filter((name) => name !== 'Immediate' && !before.includes(name));
      console.log(JSON.stringify({ opened, asked, status: clients.map((client) => client.state().status) }));
    });`);
  expect(printed).toEqual({ opened: [], asked: [], status: ['loading', 'loading', 'loading'] });
});

test('Interface 13: a session that a storage remembers begins with the first use', () => {
  const printed = ran(`
    const asked = [];
    const fetch = async (url) => { asked.push(new URL(url).pathname); throw new Error('no network'); };
    const storage = { getItem: () => '{"sid":"a session"}', setItem() {}, removeItem() {} };
    const client = createAuthClient({ url: 'https://auth.example.com', fetch, storage });
    client.on('offline', ({ error }) => console.log(JSON.stringify({ asked, kind: error.kind })));
    client.subscribe(() => undefined);`);
  expect(printed).toEqual({ asked: ['/auth/refresh'], kind: 'offline' }); // its next try keeps no process alive
});

test('Interface 13: with the URL of a page that is not there, nothing is known and nothing is sent', () => {
  const printed = ran(`
    globalThis.fetch = () => { throw new Error('sent'); };
    const client = createAuthClient({ url: '/' });
    client.subscribe(() => undefined)();
    client.on('signed-in', () => undefined)();
    const uses = [
      client.login({ email: 'a@example.com', password: 'x' }), client.logout(), client.getAccessToken(), client.fetch('/graphql'),
      client.changePassword({ currentPassword: 'x', newPassword: 'y' }), client.forgotPassword('a@example.com'),
      client.me(),
    ];
    const errors = (await Promise.allSettled(uses)).map(({ reason }) => reason);
    console.log(JSON.stringify([client.state(), ...errors.map(({ name, message }) => name + ': ' + message)]));`);
  const error = 'TypeError: A server needs the `url` of the gateway';
  expect(printed).toEqual([{ status: 'loading' }, ...Array(7).fill(error)]);
});

test('Interface 13: useAuth is loading on a server, whatever the client knows', () => {
  const printed = ran(`
    import { useAuth } from '@auth-gateway/client/react';
    import { createElement } from 'react';
    import { renderToString } from 'react-dom/server';
    const Status = ({ auth }) => useAuth(auth).status;
    const signedOut = { state: () => ({ status: 'signed-out' }), subscribe: () => () => undefined };
    const clients = [createAuthClient({ url: '/' }), createAuthClient({ url: 'https://auth.example.com' }), signedOut];
    console.log(JSON.stringify(clients.map((auth) => renderToString(createElement(Status, { auth })))));`);
  expect(printed).toEqual(['loading', 'loading', 'loading']);
});
