/** The query, its variables and the answer; on the side the schema, and what was asked on this page. */
import { buildSchema } from 'graphql';
import { useRef, useState } from 'preact/hooks';
import schemaText from '../../schema.graphql';
import { type Answer, ask } from './ask.js';
import { Credential } from './credential.js';
import { Documentation } from './documentation.js';
import { Editor } from './editor.js';
import { faultsOf, nameOf } from './operation.js';
import { FIRST_QUERY, QUERIES } from './queries.js';
import { Suggestions, suggestIn } from './suggestions.js';
import type { Chosen } from './ways.js';

const schema = buildSchema(schemaText); // available without a login
/** Of what was asked, the latest first */
const MAX_REMEMBERED = 30;

interface Asked {
  query: string;
  variables: string;
}

export function Explorer() {
  const [chosen, choose] = useState<Chosen>({ way: 'login', values: {} });
  const [query, setQuery] = useState(FIRST_QUERY);
  const [cursor, setCursor] = useState(0);
  const [variables, setVariables] = useState('');
  const [history, setHistory] = useState<Asked[]>([]);
  const [answer, setAnswer] = useState<Answer>();
  const turn = useRef(0);
  const editor = useRef<HTMLTextAreaElement>(null);
  const faults = faultsOf(schema, query);

  const remember = (): void => {
    const isSame = (other: Asked): boolean => other.query === query && other.variables === variables;
    const others = history.filter((one) => !isSame(one));
    setHistory([{ query, variables }, ...others].slice(0, MAX_REMEMBERED));
  };
  /** The query in its place is remembered if it was edited. */
  const show = (next: Asked): void => {
    if (!QUERIES.includes(query)) remember();
    setQuery(next.query);
    setVariables(next.variables);
    setCursor(0);
  };
  const execute = async (event: Event): Promise<void> => {
    event.preventDefault();
    turn.current += 1;
    const mine = turn.current;
    remember();
    setAnswer({ status: 'Waiting for the answer', text: '' });
    const answered = await ask({ chosen, query, cursor, variables });
    if (mine === turn.current) setAnswer(answered);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || !['Enter', ' '].includes(event.key)) return;
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    if (event.key === 'Enter') form.requestSubmit();
    else suggestIn(form);
  };

  return (
    <>
      <Credential chosen={chosen} choose={choose} />
      <main>
        <form class="query" onSubmit={execute} onKeyDown={onKeyDown}>
          <h2>Query</h2>
          <ul class="row" aria-label="Examples">
            {QUERIES.map((one) => (
              <li key={one}>
                <button type="button" class="small" onClick={() => show({ query: one, variables: '' })}>
                  {nameOf(one)}
                </button>
              </li>
            ))}
          </ul>
          <Editor
            label="Query"
            rows={14}
            value={query}
            onValue={setQuery}
            onCursor={setCursor}
            field={editor}
            note={faults ?? 'Ctrl-Enter executes the operation at the cursor, Ctrl-Space completes.'}
          />
          <button type="submit" class="main">
            Execute query
          </button>
          <Suggestions schema={schema} query={query} cursor={cursor} editor={editor} />
          <Editor
            label="Variables"
            rows={5}
            value={variables}
            onValue={setVariables}
            note="JSON, if the query has any"
          />
          <h2>Asked on this page</h2>
          {history.length === 0 && <p class="quiet">No query yet. A reload or a log-out clears this list.</p>}
          <ul>
            {history.map((one) => (
              <li key={JSON.stringify(one)}>
                <button type="button" class="small" onClick={() => show(one)}>
                  {nameOf(one.query)} <span class="quiet">{one.variables.slice(0, 60)}</span>
                </button>
              </li>
            ))}
          </ul>
        </form>
        <section class="result" aria-label="Result">
          <h2>Result</h2>
          <p role="status">{answer?.status ?? 'No query yet.'}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is scrolled by keys */}
          <pre tabIndex={0}>{answer?.text ?? ''}</pre>
        </section>
        <aside>
          <Documentation schema={schema} />
        </aside>
      </main>
    </>
  );
}
