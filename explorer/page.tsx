/** The page at `/graphql` in a browser: GraphiQL with a login and example queries. */
import { DOC_EXPLORER_PLUGIN, DocExplorerContextProvider } from '@graphiql/plugin-doc-explorer';
import { GraphiQL, GraphiQLInterface, type GraphiQLProps, GraphiQLProvider } from 'graphiql';
import { buildSchema } from 'graphql';
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createAuthClient } from '../client/src/browser.js';
import schemaText from '../schema.graphql';
import { Credential } from './credential.js';
import { labelEditors } from './label-editors.js';
import { NO_STORAGE, removeStoredData } from './no-storage.js';
import { FIRST_QUERY, QUERIES } from './queries.js';

const CREDENTIALS = ['authorization', 'x-internal-key', 'signature-input'];

const auth = createAuthClient({ url: '/' });
const root = document.getElementById('root');
const publicUrl = root?.dataset['publicUrl'] ?? '';
const schema = buildSchema(schemaText); // available without a login
const tabs = QUERIES.map((query) => ({ query }));

/** Starts afresh after a logout, so that the next user sees nothing of the previous one. */
function Page() {
  const [userCount, setUserCount] = useState(0);
  useEffect(() => {
    let sub = auth.state().user?.sub;
    const change = (next?: string): void => {
      if (sub !== undefined && sub !== next) setUserCount((count) => count + 1);
      sub = next;
    };
    const ends = [auth.on('signed-out', () => change()), auth.on('signed-in', ({ user }) => change(user.sub))];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return <Explorer key={userCount} />;
}

function Explorer() {
  const [token, setToken] = useState('');
  const main = useRef<HTMLElement>(null);
  useEffect(() => (main.current === null ? undefined : labelEditors(main.current)), []);

  /** Sends exactly one credential: from the Headers pane, otherwise the pasted token, otherwise the login. */
  const ask: GraphiQLProps['fetcher'] = async (operation, { headers: given = {} } = {}) => {
    const headers = new Headers({ ...given, 'content-type': 'application/json' });
    const hasOwn = CREDENTIALS.some((name) => headers.has(name));
    if (!hasOwn && token !== '') headers.set('authorization', `Bearer ${token}`);
    const send = hasOwn || token !== '' ? fetch : auth.fetch;
    const answer = await send('/graphql', { method: 'POST', headers, body: JSON.stringify(operation) });
    return answer.json();
  };

  return (
    <>
      <Credential auth={auth} publicUrl={publicUrl} token={token} setToken={setToken} />
      <main ref={main}>
        <GraphiQLProvider
          fetcher={ask}
          schema={schema}
          defaultTabs={tabs}
          defaultQuery={FIRST_QUERY}
          shouldPersistHeaders={false}
          storage={NO_STORAGE}
          plugins={[DOC_EXPLORER_PLUGIN]}
          referencePlugin={DOC_EXPLORER_PLUGIN}
        >
          <DocExplorerContextProvider>
            <GraphiQLInterface showPersistHeadersSettings={false}>
              <GraphiQL.Logo>{null}</GraphiQL.Logo>
            </GraphiQLInterface>
          </DocExplorerContextProvider>
        </GraphiQLProvider>
      </main>
    </>
  );
}

removeStoredData();
if (root !== null) createRoot(root).render(<Page />);
