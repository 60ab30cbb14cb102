/** Where the focus goes if what had it is gone, such as the button of a row that a change has removed. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * @param part whose elements come and go
 * @returns for its heading, which needs `tabIndex={-1}`: it is focused in the place of what is gone
 */
export function useFocusBack(part: RefObject<HTMLElement>): RefObject<HTMLHeadingElement> {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef<Element | null>(null);
  useEffect(() => {
    const remember = ({ target }: FocusEvent): void => {
      last.current = target as Element;
    };
    const element = part.current;
    element?.addEventListener('focusin', remember);
    return () => element?.removeEventListener('focusin', remember);
  }, [part]);
  // After every drawing: each may have removed it.
  useEffect(() => {
    if (last.current === null || last.current.isConnected) return;
    last.current = null;
    if (document.activeElement === document.body) heading.current?.focus();
  });
  return heading;
}
