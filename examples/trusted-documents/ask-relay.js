/** Relay: the network sends the id that relay-compiler has put in the place of the text. */
import runtime from 'relay-runtime';
// Babel's plugin of Relay makes this import of the query in relay-users.js.
import query from './__generated__/relayUsersQuery.graphql.js';

const { Environment, fetchQuery, Network, RecordSource, Store } = runtime;

async function send({ id }, variables) {
  const answer = await fetch('http://localhost:3000/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.TOKEN}` },
    body: JSON.stringify({ documentId: id, variables }),
  });
  return answer.json();
}

const environment = new Environment({ network: Network.create(send), store: new Store(new RecordSource()) });
const { users } = await fetchQuery(environment, query, { first: 10 }).toPromise();
process.stdout.write(`${users.nodes.length} locked users\n`);
