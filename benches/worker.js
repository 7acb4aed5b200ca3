// Runs in a dedicated worker: times the engine's WebAssembly for benches/browser.mjs. One job per message, one reply
// each.
import start, { Case, Product, measure_once } from './browser.js';

const SAMPLE_MS = 20;
const LEAST_SAMPLES = 5;
const MOST_MS = 4000;

let memory;

/** Milliseconds a call: the least and the median of samples that are long against the clock's resolution. */
function time(call) {
  call();
  let repeats = 1;
  let began = performance.now();
  call();
  const once = performance.now() - began;
  if (once < SAMPLE_MS) repeats = Math.ceil(SAMPLE_MS / Math.max(once, 0.005));
  const samples = [];
  const end = performance.now() + MOST_MS;
  do {
    began = performance.now();
    for (let i = 0; i < repeats; i++) call();
    samples.push((performance.now() - began) / repeats);
  } while (samples.length < LEAST_SAMPLES || (samples.length < 11 && performance.now() < end));
  samples.sort((a, b) => a - b);
  return { least: samples[0], median: samples[samples.length >> 1] };
}

const jobs = {
  async load() {
    ({ memory } = await start());
  },

  experiment({ text, tolerance, looseTolerance }) {
    const bench = new Case(text);
    const result = {
      apply: time(() => bench.apply()),
      apply_transpose: time(() => bench.apply_transpose()),
      inputs: time(() => bench.inputs()),
      measure: time(() => bench.measure(0, 0)),
      measure_loose: time(() => bench.measure(looseTolerance, 0)),
      window: time(() => bench.window(tolerance)),
      window_loose: time(() => bench.window(looseTolerance)),
    };
    bench.free();
    return result;
  },

  product({ shape: [m, n, k, transposed], bits, kernels }) {
    const product = new Product(m, n, k, transposed);
    const gigaflops = {};
    let sum;
    for (const kernel of kernels) {
      const { least } = time(() => product.run(kernel, bits, 1));
      gigaflops[kernel] = (2e-6 * m * n * k) / least;
      const found = product.checksum(bits);
      sum ??= found;
      if (Math.abs(found - sum) > 1e-4 * Math.abs(sum)) throw new Error(`${kernel} gives ${found}, ${kernels[0]} gives ${sum}`);
    }
    product.free();
    return gigaflops;
  },

  // A whole measurement by dense SVD and by Lanczos, on the same experiment.
  limit({ text }) {
    const bench = new Case(text);
    const times = { svd: time(() => bench.measure(0, 100000)).least, lanczos: time(() => bench.measure(0, 1)).least };
    bench.free();
    return times;
  },

  // The fastest of some whole measurements; in a worker of its own, because WebAssembly memory never shrinks.
  large({ text, tolerance, count }) {
    const times = [];
    let result;
    for (let round = 0; round < count; round++) {
      const began = performance.now();
      result = JSON.parse(measure_once(text, tolerance));
      times.push(performance.now() - began);
    }
    const { iterations, relative_residual } = result;
    return { milliseconds: Math.min(...times), bytes: memory.buffer.byteLength, iterations, relative_residual };
  },

  // In a worker of its own for the same reason.
  memory({ text }) {
    const began = performance.now();
    const result = JSON.parse(measure_once(text, 0));
    return { bytes: memory.buffer.byteLength, milliseconds: performance.now() - began, iterations: result.iterations };
  },
};

addEventListener('message', async ({ data }) => {
  try {
    postMessage({ value: await jobs[data.job](data) });
  } catch (error) {
    postMessage({ error: `${error.stack ?? error}` });
  }
});
