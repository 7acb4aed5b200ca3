// Puts into a built site's index.html what a reader sees until the program has come, with all that it needs, so that one request
// brings it: node scripts/opening.mjs SITE
//   - the opening view in every language (assets/opening, written by the page's own components: src/opening);
//   - the style sheets, in their order;
//   - the script that runs before anything is painted (assets/first.js).
// The content security policy allows both by their digests. LIPSCOPE_ADDRESS, where it is set, is the address at which the site will be
// published: it goes into the card of a shared link.
import { createHash } from 'node:crypto';
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const site = process.argv[2] ?? 'dist';
const asset = (name) => readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8');
const page = join(site, 'index.html');

/** The text of the page with `from`, which must be there once, replaced. */
const replaced = (html, from, to) => {
  if (html.split(from).length !== 2) throw new Error(`${page} should hold ${from} once`);
  return html.replace(from, () => to);
};
const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const views = { en: asset('opening/en.html'), 'zh-Hans': asset('opening/zh.html') };
const languages = Object.entries(views).map(([tag, view]) => `<div lang="${tag}">${view}</div>`);

// The elements of the opening view have the page's ids as `data-of`: the page's own elements stand beside them for a moment.
const ids = new Set([...views.en.matchAll(/ data-of="([^"]+)"/g)].map(([, id]) => id));
const bothOf = (css) => css.replace(/#([a-z][\w-]*)(?=[^{}]*\{)/g, (whole, id) => (ids.has(id) ? `:is(#${id},[data-of=${id}])` : whole));

let html = readFileSync(page, 'utf8');
const links = [...html.matchAll(/<link rel="stylesheet" href="\.\/([\w-]+\.css)"[^>]*>\s*/g)];
if (links.length < 2) throw new Error(`${page} links ${links.length} style sheets`);
const sheets = links.map(([, name]) => readFileSync(join(site, name), 'utf8'));
const style = asset('opening/colors.css').trim() + bothOf(sheets.join(''));
for (const [, name] of links) unlinkSync(join(site, name));
for (const [link] of links.slice(1)) html = html.replace(link, '');
const script = asset('first.js').replace(/^\s*(\/\/|\/\*\*).*\n/gm, '').trim();
html = replaced(html, links[0][0], `<style>${style}</style>\n    <script>${script}</script>\n    `);
html = replaced(html, '<div id="opening"></div>', `<div id="opening" aria-busy="true">${asset('opening/shapes.svg')}${languages.join('')}</div>`);
html = replaced(html, "script-src 'self'", `script-src 'self' ${digest(script)}`);
html = replaced(html, "style-src 'self'", `style-src 'self' ${digest(style)}`);
// A card is read by programs that know the page by its address alone. Only who publishes the site knows that address.
const address = process.env.LIPSCOPE_ADDRESS;
if (address) {
  const at = new URL('./', address).href;
  html = replaced(html, 'content="./card.png"', `content="${at}card.png"`);
  html = replaced(html, '<meta property="og:type"', `<link rel="canonical" href="${at}">\n    <meta property="og:url" content="${at}">\n    <meta property="og:type"`);
}
writeFileSync(page, html);
console.log(`opening: ${html.length} characters in index.html`);
