/** Whether a page fits into its window, and whether what is clicked is large enough. (Interface 19 and 21) */
import type { Page } from 'playwright-core';

/** WCAG 2.2, 2.5.8 and 2.5.5: CSS pixels */
export const [TARGET, TARGET_OF_FINGERS] = [24, 44] as const;

/** What does not fit and what is too small, in words. @param least of a target: CSS pixels */
export const faultsIn = (page: Page, least: number) => page.evaluate<string[]>(`(${FAULTS})(${least})`);

const FAULTS = String(`(least) => {
  const faults = [];
  const name = (e) => (e.getAttribute('aria-label') ?? e.textContent ?? '').trim().slice(0, 40) + ' ' + e.outerHTML.slice(0, 60);
  const { scrollWidth, clientWidth } = document.documentElement;
  const ofRoot = scrollWidth > clientWidth;
  if (ofRoot) faults.push('the page is ' + scrollWidth + ' wide');
  for (const e of document.querySelectorAll('body *')) {
    if (!e.checkVisibility({ visibilityProperty: true }) || e.closest('.unseen, svg, .skip')) continue;
    const box = e.getBoundingClientRect();
    const isClipped = e.closest('.bars, pre, bdi, nav') !== null; // the links of a phone are a row, which scrolls
    if (ofRoot && box.right > clientWidth + 1 && e.children.length === 0) faults.push('beyond the edge: ' + name(e));
    const isField = e.matches('input, select, textarea');
    const scrolls = /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1;
    if (scrolls && !isField && !isClipped) faults.push('scrolls sideways: ' + name(e));
    if (!e.matches('a[href], button, input, select, textarea, summary')) continue;
    const sentence = e.closest('p')?.textContent.trim().length ?? 0;
    if (getComputedStyle(e).display === 'inline' && sentence > e.textContent.trim().length + 5) continue; // 2.5.8, "Inline"
    let { top, right, bottom, left } = box;
    for (const label of e.matches('[type=checkbox], [type=radio]') ? e.labels : []) {
      const of = label.getBoundingClientRect();
      [top, right, bottom, left] = [Math.min(top, of.top), Math.max(right, of.right), Math.max(bottom, of.bottom), Math.min(left, of.left)];
    }
    const [width, height] = [right - left, bottom - top];
    if (Math.min(width, height) < least - 0.1) faults.push(Math.round(width) + ' x ' + Math.round(height) + ': ' + name(e));
  }
  const bars = document.querySelectorAll('.bars a');
  if (least > 24 && [...bars].some((e) => getComputedStyle(e).pointerEvents !== 'none')) faults.push('bars for fingers');
  return [...new Set(faults)];
}`);
