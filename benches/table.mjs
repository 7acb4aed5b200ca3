// One table of all runners: node benches/table.mjs RESULTS CRITERION DOCUMENT
// Prints it, and puts it between the marks in the document.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';

const [results, criterion, documentPath] = process.argv.slice(2);
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const browser = read(`${results}/browser.json`);
const peer = read(`${results}/peer.json`);

/** Milliseconds of criterion's median. */
const native = (group, name) => read(`${criterion}/${group}/${name}/new/estimates.json`).median.point_estimate / 1e6;
const ms = (x) => (x >= 100 ? x.toFixed(0) : x >= 1 ? x.toFixed(1) : x.toPrecision(2));
const times = (x) => `${x.toPrecision(2)} x`;
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const shape = (name) => `(${name.match(/\d+/g).join(', ')})`;
const names = readdirSync(`${results}/data`).sort((a, b) => Number(a.match(/\d+/)) * 1e4 - Number(b.match(/\d+/)) * 1e4);
const steps = [];
const measurements = [];
for (const name of names) {
  const [inBrowser, inPeer] = [browser.experiments[name], peer.experiments[name]];
  const ours = native(name, 'apply') + native(name, 'apply_transpose');
  const theirs = inBrowser.apply.median + inBrowser.apply_transpose.median;
  steps.push([shape(name), ms(ours), ms(theirs), ms(inPeer.step_ms), times(inPeer.step_ms / ours), times(inPeer.step_ms / theirs)]);
  const reference = read(`${results}/data/${name}/reference.json`);
  const [a, b] = [native(name, 'measure_loose'), inBrowser.measure_loose.median];
  measurements.push([
    shape(name), ms(a), ms(b), ms(inPeer.measure_ms), times(inPeer.measure_ms / a), times(inPeer.measure_ms / b),
    `${reference.measure_loose.iterations} / ${inPeer.steps}`,
    `${reference.measure_loose.relative_error.toExponential(0)} / ${inPeer.relative_error.toExponential(0)}`,
    `${ms(native(name, 'measure'))} / ${ms(inBrowser.measure.median)}`,
  ]);
}
const products = (browser.products ?? []).map(({ shape: [m, n, k, transposed], f64 }) => [
  `${m} x ${n} x ${k}${transposed ? ', left transposed' : ''}`,
  ...['engine', 'faer', 'nalgebra', 'loop'].map((kernel) => {
    const found = f64[kernel];
    const milliseconds = typeof found === 'number' ? found : found?.median;
    return milliseconds ? ((2 * m * n * k) / milliseconds / 1e6).toFixed(2) : '-';
  }),
]);
const limits = (browser.limit ?? []).map((row) => [row.size, ...['svd', 'lanczos'].map((method) => {
  const found = row[method];
  const milliseconds = typeof found === 'number' ? found : found?.median;
  return milliseconds ? ms(milliseconds) : '-';
})]);
const rustc = execFileSync('rustc', ['--version'], { encoding: 'utf8' }).trim();
const text = `Machine: ${os.cpus()[0].model.trim()}, ${os.cpus().length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB; ${rustc}; Chromium ${browser.chromium}; PyTorch ${peer.torch}. Milliseconds are medians, one thread each.

**A step: J v and J^T u.**

${table(['(n, d, heads, k)', 'native ms', 'browser ms', 'PyTorch ms', 'native against PyTorch', 'browser against PyTorch'], steps)}

**A measurement, the norm to 1e-6.** Ours stops by its own residual; the power iteration is told the answer and stops within 1e-6 of it.

${table(['(n, d, heads, k)', 'native ms', 'browser ms', 'PyTorch ms', 'native against PyTorch', 'browser against PyTorch', 'steps, ours / power', 'error, ours / power', 'to a residual of 1e-10, native / browser ms'], measurements)}

**Products in the browser, f64, GFLOP/s.**

${table(['rows x columns x inner', 'engine', 'faer', 'nalgebra', 'plain loop'], products)}

**Dense SVD against Lanczos in the browser, ms.**

${table(['rows of J', 'dense SVD', 'Lanczos'], limits)}

**The page.** From a slider's event to the new number at (64, 8, 1, 8): text after ${ms(browser.latency?.text.median ?? NaN)} ms (median), ${ms(browser.latency?.text.p95 ?? NaN)} ms (95th percentile); with the frame that shows it ${ms(browser.latency?.frame.median ?? NaN)} and ${ms(browser.latency?.frame.p95 ?? NaN)} ms. Memory of the worker at n = 4096, d = 64: ${browser.memory ? `${Math.round((browser.memory.bytes ?? browser.memory) / 2 ** 20)} MiB` : '-'}. Brotli: ${Object.entries(browser.sizes ?? {}).map(([name, bytes]) => `${name} ${(bytes / 1024).toFixed(0)} KB`).join(', ')}.`;
console.log(text);
const page = readFileSync(documentPath, 'utf8');
const [open, close] = ['<!-- table: begin -->', '<!-- table: end -->'];
const [before, after] = [page.split(open)[0], page.split(close)[1]];
writeFileSync(documentPath, `${before}${open}\n${text}\n${close}${after}`);
