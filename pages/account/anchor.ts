/** Sections by their anchors. (Interface 21) */

/** Shows the section and focuses its heading, so that screen readers read it. */
export function goTo(id: string): void {
  const section = document.getElementById(id);
  const heading = section?.querySelector('h2');
  if (section === null || heading == null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  section.scrollIntoView();
}

/** Where the page begins. The browser has looked for it before it was there. */
export function goToStart(): void {
  const isLinked = document.getElementById('confirm') !== null;
  if (isLinked || location.hash.length > 1) goTo(isLinked ? 'confirm' : location.hash.slice(1));
}
