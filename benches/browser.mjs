// Measures the engine in Chromium, in a dedicated worker, and the built site: node benches/browser.mjs FOLDER OUT.json
// FOLDER holds browser.js and browser_bg.wasm, as benches/run.sh builds them.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { DIST, launch, openPage, shutDown } from '../tests/e2e/browser.mjs';
import { startServer } from '../tests/e2e/server.mjs';

const [folder, out, ...parts] = process.argv.slice(2);
const wants = (part) => parts.length === 0 || parts.includes(part);
const here = fileURLToPath(new URL('.', import.meta.url));

/** Rows, columns, inner length of the products of J v, and whether the left factor is transposed. */
const PRODUCTS = [
  [2304, 100, 768, false], [768, 100, 2304, true], [100, 100, 64, true], [64, 100, 100, false],
  [64, 64, 8, true], [8, 64, 64, false], [16, 16, 8, true], [256, 256, 16, true], [1024, 64, 64, true], [64, 64, 1024, false],
];
const KERNELS = ['engine', 'faer', 'nalgebra', 'loop'];
const TOLERANCE = 1e-10;
const LOOSE_TOLERANCE = 3e-4;
const random = (n, d, heads, k) => JSON.stringify({
  tokens: { source: 'random', law: 'gaussian', n, d, radius: Math.sqrt(d), seed: 0 },
  weights: { source: 'random', heads, head_dim: k, seed: 0 },
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
          rows[file.replace('.json', '')] = await ask('experiment', { text, tolerance: TOLERANCE, looseTolerance: LOOSE_TOLERANCE });
        }
        return rows;
      });
    }
    if (wants('products')) {
      found.products = await inWorker(server, async (ask) => {
        const rows = [];
        for (const shape of PRODUCTS) {
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
        for (const n of [4, 8, 12, 16, 24, 32, 48, 64]) rows.push({ size: 8 * n, ...(await ask('limit', { text: random(n, 8, 1, 8) })) });
        return rows;
      });
    }
    if (wants('memory')) found.memory = await inWorker(server, (ask) => ask('memory', { text: random(4096, 64, 1, 64) }));
  } finally {
    await server.close();
  }
  return found;
}

/** Milliseconds from an `input` event to the new number on screen: its text has changed, and a frame has begun after that. */
async function latency() {
  const { page, close } = await openPage();
  try {
    const spectral = page.locator('[data-testid="spectral"]');
    await spectral.waitFor();
    await page.selectOption('#law', 'ball');
    await page.selectOption('#weights', 'random');
    for (const [id, value] of [['n', 64], ['d', 8]]) {
      await page.fill(`#${id}-number`, `${value}`);
      await page.press(`#${id}-number`, 'Enter');
    }
    await page.waitForTimeout(1500);
    return await page.evaluate(async (rounds) => {
      const number = () => document.querySelector('[data-testid="spectral"]').textContent;
      const input = document.querySelector('#radius');
      const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const samples = [];
      let timeouts = 0;
      // Steps of the slider to its neighbours, up and down, so that every move changes the number.
      const start = Math.round(0.4 * Number(input.min) + 0.6 * Number(input.max));
      for (let round = 0; round < rounds; round++) {
        // At a random time within a frame, as for a user.
        await new Promise((resolve) => setTimeout(resolve, 120 + Math.random() * 40));
        const before = number();
        const changed = new Promise((resolve) => {
          const observer = new MutationObserver(() => {
            if (number() !== before) { observer.disconnect(); resolve(true); }
          });
          observer.observe(document.body, { subtree: true, childList: true, characterData: true });
          setTimeout(() => { observer.disconnect(); resolve(false); }, 2000);
        });
        const began = performance.now();
        setValue.call(input, `${start + (round % 8 < 4 ? round % 4 : 4 - (round % 4))}`);
        input.dispatchEvent(new Event('input', { bubbles: true }));
        if (await changed) {
          const text = performance.now() - began;
          await frame();
          samples.push({ text, frame: performance.now() - began });
        } else {
          timeouts++;
        }
      }
      const quantile = (key, q) => samples.map((sample) => sample[key]).sort((a, b) => a - b)[Math.floor(q * (samples.length - 1))];
      const of = (key) => ({ median: quantile(key, 0.5), p95: quantile(key, 0.95) });
      return { n: samples.length, timeouts, text: of('text'), frame: of('frame') };
    }, 80);
  } finally {
    await close();
  }
}

function sizes() {
  const found = {};
  for (const name of readdirSync(DIST)) {
    if (!/\.(wasm|js)$/.test(name)) continue;
    const key = `${name.startsWith('worker') ? 'worker' : 'page'} ${name.split('.').pop()}`;
    const packed = brotliCompressSync(readFileSync(`${DIST}/${name}`), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
    found[key] = (found[key] ?? 0) + packed;
  }
  return found;
}

try {
  const found = await engine();
  found.chromium = (await launch()).version();
  if (wants('page')) {
    try {
      found.sizes = sizes();
      found.latency = await latency();
    } catch (error) {
      found.page_problem = error.message.split('\n')[0];
    }
  }
  writeFileSync(out, JSON.stringify(found, null, 2));
} finally {
  await shutDown();
}
