// Prints the sizes of the HTML, CSS, JavaScript, WebAssembly, SVG and JSON files of a built site, plain and as brotli, then
// the sums of some groups of them. Sums over their budget come first:
//   node scripts/sizes.mjs [SITE] [--named MODULE] [--json FILE]
// With --named, the site's first module with the names of its functions, which scripts/modules.sh keeps, it prints also how many bytes
// of that module are of which crate. With --json the sizes are also written to FILE.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CRATES, DOCUMENT, SIZES } from '../benches/goals.mjs';
import { ENCODERS } from '../benches/line.mjs';
import { codeBytes, crateSizes } from './crates.mjs';

const { values: options, positionals: [dir = 'dist'] } = parseArgs({
  allowPositionals: true, options: { json: { type: 'string' }, named: { type: 'string' } },
});

/** The sums, and which files are in them. Names end in a hash of the content. */
const SUMS = [
  {
    id: 'first_picture', what: 'before the first picture', budget: SIZES.first_picture,
    has: (name) => /\.(html|css|js|wasm)$/.test(name) && !/^(worker|model_worker|train_worker|sw\.|later-|chinese-|chunk_|docs\/)/.test(name),
  },
  { id: 'document', what: 'index.html with its styles and the opening view', budget: DOCUMENT, has: (name) => name === 'index.html' },
  { id: 'wasm', what: 'WebAssembly without that of models', budget: SIZES.wasm, has: (name) => name.endsWith('.wasm') && !/^(model|train)_worker/.test(name) },
  { id: 'models', what: 'when models are looked at', budget: SIZES.models, has: (name) => name.startsWith('model_worker') },
  { id: 'train', what: 'when models are trained', budget: SIZES.train, has: (name) => name.startsWith('train_worker') },
  { id: 'all', what: 'everything', has: () => true },
];

const kb = (bytes) => (bytes / 1000).toFixed(1).padStart(8);

const files = readdirSync(dir, { recursive: true }).sort().filter((name) => /\.(html|css|js|wasm|svg|json)$/.test(name)).map((name) => {
  const bytes = readFileSync(join(dir, name));
  return { name, plain: bytes.length, brotli: ENCODERS.br(bytes).length };
});
const sums = SUMS.map(({ has, ...sum }) => {
  const bytes = files.filter(({ name }) => has(name)).reduce((total, file) => total + file.brotli, 0);
  return { ...sum, brotli: bytes, over: sum.budget !== undefined && bytes > 1000 * sum.budget };
}).sort((a, b) => b.over - a.over);

console.log('      KB   brotli');
for (const { name, plain, brotli } of files) console.log(`${kb(plain)} ${kb(brotli)}  ${name}`);
for (const { what, budget, brotli, over } of sums) {
  console.log(`         ${kb(brotli)}  ${what}${budget ? ` (budget ${budget}${over ? ': OVER IT' : ''})` : ''}`);
}

/**
 * The first module's bytes by crate, with their budgets; crates without a budget of their own share one. Undefined where the module
 * with names is not that of this site, which may have been built elsewhere.
 */
function crates(path) {
  const first = files.find(({ name }) => /^app-.*\.wasm$/.test(name));
  const named = existsSync(path) && readFileSync(path);
  if (!named || codeBytes(readFileSync(join(dir, first.name))) !== codeBytes(named)) return undefined;
  const found = new Map(Object.keys(CRATES).map((crate) => [crate, 0]));
  for (const { crate, bytes } of crateSizes(named)) {
    const group = crate in CRATES ? crate : 'others';
    found.set(group, found.get(group) + bytes);
  }
  return [...found].map(([crate, bytes]) => ({ crate, bytes }));
}

const parts = options.named ? crates(options.named) : undefined;
if (parts) console.log('      KB  of the first module, by crate');
for (const { crate, bytes } of parts ?? []) console.log(`${kb(bytes)}  ${crate} (budget ${CRATES[crate]}${bytes > 1000 * CRATES[crate] ? ': OVER IT' : ''})`);
if (options.json) {
  const named = files.map((file) => ({ ...file, name: file.name.replace(/-[0-9a-f]{16}(?=[._])/, '') }));
  writeFileSync(options.json, JSON.stringify({ files: named, sums, crates: parts }));
}
