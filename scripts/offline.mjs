// Makes a built site work offline: node scripts/offline.mjs FOLDER
// Writes the list of the site's files with their hashes into its service worker, and tells boot.js to register this
// worker. Without this step no service worker is registered.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const WORKER = 'sw.js';

const dir = process.argv[2] ?? 'dist';
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Replaces what `pattern` matches, which must be there once; doing it again changes nothing. */
function rewrite(name, pattern, text) {
  const path = join(dir, name);
  const before = readFileSync(path, 'utf8');
  const found = before.match(new RegExp(pattern, 'gm')) ?? [];
  if (found.length !== 1) throw new Error(`${path} should hold ${pattern.source} once, and does ${found.length} times`);
  writeFileSync(path, before.replace(pattern, () => text));
}

rewrite('index.html', /data-offline="[^"]*"/, `data-offline="${WORKER}"`);
/**
 * Files that the service worker keeps only once the page has asked for them: the workers of models and of training, which are
 * large and which only their views need, the texts in Chinese, what documents show or link to besides documents, the card of a
 * shared link, and the example of a run.
 */
const isLater = (path) => /^((model|train)_worker|chinese-|card\.png|run\.jsonl|docs\/(.*\.(png|svg|ipynb)$|reliability\/))/.test(path);

const files = {};
for (const name of readdirSync(dir, { recursive: true }).sort()) {
  const path = join(dir, name);
  if (name !== WORKER && statSync(path).isFile()) files[name.split(sep).join('/')] = digest(readFileSync(path));
}
// A change of the service worker alone is a new build too.
const worker = readFileSync(new URL('../assets/sw.js', import.meta.url));
const id = digest(JSON.stringify(files) + worker).slice(0, 16);
rewrite(WORKER, /^const BUILD = .*;$/m, `const BUILD = ${JSON.stringify({ id, files, later: Object.keys(files).filter(isLater) })};`);
console.log(`offline: ${Object.keys(files).length} files, build ${id}`);
