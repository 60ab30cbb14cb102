/** The page at `/graphql` of a browser: GraphiQL, with a login of its own and our queries. */
import { GraphiQL, type GraphiQLProps } from 'graphiql';
import { buildSchema } from 'graphql';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createAuthClient } from '../client/src/browser.js';
import schemaText from '../schema.graphql';
import { Credential } from './credential.js';
import { FIRST_QUERY, QUERIES } from './queries.js';

const CREDENTIALS = ['authorization', 'x-internal-key', 'signature-input'];

const auth = createAuthClient({ url: '/' });
const schema = buildSchema(schemaText); // known before anybody has logged in
const tabs = QUERIES.map((query) => ({ query }));

function Page() {
  const [token, setToken] = useState('');

  /** Exactly one credential: that of the Headers pane, else the token, else the login's. */
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
      <Credential auth={auth} token={token} setToken={setToken} />
      <GraphiQL
        fetcher={ask}
        schema={schema}
        defaultTabs={tabs}
        defaultQuery={FIRST_QUERY}
        shouldPersistHeaders={false}
      >
        <GraphiQL.Logo>auth-gateway</GraphiQL.Logo>
      </GraphiQL>
    </>
  );
}

const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<Page />);
