/** What a view shows while there is no answer, and if there is none. */
import type { ComponentChildren } from 'preact';
import type { Problem } from './problem.js';
import type { Answer } from './rows.js';

/** Why something could not be read. If it may pass, the hooks of `answer.ts` ask again by themselves. */
export function ProblemNotice({ problem }: { problem: Problem | undefined }) {
  return (
    <div role="alert">
      {problem !== undefined && (
        <p class="notice bad">
          {problem.message}
          {problem.isPassing && ' Trying again.'}
        </p>
      )}
    </div>
  );
}

export function Loading() {
  return (
    <p class="quiet loading" role="status">
      Loading…
    </p>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="quiet empty">{children}</p>;
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
