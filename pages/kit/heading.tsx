/** The `h1` of a view, which is focused when the view opens, so that screen readers read it. */
import { useEffect, useRef } from 'preact/hooks';
import { place } from './location.js';
import { PRODUCT_NAME } from './settings.js';

/** @param text also the title of the page */
export function Heading({ text }: { text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${text} · ${PRODUCT_NAME}`;
  }, [text]);
  useEffect(() => {
    if (!isTyping()) heading.current?.focus();
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      <bdi>{text}</bdi>
    </h1>
  );
}

/** Whether someone has gone into the search box while the view was loading, or types there. */
function isTyping(): boolean {
  const { activeElement: active } = document;
  return active instanceof HTMLInputElement && (active !== place.peek().from || active.value !== '');
}
