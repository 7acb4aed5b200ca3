// Joins the style sheets of a built site into one, in their order: node scripts/styles.mjs SITE
// The first view waits for all of them; one file needs one request and compresses better.
import { createHash } from 'node:crypto';
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const dir = process.argv[2] ?? 'dist';
const page = join(dir, 'index.html');
const html = readFileSync(page, 'utf8');
const links = [...html.matchAll(/<link rel="stylesheet" href="\.\/([\w-]+\.css)"[^>]*>\s*/g)];
if (links.length < 2) throw new Error(`${page} links ${links.length} style sheets`);
const names = links.map(([, name]) => name);
const all = names.map((name) => readFileSync(join(dir, name), 'utf8')).join('');
const joined = `style-${createHash('sha256').update(all).digest('hex').slice(0, 16)}.css`;
for (const name of names) unlinkSync(join(dir, name));
writeFileSync(join(dir, joined), all);
const digest = createHash('sha384').update(all).digest('base64');
let rest = html;
for (const [link] of links.slice(1)) rest = rest.replace(link, '');
writeFileSync(page, rest.replace(links[0][0], `<link rel="stylesheet" href="./${joined}" integrity="sha384-${digest}"/>\n    `));
console.log(`styles: ${names.length} joined`);
