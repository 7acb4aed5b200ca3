// Measures the engine in Chromium, in a dedicated worker: node benches/browser.mjs FOLDER [PART...]
// FOLDER holds browser.js and browser_bg.wasm, as benches/run.sh builds them. The parts are experiments, products,
// limit, large and memory.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch, shutDown } from '../tests/e2e/browser.mjs';
import { startServer } from '../tests/e2e/server.mjs';
import { record } from './record.mjs';

const [folder, ...parts] = process.argv.slice(2);
const wants = (part) => parts.length === 0 || parts.includes(part);
const here = fileURLToPath(new URL('.', import.meta.url));

const settings = JSON.parse(readFileSync(`${here}settings.json`, 'utf8'));
const KERNELS = ['engine', 'faer', 'nalgebra', 'loop'];
const random = ({ n, d, heads }) => JSON.stringify({
  tokens: { source: 'random', distribution: 'gaussian', n, d, radius: Math.sqrt(d), seed: 0 },
  weights: { source: 'random', heads, head_dim: d / heads, seed: 0 },
});

async function inWorker(server, body) {
  const page = await (await launch()).newPage();
  await page.goto(`${server.url}bench.html`);
  await page.evaluate(() => {
    const worker = new Worker('worker.js', { type: 'module' });
    window.ask = (data) => new Promise((resolve, reject) => {
      worker.onmessage = ({ data: { value, error } }) => (error ? reject(new Error(error)) : resolve(value));
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage(data);
    });
  });
  const ask = (job, data = {}) => page.evaluate((message) => window.ask(message), { job, ...data });
  try {
    await ask('load');
    return await body(ask);
  } finally {
    await page.close();
  }
}

async function engine() {
  copyFileSync(`${here}worker.js`, `${folder}/worker.js`);
  writeFileSync(`${folder}/bench.html`, '<!doctype html><title>bench</title>');
  const server = await startServer({ root: folder });
  const found = {};
  try {
    if (wants('experiments')) {
      found.experiments = await inWorker(server, async (ask) => {
        const rows = {};
        for (const file of readdirSync(`${here}inputs`).sort()) {
          const text = readFileSync(`${here}inputs/${file}`, 'utf8');
          rows[file.replace('.json', '')] = await ask('experiment', { text, tolerance: settings.tolerance, looseTolerance: settings.loose_tolerance });
        }
        return rows;
      });
    }
    if (wants('products')) {
      found.products = await inWorker(server, async (ask) => {
        const rows = [];
        for (const shape of settings.products) {
          const row = { shape };
          for (const bits of [64, 32]) row[`f${bits}`] = await ask('product', { shape, bits, kernels: KERNELS });
          rows.push(row);
        }
        return rows;
      });
    }
    if (wants('limit')) {
      found.limit = await inWorker(server, async (ask) => {
        const rows = [];
        const { n: lengths, ...shape } = settings.limit;
        for (const n of lengths) rows.push({ size: shape.d * n, ...(await ask('limit', { text: random({ ...shape, n }) })) });
        return rows;
      });
    }
    if (wants('large')) {
      const { tolerance, repeats, ...shape } = settings.large;
      found.large = [];
      for (const [n, count] of Object.entries(repeats)) {
        const text = random({ ...shape, n: Number(n) });
        found.large.push({ n: Number(n), ...(await inWorker(server, (ask) => ask('large', { text, tolerance, count }))) });
      }
    }
    if (wants('memory')) found.memory = await inWorker(server, (ask) => ask('memory', { text: random(settings.memory) }));
  } finally {
    await server.close();
  }
  return found;
}

try {
  const found = await engine();
  record('browser', { chromium: (await launch()).version(), ...found });
} finally {
  await shutDown();
}
