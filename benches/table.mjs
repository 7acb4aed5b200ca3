// Writes the results of a run into docs/performance.md, between its markers: node benches/table.mjs DATA CRITERION FILE
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

const [data, criterion, file] = process.argv.slice(2);
const BEGIN = '<!-- begin: written by make bench -->';
const END = '<!-- end: written by make bench -->';

const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const browser = json(`${data}/browser.json`);
const peer = json(`${data}/peer.json`);
// Medians in milliseconds; Criterion stores nanoseconds.
const native = (group, id) => json(`${criterion}/${group}/${id}/new/estimates.json`).median.point_estimate / 1e6;

const ms = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x >= 0.1 ? x.toFixed(2) : x.toFixed(4));
const times = (x) => (x >= 10 ? x.toFixed(0) : x.toFixed(1));
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const verdict = (found, wanted, isMet) => `${found}; goal: ${wanted}; ${isMet ? 'met' : 'MISSED'}`;

const WHAT = [
  ['J v', 'apply', (theirs) => theirs.apply * 1e3],
  ['J^T u', 'apply_transpose', (theirs) => theirs.apply_transpose * 1e3],
  ['measurement, value to 1e-6', 'measure_loose', (theirs) => theirs.measure_loose.seconds * 1e3],
  ['measurement, residual 1e-10', 'measure', (theirs) => theirs.measure.seconds * 1e3],
  ['window of a model, value to 1e-6', 'window_loose', (theirs) => theirs.measure_loose.seconds * 1e3],
  ['window of a model, residual 1e-10', 'window', (theirs) => theirs.measure.seconds * 1e3],
];

const shapeOf = (name) => `(${name.match(/\d+/g).join(', ')})`;
const names = Object.keys(browser.experiments).sort((a, b) => {
  const size = (name) => { const [n, d] = name.match(/\d+/g).map(Number); return n * d; };
  return size(a) - size(b);
});

const ratios = [];
const rows = names.flatMap((name) => WHAT.map(([label, id, theirs]) => {
  const times_ = { torch: theirs(peer.experiments[name]), native: native(name, id), browser: browser.experiments[name][id].median };
  ratios.push({ name, id, native: times_.torch / times_.native, browser: times_.torch / times_.browser });
  const { native: nativeRatio, browser: browserRatio } = ratios.at(-1);
  return [shapeOf(name), label, ms(times_.torch), ms(times_.native), ms(times_.browser), `${times(nativeRatio)} x`, `${times(browserRatio)} x`];
}));

const steps = names.map((name) => {
  const { measure, measure_loose: loose } = peer.experiments[name];
  const ours = json(`${data}/${name}/reference.json`);
  const count = ({ method, iterations }) => (method === 'lanczos' ? iterations : 'SVD');
  return [shapeOf(name), loose.steps, count(ours.measure_loose), measure.steps, count(ours.measure)];
});

const goals = [];
for (const [name, label, id] of [
  ['n100-d768-h12-k64', 'to a residual of 1e-10', 'measure'],
  ['n100-d768-h12-k64', 'to 1e-6 of the value', 'measure_loose'],
  ['n98-d768-h12-k64', 'a window of a model, to 1e-6 of the value', 'window_loose'],
]) {
  const { native: n, browser: b } = ratios.find((ratio) => ratio.name === name && ratio.id === id);
  goals.push(`- Native at ${shapeOf(name)}, ${label}: ${verdict(`${times(n)} x PyTorch`, '8 x', n >= 8)}.`);
  goals.push(`- Browser at ${shapeOf(name)}, ${label}: ${verdict(`${times(b)} x PyTorch`, '2 x', b >= 2)}.`);
}
if (browser.latency) {
  const { text, frame, n } = browser.latency;
  goals.push(`- Slider to new number at (64, 8, 1, 8), ${n} moves: text changed after ${verdict(`${ms(text.median)} ms median, ${ms(text.p95)} ms 95th percentile`, '16 and 33 ms', text.median <= 16 && text.p95 <= 33)}. The next frame begins after ${ms(frame.median)} and ${ms(frame.p95)} ms.`);
} else {
  goals.push(`- Slider to new number: not measured (${browser.page_problem}).`);
}
const megabytes = browser.memory.bytes / 1e6;
goals.push(`- Memory of the worker after a measurement at n = 4096, d = 64 (${browser.memory.iterations} steps, ${(browser.memory.milliseconds / 1e3).toFixed(0)} s): ${verdict(`${megabytes.toFixed(0)} MB`, 'under 400 MB', megabytes < 400)}.`);
if (browser.sizes) {
  const wasm = Object.entries(browser.sizes).filter(([key]) => key.endsWith('wasm')).reduce((sum, [, bytes]) => sum + bytes, 0) / 1e3;
  const all = Object.entries(browser.sizes).map(([key, bytes]) => `${key} ${(bytes / 1e3).toFixed(0)}`).join(', ');
  goals.push(`- Brotli, KB: ${all}. WebAssembly together: ${verdict(`${wasm.toFixed(0)} KB`, 'under 700 KB', wasm < 700)}.`);
}

const shapeText = ([m, n, k, transposed]) => `(${m} x ${k})${transposed ? ', transposed,' : ''} (${k} x ${n})`;
const kernels = Object.keys(browser.products[0].f64);
const products = browser.products.map((row) => [shapeText(row.shape), ...kernels.map((kernel) => `${row.f64[kernel].toFixed(1)} / ${row.f32[kernel].toFixed(1)}`)]);
const nativeProducts = browser.products
  .map(({ shape: [m, n, k, transposed] }) => ({ shape: [m, n, k, transposed], group: `product-${m}x${n}x${k}` }))
  .filter(({ group }) => existsSync(`${criterion}/${group}/engine/new/estimates.json`))
  .map(({ shape, group }) => {
    const [m, n, k] = shape;
    const rate = (id) => ((2e-6 * m * n * k) / native(group, id)).toFixed(1);
    return [shapeText(shape), rate('engine'), rate('nalgebra')];
  });
const limit = browser.limit.map(({ size, svd, lanczos }) => [size, ms(svd), ms(lanczos)]);

const rustc = execFileSync('rustc', ['--version'], { encoding: 'utf8' }).split(' ')[1];
const text = [
  `Machine: ${cpus()[0].model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB. Every runner on one thread.`,
  `Rust ${rustc}, Chromium ${browser.chromium}, PyTorch ${peer.torch}.`,
  '',
  table(['(n, d, heads, k)', 'what', 'PyTorch, ms', 'native, ms', 'browser, ms', 'native', 'browser'], rows),
  '',
  'Steps to the same accuracy (power iteration; Lanczos):',
  '',
  table(['(n, d, heads, k)', 'PyTorch, 1e-6', 'Lipscope, 1e-6', 'PyTorch, 1e-10', 'Lipscope, 1e-10'], steps),
  '',
  '### Goals', '', ...goals,
  '',
  '### Products in the browser, GFLOP/s (f64 / f32)', '',
  table(['shape', ...kernels], products),
  '',
  '### Products natively, GFLOP/s (f64)', '',
  table(['shape', 'engine (faer)', 'nalgebra'], nativeProducts),
  '',
  '### Dense SVD or Lanczos, in the browser', '',
  'A whole measurement at d = 8, one head, ms; the size is n d.', '',
  table(['size', 'dense SVD', 'Lanczos'], limit),
].join('\n');

const before = readFileSync(file, 'utf8');
const [start, end] = [before.indexOf(BEGIN), before.indexOf(END)];
if (start < 0 || end < start) throw new Error(`${file} lacks its markers: ${BEGIN} and ${END}`);
writeFileSync(file, `${before.slice(0, start + BEGIN.length)}\n${text}\n${before.slice(end)}`);
console.log(text);
