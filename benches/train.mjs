// Measures a step of training in Chromium and natively on one thread, in turns: node benches/train.mjs LIPSCOPE [quick]
// LIPSCOPE is the release build of the command line; the page is the built site (LIPSCOPE_DIST). Both train the same model on
// the text that comes with the page. Only the steps after the first few are timed, without the start and the measurements;
// natively this is the time of a long run minus that of a short one. The page's time includes the messages with which it orders
// more steps.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { launch, openPage, shutDown } from '../tests/e2e/browser.mjs';
import { reveal } from '../tests/e2e/reading.mjs';
import { record } from './record.mjs';

const [lipscope, quick] = process.argv.slice(2);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { train: { blocks, width, heads, context, batch, steps, rounds } } = JSON.parse(readFileSync(here('settings.json'), 'utf8'));
const [few, many] = quick ? [2, 6] : steps;
/** A time limit so long that no slow machine reaches it. */
const LONG = { timeout: 600_000 };

/** Seconds of a run on one thread, its start included. */
function run(count) {
  const out = mkdtempSync(`${tmpdir()}/train-`);
  const sizes = { blocks, width, heads, context, batch, steps: count, every: count };
  const options = Object.entries(sizes).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  try {
    const began = performance.now();
    execFileSync(lipscope, ['train', '--threads', '1', '--text', here('../assets/alice.txt'), '-o', out, ...options], { stdio: 'ignore' });
    return (performance.now() - began) / 1e3;
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** Milliseconds a step on the page, from step `few` to step `many`. */
async function onPage() {
  const { page, close } = await openPage({ hash: '#v3&plot=train' });
  await page.waitForSelector('#train-run:visible', LONG);
  await page.uncheck('#train-kind-invertible');
  const fields = { blocks, width, heads, context, batch, steps: many, every: many };
  for (const [name, value] of Object.entries(fields)) {
    await reveal(page, `#train-${name}`);
    await page.fill(`#train-${name}`, `${value}`);
  }
  await page.evaluate(() => {
    const progress = document.querySelector('[data-testid="train-progress"]');
    const seen = [];
    window.__seen = seen;
    new MutationObserver(() => seen.push([Number(progress.dataset.steps), performance.now()]))
      .observe(progress, { attributes: true, attributeFilter: ['data-steps'] });
  });
  await page.click('#train-run');
  await page.waitForSelector('[data-testid="train-progress"][data-phase="done"]', { state: 'attached', ...LONG });
  const seen = await page.evaluate(() => window.__seen);
  await close();
  const [first, last] = [seen.find(([step]) => step >= few), seen.at(-1)];
  return (last[1] - first[1]) / (last[0] - first[0]);
}

try {
  const native = [];
  const browser = [];
  for (let round = 0; round < (quick ? 1 : rounds); round++) {
    native.push((1e3 * (run(many) - run(few))) / (many - few));
    browser.push(await onPage());
  }
  const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
  const found = {
    blocks, width, heads, context, batch, chromium: (await launch()).version(),
    native: median(native), browser: median(browser), ratio: median(browser.map((time, round) => time / native[round])),
  };
  record('train', found);
  console.log(JSON.stringify(found));
} finally {
  await shutDown();
}
