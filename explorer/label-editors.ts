/** GraphiQL labels the regions around its editors. This labels the boxes inside, which screen readers announce. */
const LABELS = [
  ['.graphiql-query-editor', 'Query'],
  ['.graphiql-editor-tool > .graphiql-editor:nth-child(1)', 'Variables'],
  ['.graphiql-editor-tool > .graphiql-editor:nth-child(2)', 'Headers'],
  ['.graphiql-response', 'Result'],
] as const;

/** Labels the boxes as soon as they are there. @returns ends that */
export function labelEditors(around: HTMLElement): () => void {
  const label = (): void => {
    for (const [editor, text] of LABELS) {
      around.querySelector(`${editor} textarea:not([aria-label])`)?.setAttribute('aria-label', text);
    }
  };
  const observer = new MutationObserver(label);
  observer.observe(around, { childList: true, subtree: true });
  label();
  return () => observer.disconnect();
}
