/** The mark of the pages, `pages/kit/mark.svg`, as their icon. */
import { readFileSync } from 'node:fs';

const MARK = readFileSync('pages/kit/mark.svg', 'utf8').trim();

/** @returns the page with the mark in place of no icon */
export function withMark(html) {
  return html.replace('href="data:,"', `href="data:image/svg+xml,${MARK.replaceAll(/["#<>]/g, encodeURIComponent)}"`);
}
