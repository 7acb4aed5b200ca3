// Training on the page: two kinds at small sizes, pausing, what the browser keeps, running backwards, files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { faults, pageTest, PHONE, ROOT, waitForStart } from './browser.mjs';
import { download, reveal, saved, show } from './reading.mjs';

const LOSSES = JSON.parse(readFileSync(`${ROOT}tests/data/train/losses.json`, 'utf8'));
const SMALL = {
  'train-blocks': '1', 'train-width': '16', 'train-heads': '2', 'train-context': '16',
  'train-steps': '60', 'train-batch': '4', 'train-every': '1',
};
/** A time limit so long that no slow machine reaches it. */
const LONG = { timeout: 280_000 };

async function fill(page, fields) {
  for (const [id, words] of Object.entries(fields)) {
    await reveal(page, `#${id}`);
    await page.fill(`#${id}`, words);
  }
}

const inPhase = (page, phase) => page.waitForSelector(`[data-testid="train-progress"][data-phase="${phase}"]`, { state: 'attached', ...LONG });
const stepsDone = (page) => page.getByTestId('train-progress').getAttribute('data-steps').then(Number);
const hasSteps = (page, least) => page.waitForFunction(
  (least) => Number(document.querySelector('[data-testid="train-progress"]')?.dataset.steps) >= least, least, LONG);

/** The rows of a run.jsonl of one layer, in the order of their steps. */
function runRows(log) {
  const [header, ...rows] = log.trim().split('\n').map((line) => JSON.parse(line));
  assert.equal(header.format, 'lipscope-run');
  for (const { layer, map } of rows) assert.deepEqual([layer, map], ['h.0', 'attention']);
  return rows;
}

/** The rows of a table of Models, each by the names of its columns. */
function rows(csv) {
  const [header, ...lines] = csv.trim().split('\n').map((line) => line.split(','));
  return lines.map((line) => Object.fromEntries(line.map((cell, i) => [header[i], cell])));
}

pageTest('two kinds are trained, paused, kept over a reload, taken up, run backwards and saved as files', { timeout: 600_000 }, async ({ page, requests }) => {
  await show(page, 'model');
  assert.ok(!requests().some((address) => address.includes('train_worker')), 'nobody pays for training before it is asked for');
  await show(page, 'train');
  await fill(page, SMALL);
  await page.click('#train-run');
  await hasSteps(page, 8);
  await page.click('#train-pause');
  await inPhase(page, 'paused');
  await page.waitForFunction(() => /Kept in this browser up to step/.test(document.querySelector('[data-testid="train-keeping"]')?.textContent ?? ''), undefined, LONG);
  // A pause lets the stretch under way end, and then saves every run: at rest when both states are younger than the last step.
  await page.waitForSelector('#train-go-on:visible', LONG);
  const atPause = await settledSteps(page);
  assert.ok(atPause >= 8 && atPause < 120, `${atPause} steps before the pause`);

  await page.reload();
  await waitForStart(page);
  await page.waitForSelector('[data-testid="train-offer"]:visible', LONG);
  assert.match(await page.getByTestId('train-offer').innerText(), /dot, step \d+ of 60; invertible, step \d+ of 60/);
  await page.click('#train-take-kept');
  await inPhase(page, 'done');
  assert.equal(await stepsDone(page), 120);
  assert.equal(await page.getByTestId('train-problem').isVisible(), false);

  for (const kind of ['dot', 'invertible']) {
    await page.click(`#train-show-${kind}`);
    const table = runRows(await saved(page, '#train-log-file'));
    assert.deepEqual(table.map(({ step }) => step), Array.from({ length: 61 }, (_, step) => step));
    const [first, last] = [table[0], table.at(-1)].map((row) => row.held_out);
    assert.ok(last < first - 0.2, `${kind}: held-out loss ${first} at first, ${last} at last`);
    for (const row of table) assert.ok(row.value <= row.bound, `${kind}, step ${row.step}: ${row.value} over its bound ${row.bound}`);
    LOSSES[kind].forEach((loss, i) => {
      const found = table[i + 1].loss;
      assert.ok(Math.abs(found - loss) < 1e-4, `${kind}, step ${i + 1}: ${found} in the browser, ${loss} natively`);
    });
  }
  // Invertible is chosen: its layer's constant is drawn, with its bound, over all steps.
  assert.match(await page.locator('#train-constants').getAttribute('aria-label'), /After step 60: layer 0 ‖J‖₂ = [\d.]+/);
  assert.match(await page.locator('#train-loss').getAttribute('aria-label'), /dot [\d.]+ at step 60, invertible [\d.]+ at step 60/);
  assert.ok((await page.getByTestId('train-sample').innerText()).length > 40);

  await page.click('#train-backwards-run');
  await page.waitForSelector('[data-testid="train-backwards-finding"][data-running="false"][data-characters="64"]', LONG);
  assert.equal(await page.getByTestId('train-backwards-finding').getAttribute('data-recovered'), '64');
  const texts = await page.locator('.train-texts dd').allInnerTexts();
  assert.equal(texts[0], texts[1]);

  await page.evaluate(() => { for (const fold of document.querySelectorAll('.train-view details:not(.export)')) fold.open = true; });
  assert.deepEqual(await faults(page), []);
  const config = JSON.parse(await saved(page, '#train-config-file'));
  assert.equal(config.lipscope.plan.kind, 'invertible');
  const weights = readFileSync(await (await download(page, '#train-weights-file')).path());
  const header = JSON.parse(weights.subarray(8, 8 + Number(weights.readBigUInt64LE(0))).toString('utf8'));
  assert.deepEqual(header['wte.weight'].shape, [66, 16]);
  assert.equal(config.model_type, 'lipscope');

  // The chosen model is opened and measured without a file of the reader's: the norm of its window is that of training.
  const last = runRows(await saved(page, '#train-log-file')).at(-1);
  await page.click('#train-open-model');
  await page.waitForFunction(() => /1 layer,.*L2 attention, no norms;/.test(document.querySelector('[data-testid="model-description"]')?.textContent ?? '')
    && /invertible-1-seed0/.test(document.querySelector('[data-testid="model-facts"]')?.textContent ?? ''), undefined, LONG);
  assert.equal(await page.locator('#model-lengths').inputValue(), '2:16:2');
  await reveal(page, '#model-lengths');
  await page.fill('#model-lengths', '16');
  await page.fill('#model-windows', '1');
  await page.click('#model-run');
  await page.waitForSelector('[data-testid="model-progress"][data-phase="done"]', { state: 'attached', ...LONG });
  const [window] = rows(await saved(page, '#model-csv'));
  const [norm, expected] = [Number(window.spectral), last.value];
  assert.ok(Math.abs(norm - expected) < 1e-5 * expected, `${norm} in Models, ${expected} in training`);
  await show(page, 'train');

  await page.click('#train-delete');
  await page.waitForFunction(() => /Nothing of this training is kept/.test(document.querySelector('[data-testid="train-keeping"]').textContent), undefined, LONG);
  await page.reload();
  await waitForStart(page);
  await page.waitForSelector('#train-run:visible', LONG);
  assert.equal(await page.evaluate(async () => (await (await caches.open('lipscope-training')).keys()).length), 0);
  assert.equal(await page.getByTestId('train-offer').isVisible(), false);
});

pageTest('two workers share each step, and training goes on with the same digits when one of them stops', { timeout: 300_000, hash: '#v3&plot=train' }, async ({ page }) => {
  await page.waitForSelector('#train-run:visible', LONG);
  await page.uncheck('#train-kind-invertible');
  await fill(page, SMALL);
  await page.click('#train-run');
  const workers = () => page.workers().filter((worker) => worker.url().includes('train_worker'));
  await until(() => workers().length === 2);
  const second = workers()[1];
  // Requests arrive as messages. After a few of them, the worker ends itself silently.
  await second.evaluate(() => { self.asked = 0; self.addEventListener('message', () => { self.asked += 1; if (self.asked === 5) self.close(); }); });
  await until(() => workers().length === 1);
  await inPhase(page, 'done');
  assert.equal(await page.getByTestId('train-problem').isVisible(), false);
  const table = runRows(await saved(page, '#train-log-file'));
  LOSSES.dot.forEach((loss, i) => assert.ok(Math.abs(table[i + 1].loss - loss) < 1e-4, `step ${i + 1}`));
});

pageTest('the training of the newest tab is the one that is kept, and the other tab says so', { timeout: 600_000, hash: '#v3&plot=train', context: {} }, async ({ page, context, url }) => {
  const keeps = (tab, pattern) => tab.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('[data-testid="train-keeping"]')?.textContent ?? ''), pattern.source, LONG);
  const begin = async (tab) => {
    await tab.waitForSelector('#train-run:visible', LONG);
    await tab.uncheck('#train-kind-invertible');
    await fill(tab, { ...SMALL, 'train-steps': '9000' });
    await tab.click('#train-run');
    await keeps(tab, /Kept in this browser up to step/);
  };
  await begin(page);
  const second = await context.newPage();
  await second.goto(`${url}#v3&plot=train`);
  await begin(second);
  await keeps(page, /Another tab of this page has started a training/);
  await second.reload();
  await second.waitForSelector('[data-testid="train-offer"]:visible', LONG);
  assert.match(await second.getByTestId('train-offer').innerText(), /dot, step \d+ of 9000/);
  const kept = await second.evaluate(async () => (await (await caches.open('lipscope-training')).keys()).map(({ url }) => url.split('/').at(-2)));
  assert.equal(new Set(kept).size, 1, `one training, not ${kept}`);
});

/** Waits until `isSo` returns true. */
async function until(isSo) {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The steps that are done, once two looks a second apart see the same number. */
async function settledSteps(page) {
  for (let before = -1; ;) {
    const now = await stepsDone(page);
    if (now === before) return now;
    before = now;
    await page.waitForTimeout(1000);
  }
}

pageTest('what cannot be trained is said in a sentence, and a phone has room for the form', { viewport: PHONE, hash: '#v3&plot=train' }, async ({ page }) => {
  const says = (pattern) => page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('[data-testid="train-problem"]:not([hidden])')?.textContent ?? ''), pattern.source, LONG);
  await page.waitForSelector('#train-run:visible', LONG);
  assert.deepEqual(await faults(page), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the phone');
  await fill(page, { 'train-width': '10', 'train-heads': '3' });
  await page.click('#train-run');
  await says(/divisor of the width 10/);
  await fill(page, { ...SMALL, 'train-c': '1.5' });
  await page.click('#train-run');
  await says(/above 0 and below 1/);
  await fill(page, { 'train-c': '0.9', 'train-text': 'to be or not to be' });
  await page.click('#train-run');
  await says(/18 characters long/);
  for (const kind of ['dot', 'invertible']) await page.uncheck(`#train-kind-${kind}`);
  await page.click('#train-run');
  await says(/Tick at least one/);
});
