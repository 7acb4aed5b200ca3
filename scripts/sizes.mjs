// Prints the size of every file of a built site, plain and as brotli, and the sums that have a budget: WebAssembly, and
// what is loaded before the first view.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const WASM_BUDGET_KB = 700;
const FIRST_VIEW_BUDGET_KB = 300;
/** What a first view waits for: the page's first module, scripts, styles and text; not the worker, nor what comes later. */
const isFirstView = (name) => /\.(html|css|js|wasm)$/.test(name) && !/^(worker|model_worker|sw\.|later-)/.test(name);
/** What only the view of models fetches. */
const isOfModels = (name) => name.startsWith('model_worker');

const dir = process.argv[2] ?? 'dist';
const kb = (bytes) => (bytes / 1000).toFixed(1).padStart(8);
let wasm = 0;
let firstView = 0;
let models = 0;
let all = 0;

console.log('      KB   brotli');
for (const name of readdirSync(dir, { recursive: true }).sort()) {
  if (!/\.(html|css|js|wasm|svg|json)$/.test(name)) continue;
  const bytes = readFileSync(join(dir, name));
  const packed = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 },
  }).length;
  all += packed;
  if (isOfModels(name)) models += packed;
  else if (name.endsWith('.wasm')) wasm += packed;
  if (isFirstView(name)) firstView += packed;
  console.log(`${kb(bytes.length)} ${kb(packed)}  ${name}`);
}
console.log(`         ${kb(all)}  everything`);
console.log(`         ${kb(wasm)}  WebAssembly (budget ${WASM_BUDGET_KB}), without that of models`);
console.log(`         ${kb(models)}  when models are looked at`);
console.log(`         ${kb(firstView)}  before the first picture (budget ${FIRST_VIEW_BUDGET_KB})`);
