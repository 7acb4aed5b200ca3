// Leaves comments out of a site's styles and scripts, and line breaks and indentation out of the styles: node scripts/lean.mjs SITE
// A reader's browser loads styles and scripts before the first picture, so every byte of them delays it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const site = process.argv[2] ?? 'dist';

const leanStyle = (text) => text.replace(/\/\*[^]*?\*\//g, '').replace(/\s+/g, ' ').trim();
/** Takes out only comments that have lines of their own, and empty lines. */
const leanScript = (text) => text.replace(/^\s*\/\*\*[^]*?\*\/\s*?$/gm, '').replace(/^\s*\/\/.*$/gm, '').replace(/^\s*\n/gm, '');

/** Whether a file has quotes in which `leanStyle` or `leanScript` might take text for a comment. */
const isDoubtful = {
  css: (text) => /(["'])(?:(?!\1|\n).)*\/\*/.test(text),
  // A line with an odd number of backticks begins or ends a template of several lines.
  js: (lean) => lean.split('\n').some((line) => line.split('`').length % 2 === 0),
};

let before = 0;
let after = 0;
for (const name of readdirSync(site, { recursive: true })) {
  const kind = name.match(/\.(css|js)$/)?.[1];
  if (!kind) continue;
  const path = join(site, name);
  const text = readFileSync(path, 'utf8');
  const lean = kind === 'css' ? leanStyle(text) : leanScript(text);
  if (isDoubtful[kind](kind === 'css' ? text : lean)) throw new Error(`${path} holds quotes in which a comment cannot be told from text`);
  writeFileSync(path, lean);
  before += text.length;
  after += lean.length;
}
console.log(`lean: ${before} to ${after} characters`);
