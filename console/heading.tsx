/** The `h1` of a view, which is focused when the view opens, so that screen readers read it. */
import { useEffect, useRef } from 'preact/hooks';

const PRODUCT = 'auth-gateway';

/** @param text also the title of the page */
export function Heading({ text }: { text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${text} · ${PRODUCT}`;
  }, [text]);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      <bdi>{text}</bdi>
    </h1>
  );
}
