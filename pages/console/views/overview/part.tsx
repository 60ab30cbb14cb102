/** A part of the overview that is there only if it has rows, which stay until others are asked for. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useFocusBack } from '../../../kit/focus.js';
import type { Held } from '../../../kit/held.js';
import type { Problem } from '../../../kit/problem.js';
import { ProblemNotice } from '../../../kit/states.js';

interface Props {
  title: string;
  /** Such as `failure` */
  noun: string;
  held: Held<unknown>;
  problem: Problem | undefined;
  children: ComponentChildren;
}

export function Part(props: Props) {
  const { shown, isChanged } = props.held;
  const isEmpty = shown === undefined || (shown.length === 0 && !isChanged);
  return isEmpty ? <ProblemNotice problem={props.problem} /> : <Shown {...props} />;
}

function Shown({ title, noun, held: { isChanged, newCount, show }, problem, children }: Props) {
  const section = useRef<HTMLElement>(null);
  const heading = useFocusBack(section);
  // Once its last row goes, the focus does not go with it.
  useEffect(() => {
    const its = section.current;
    return () => {
      if (its?.contains(document.activeElement)) document.querySelector('h1')?.focus();
    };
  }, []);
  return (
    <section ref={section}>
      <div class="bar">
        <h2 tabIndex={-1} ref={heading}>
          {title}
        </h2>
        <div class="news" role="status">
          {isChanged && (
            <button type="button" class="small" onClick={show}>
              {newCount === 0 ? 'Show what has changed' : `Show ${newCount} new ${noun}${newCount === 1 ? '' : 's'}`}
            </button>
          )}
        </div>
      </div>
      <ProblemNotice problem={problem} />
      {children}
    </section>
  );
}
