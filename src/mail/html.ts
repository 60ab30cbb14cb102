/** The HTML part of a mail, made of its text. (Interface 17) */
import { escapeHtml } from '../platform/text.js';

/** No image, no font and no address of others: nobody learns that the mail was opened. */
const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 24px 12px; background: #f3f4f6; color: #1d2126;
  font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.mail { max-width: 560px; margin: 0 auto; padding: 8px 24px;
  background: #ffffff; border-radius: 8px; overflow-wrap: anywhere; }
.button { display: inline-block; padding: 12px 20px; border-radius: 6px;
  background: #0a58ab; color: #ffffff; font-weight: 600;
  text-decoration: none; }
.url { font-size: 13px; color: #59626d; }
@media (prefers-color-scheme: dark) {
  body { background: #101317; color: #e7e9ec; }
  .mail { background: #1b2026; }
  .button { background: #86bdff; color: #0b1724; }
  .url { color: #a8b0ba; }
}`;

/** Characters of a line, so that with what surrounds it nodemailer sends ASCII as it is (7bit: at most 76). */
const BREAK = /(.{1,70})(?: +|$)/g;

/** A paragraph that is one URL becomes a button, named by its host, above the URL. */
export function htmlOf(subject: string, text: string): string {
  const paragraphs = text.trim().split(/\n(?:[ \t]*\n)+/);
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${wrapped(subject)}</title>
<style>${STYLE}
</style>
</head>
<body>
<div class="mail">
${paragraphs.map(paragraphOf).join('\n')}
</div>
</body>
</html>
`;
}

function paragraphOf(paragraph: string): string {
  const url = /^https?:\/\/\S+$/.exec(paragraph.trim())?.[0];
  if (url === undefined || !URL.canParse(url)) return `<p>${paragraph.split('\n').map(wrapped).join('<br>\n')}</p>`;
  return `<p><a class="button"
href="${escapeHtml(url)}">${escapeHtml(new URL(url).host)}</a></p>
<p class="url">${escapeHtml(url)}</p>`;
}

/** Breaks a line at spaces, which HTML shows as one. */
function wrapped(line: string): string {
  return escapeHtml(line.trim()).replace(BREAK, '$1\n').trimEnd();
}
