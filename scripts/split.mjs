// Puts the page's modules into a site under names that contain a hash of their content: node scripts/split.mjs FROM SITE
// Writes what Trunk would write into index.html for a single module, by the patterns of Trunk.toml.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [from, site] = process.argv.slice(2);
const files = readdirSync(from).filter((name) => /\.(js|wasm)$/.test(name)).sort();
const hash = createHash('sha256');
for (const name of files) hash.update(readFileSync(join(from, name)));
const id = hash.digest('hex').slice(0, 16);
/** All modules get the same hash in their names, because they only fit each other. */
const newName = (name) => name.replace(/^(?:_+|split_)?(\w+?)(_bg)?\.(js|wasm)$/, `$1-${id}$2.$3`);

for (const name of files) {
  if (name.endsWith('.wasm')) {
    writeFileSync(join(site, newName(name)), readFileSync(join(from, name)));
    continue;
  }
  let script = readFileSync(join(from, name), 'utf8');
  // Only in URLs: the modules' imports keep their names.
  for (const other of files) {
    const asked = new RegExp(`(from |new URL\\()(["'])(\\./)?${other}\\2`, 'g');
    script = script.replace(asked, (_, before, quote, here = '') => before + quote + here + newName(other) + quote);
  }
  writeFileSync(join(site, newName(name)), script);
}

const settings = readFileSync('Trunk.toml', 'utf8');
const pattern = (key) => {
  const found = settings.match(new RegExp(`^${key} = '(.*)'$`, 'm'));
  if (!found) throw new Error(`Trunk.toml has no ${key}`);
  return found[1].replaceAll('{base}', './').replaceAll('{js}', newName('app.js')).replaceAll('{wasm}', newName('app_bg.wasm'));
};
const page = join(site, 'index.html');
const html = readFileSync(page, 'utf8');
const ends = html.split('</head>').length + html.split('</body>').length;
if (ends !== 4) throw new Error(`${page} should have one head and one body`);
// The script between the modules is imported by the first one; preloading it here saves a round trip.
const link = `<link rel="modulepreload" href="./${newName('__wasm_split.js')}">`;
writeFileSync(page, html
  .replace('</head>', () => `${pattern('pattern_preload')}${link}</head>`)
  .replace('</body>', () => `${pattern('pattern_script')}</body>`));
console.log(`split: ${files.map(newName).join(', ')}`);
