/** The HTML part of mails. (Interface 17) */
import { htmlOf } from '../../src/mail/html.js';
import { fill, ourTemplates, TEXT_NAMES } from '../../src/mail/texts.js';

const PLACES = { app: 'https://app.example.com', account: 'https://auth.example.com/account#sessions' };
const VALUES = {
  ...{ email: 'ada@example.com', product: 'Example', site: 'auth.example.com', time: '2026-11-27 12:00 UTC' },
  ...{ actor: 'you', address: '203.0.113.7', device: 'Firefox on Windows', role: 'viewer', codes: '7' },
  ...{ factor: 'a passkey', current: 'new@example.com', expires: '2026-11-27 12:30 UTC' },
};

test.each(TEXT_NAMES)('Interface 17: %s: the lines of its HTML are shorter than 76, but for a long link', (name) => {
  const link = `https://auth.example.com/set-password#token=pl_${'x'.repeat(49)}`;
  const { subject, text } = fill(ourTemplates(PLACES)[name], { ...VALUES, ...PLACES, link });
  const html = htmlOf(subject, text);
  expect(html.split('\n').filter((line) => line.length > 75 && !line.includes(link))).toEqual([]);
  expect(html).toMatch(/^[\n -~]*$/);
  expect(html).not.toMatch(/<img|<link|<script|url\(|@import/);
  expect(html).toContain('prefers-color-scheme: dark');
  const said = html
    .slice(html.indexOf('<body>'))
    .replace(/<a [^>]*>.*?<\/a>/gs, '')
    .replace(/<[^>]*>/g, '');
  expect(said.split(/\s+/).filter(Boolean)).toEqual(text.split(/\s+/).filter(Boolean));
});

test('Interface 17: a paragraph that is one URL is a button with the URL below it; a URL among words is not', () => {
  const html = htmlOf('A', 'See https://a.example\n\nhttps://b.example:8443/x?y=1&z="#t=<b>\n\njavascript:alert(1)\n');
  expect(html.slice(html.indexOf('<p>'), html.indexOf('</div>'))).toBe(
    `<p>See https://a.example</p>
<p><a class="button"
href="https://b.example:8443/x?y=1&amp;z=&quot;#t=&lt;b&gt;">b.example:8443</a></p>
<p class="url">https://b.example:8443/x?y=1&amp;z=&quot;#t=&lt;b&gt;</p>
<p>javascript:alert(1)</p>
`,
  );
});

test('Interface 17: everything is escaped, each line stays one, and words of any length stay whole', () => {
  const long = 'x'.repeat(300);
  const html = htmlOf('</title><script>', `<b>&amp;"\n \nGrüße\nAda\n\n\n${long} ${'words '.repeat(40)}`);
  expect(html).not.toMatch(/<b>|<script>/);
  expect(html).toContain('<title>&lt;/title&gt;&lt;script&gt;</title>');
  expect(html).toContain('<p>&lt;b&gt;&amp;amp;&quot;</p>\n<p>Grüße<br>\nAda</p>\n<p>xxx');
  expect(html.replaceAll('\n', ' ')).toContain(`<p>${long} ${'words '.repeat(40).trim()}</p>`);
});
