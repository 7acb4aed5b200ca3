// Measures the gain on all cores, and the largest n that fits in 4 GB: node benches/cores.mjs LIPSCOPE DATA [quick]
// LIPSCOPE is the release build of the command line, DATA the folder with the inputs that benches/measure.rs writes.
// LIPSCOPE_PYTHON names a Python that has torch.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { record } from './record.mjs';

const [lipscope, data, quick] = process.argv.slice(2);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { cores: settings, large: { tolerance } } = JSON.parse(readFileSync(here('settings.json'), 'utf8'));
const python = process.env.LIPSCOPE_PYTHON;
const threads = availableParallelism();
// Limits on threads are not passed on to the programs measured here: each measurement sets its own number.
const { OMP_NUM_THREADS, MKL_NUM_THREADS, OPENBLAS_NUM_THREADS, RAYON_NUM_THREADS, ...env } = process.env;

const random = ({ n, d, heads, head_dim }) => JSON.stringify({
  tokens: { source: 'random', distribution: 'gaussian', n, d, radius: Math.sqrt(d), seed: 0 },
  weights: { source: 'random', heads, head_dim, seed: 0 },
});

/** Seconds of one measurement by the command line, its start included. */
function once(text, count) {
  const began = performance.now();
  execFileSync(lipscope, ['measure', '--threads', `${count}`], { input: text, env, maxBuffer: 1 << 28 });
  return (performance.now() - began) / 1e3;
}

/** Seconds on one thread and on all threads: the fastest of several runs, which take turns; a short run is repeated more often. */
function ours(text) {
  const times = [1, threads].map((count) => once(text, count));
  const more = quick ? 0 : Math.min(40, Math.max(settings.repeats - 1, Math.round(2 / Math.max(...times))));
  for (let round = 0; round < more; round += 1) {
    [1, threads].forEach((count, at) => { times[at] = Math.min(times[at], once(text, count)); });
  }
  return times;
}

/** PyTorch's seconds for each experiment. */
function theirs(count, names) {
  const folder = mkdtempSync(`${tmpdir()}/cores-`);
  try {
    execFileSync(python, ['-W', 'ignore', here('peer.py'), data, `${folder}/peer.json`, `${count}`, ...names], { env, stdio: 'inherit' });
    const { torch, experiments } = JSON.parse(readFileSync(`${folder}/peer.json`, 'utf8'));
    return { torch, seconds: Object.fromEntries(Object.entries(experiments).map(([name, { measure }]) => [name, measure.seconds])) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The message with which the command line refuses a measurement. */
function refusal(n, { d, head_dim }, memory) {
  const input = random({ n, d, heads: 1, head_dim });
  return spawnSync(lipscope, ['measure', '--threads', '1', '--memory', memory], { input, env, encoding: 'utf8' }).stderr;
}

/** The largest n that the command line accepts within `shape.bytes`, as its refusals name it. */
function ourLargest(shape) {
  const [, most] = /at most (\d+)/.exec(refusal(shape.refused, shape, `${shape.bytes}`)) ?? [];
  const [, count, unit] = /would take ([\d.]+) (MiB|GiB)/.exec(refusal(Number(most), shape, '1MiB')) ?? [];
  const bytes = Number(count) * { MiB: 2 ** 20, GiB: 2 ** 30 }[unit];
  if (bytes <= shape.bytes) return Number(most);
  const [, fitting] = /at most (\d+)/.exec(refusal(Number(most), shape, `${shape.bytes}`)) ?? [];
  if (!fitting) throw new Error(`lipscope does not name the largest n: ${count} ${unit} at ${most}`);
  return Number(fitting);
}

/** A measurement at n in a process that may hold `bytes` of memory: {seconds, iterations, relative_residual}. */
function measureLargest(n, { d, head_dim, bytes }) {
  const began = performance.now();
  const limited = ['-c', 'ulimit -v "$1" && shift && exec "$@"', 'limited', `${bytes / 1024}`];
  const command = [lipscope, 'measure', '--threads', `${threads}`, '--memory', `${bytes}`, '--tolerance', `${tolerance}`];
  const output = execFileSync('bash', [...limited, ...command], { input: random({ n, d, heads: 1, head_dim }), env, encoding: 'utf8', maxBuffer: 1 << 28 });
  const { iterations, relative_residual } = JSON.parse(output);
  return { seconds: (performance.now() - began) / 1e3, iterations, relative_residual };
}

/** The largest n (to 1 %, or to a factor of 2 with `quick`) at which PyTorch computes both products in `bytes` of memory. */
function theirLargest({ d, head_dim, bytes }) {
  const fits = (n) => spawnSync(python, [here('largest.py'), `${n}`, `${d}`, `${head_dim}`, `${bytes}`], { env }).status === 0;
  let [low, high] = [quick ? 1024 : 2048, 65536];
  if (!fits(low)) throw new Error(`PyTorch does not take n = ${low} in ${bytes} bytes`);
  while (high / low > (quick ? 2 : 1.01)) {
    const middle = Math.round(Math.sqrt(low * high));
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const names = quick ? settings.small.slice(0, 1) : [...settings.small, ...settings.inputs];
const [one, all] = [theirs(1, names), theirs(threads, names)];
const experiments = Object.fromEntries(names.map((name) => {
  const text = readFileSync(here(`inputs/${name}.json`), 'utf8');
  return [name, { torch: [one.seconds[name], all.seconds[name]], lipscope: ours(text) }];
}));
for (const shape of quick ? [] : settings.large) {
  const text = random(shape);
  const { n, d, heads, head_dim } = shape;
  experiments[`n${n}-d${d}-h${heads}-k${head_dim}`] = { lipscope: ours(text) };
}
const most = ourLargest(settings.largest);
const largest = {
  ...settings.largest, lipscope: most, torch: theirLargest(settings.largest), ...(quick ? {} : { run: measureLargest(most, settings.largest) }),
};
record('cores', { threads, torch: one.torch, experiments, largest });
