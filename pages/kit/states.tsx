/** What a view shows while there is no answer, and if there is none. */
import { signal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { Problem } from './problem.js';
import type { Answer } from './rows.js';

/** Problems that may pass, of all parts of the page that say so once, at the top */
const passing = signal<readonly Problem[]>([]);

/** Whether the page has such a place: what is not in it, such as a dialog, says it itself. */
const IsSaidAbove = createContext(false);

/** Says each problem that may pass once, however many parts of what is in it have it. */
export function Troubles({ children }: { children: ComponentChildren }) {
  const messages = new Set(passing.value.map(({ message }) => message));
  return (
    <IsSaidAbove.Provider value={true}>
      <div role="alert">
        {[...messages].map((message) => (
          <Said key={message} text={`${message} Trying again.`} />
        ))}
      </div>
      {children}
    </IsSaidAbove.Provider>
  );
}

/** What is in it covers the page, so it says its problems itself. */
export function OwnTroubles({ children }: { children: ComponentChildren }) {
  return <IsSaidAbove.Provider value={false}>{children}</IsSaidAbove.Provider>;
}

/** Why something could not be read. If it may pass, the hooks of `answer.ts` ask again by themselves. */
export function ProblemNotice({ problem }: { problem: Problem | undefined }) {
  const isAbove = useContext(IsSaidAbove) && problem?.isPassing === true;
  useEffect(() => {
    if (!isAbove || problem === undefined) return undefined;
    passing.value = [...passing.peek(), problem];
    return () => {
      passing.value = passing.peek().filter((each) => each !== problem);
    };
  }, [problem, isAbove]);
  return (
    <div role="alert">
      {problem !== undefined && !isAbove && (
        <Said text={`${problem.message}${problem.isPassing ? ' Trying again.' : ''}`} />
      )}
    </div>
  );
}

function Said({ text }: { text: string }) {
  return <p class="notice bad">{text}</p>;
}

export function Loading() {
  return (
    <div class="loading skeleton" role="status">
      <span class="unseen">Loading…</span>
    </div>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="quiet">{children}</p>;
}

interface AnsweredProps<Data> {
  answer: Pick<Answer<Data>, 'data' | 'problem'>;
  children(data: Data): ComponentChildren;
}

/** Shows an answer; until it is there, that it is awaited; and in addition the problem, if asking again has failed. */
export function Answered<Data>({ answer: { data, problem }, children }: AnsweredProps<Data>) {
  return (
    <>
      <ProblemNotice problem={problem} />
      {data === undefined ? problem === undefined && <Loading /> : children(data)}
    </>
  );
}
