// The view of models: the log of a monitored run, opened, dropped, read again, and a second one beside it.
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faults, MOST_TASK_MS, mainThreadTasks, pageTest, PHONE, ROOT } from './browser.mjs';
import { drop, reveal, saved, show } from './reading.mjs';

const EXAMPLE = `${ROOT}assets/run.jsonl`;

const step = (page) => page.getByTestId('run-step').getAttribute('data-value');
const isAtStep = (page, value) => page.waitForFunction(
  (value) => document.querySelector('[data-testid=run-step]')?.dataset.value === value, value, { timeout: 20_000 });
const readout = (page) => page.getByTestId('run-readout').innerText();
const says = (page, pattern) => page.waitForFunction(
  (source) => new RegExp(source).test(document.querySelector('[data-testid="run-problem"]:not([hidden])')?.textContent ?? ''),
  pattern.source,
  { timeout: 20_000 },
);

/** The row of a layer at a step, as the log has it. */
function row(at, layer, map = 'block') {
  const rows = readFileSync(EXAMPLE, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  return rows.find((row) => row.step === at && row.layer === layer && row.map === map);
}

async function openExample(page) {
  await show(page, 'model');
  await page.click('#run-example');
  await isAtStep(page, '600');
}

/** Uses a copy of the example, which may be changed; it is removed afterwards. */
async function withCopy(use) {
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-run-'));
  try {
    const copy = join(folder, 'mine.jsonl');
    copyFileSync(EXAMPLE, copy);
    await use(copy, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

pageTest('the example shows its layers over the steps, and keys choose a step and a layer', async ({ page, requests }) => {
  await show(page, 'model');
  assert.ok(!requests().some((address) => address.endsWith('run.jsonl')), 'nobody pays for the example before asking for it');
  await page.click('#run-example');
  await isAtStep(page, '600');
  assert.equal(await page.getByTestId('run-readout-about').innerText(), 'run.jsonl: model Gpt, 4 layers, steps 0 to 600');
  const { value, loss } = row(600, 'blocks.0');
  assert.match(await readout(page), /^step 600, blocks\.0: L ≥ \d/);
  assert.ok((await readout(page)).includes(value.toPrecision(4).slice(0, 4)) && (await readout(page)).includes(String(loss).slice(0, 4)), await readout(page));
  await page.focus('#run-plot');
  await page.keyboard.press('ArrowLeft');
  await isAtStep(page, '570');
  await page.keyboard.press('ArrowDown');
  assert.match(await readout(page), /^step 570, blocks\.1: /);
  await page.keyboard.press('Home');
  await isAtStep(page, '0');
  await page.keyboard.press('End');
  await isAtStep(page, '600');
  assert.match(await page.getAttribute('#run-plot', 'aria-label'), /^L of 4 layers by colour over 21 steps of training, map block\./);
});

pageTest('pointer, slider and buttons choose the step', async ({ page }) => {
  await openExample(page);
  const { width, height } = await page.locator('#run-plot').boundingBox();
  await page.locator('#run-plot').click({ position: { x: width / 2, y: height / 2 } });
  const middle = Number(await step(page));
  assert.ok(middle > 150 && middle < 450 && middle % 30 === 0, `${middle}`);
  await page.click('#run-on');
  await isAtStep(page, String(middle + 30));
  await page.click('#run-back');
  await isAtStep(page, String(middle));
  await page.fill('#run-step', '2');
  await isAtStep(page, '60');
  assert.equal(await page.getAttribute('#run-step', 'aria-valuetext'), 'step 60');
});

pageTest('play goes through the steps to the last one', async ({ page }) => {
  await openExample(page);
  await page.click('#run-play');
  assert.equal(await page.locator('#run-play').innerText(), 'Pause');
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=run-step]').dataset.value) < 600);
  await isAtStep(page, '600');
  assert.equal(await page.locator('#run-play').innerText(), 'Play');
});

pageTest('with reduced motion there are steps only', { reducedMotion: 'reduce' }, async ({ page }) => {
  await openExample(page);
  assert.ok(await page.locator('#run-play').isHidden());
  await page.click('#run-back');
  await isAtStep(page, '570');
});

pageTest('map, column, layer and lines are chosen, and the table has their numbers', async ({ page }) => {
  await openExample(page);
  await page.selectOption('#run-map', 'attention');
  await page.selectOption('#run-column', 'max_logit');
  await page.selectOption('#run-layer', 'blocks.2');
  assert.match(await page.getAttribute('#run-plot', 'aria-label'), /^max_logit of 4 layers .* map attention\./);
  assert.match(await readout(page), /^step 600, blocks\.2: /);
  const height = async () => (await page.locator('#run-plot').boundingBox()).height;
  const before = await height();
  await page.check('#run-line-entropy_mean');
  await page.check('#run-line-condition');
  await page.waitForFunction((before) => document.querySelector('#run-plot').offsetHeight > before + 250, before);
  await reveal(page, '#run-table .table-fold-rows');
  const table = page.locator('#run-table table');
  assert.match(await table.locator('thead').innerText(), /layer\s+kind\s+L\s+residual\s+condition\s+output\s+max_logit/);
  assert.equal(await table.locator('tbody tr').count(), 4);
  const csv = await saved(page, '#run-table .table-fold-tools button:nth-of-type(2)');
  assert.ok(csv.includes(`blocks.2,`) && csv.includes('entropy_mean') && csv.includes('loss'), csv.slice(0, 400));
  assert.ok(csv.includes(String(row(600, 'blocks.2', 'attention').max_logit)), 'the file has every digit of the log');
});

pageTest('heads are tiles of layers by heads at the chosen step', async ({ page }) => {
  await openExample(page);
  await page.selectOption('#run-heads-column', 'sink');
  await page.focus('#run-heads');
  await page.keyboard.press('Home');
  const { heads } = row(600, 'blocks.0', 'attention');
  assert.match(await page.getByTestId('run-heads-readout').innerText(), new RegExp(`^blocks\\.0, head 0: ${heads.sink[0].toPrecision(4).slice(0, 4)}`));
  assert.match(await page.getAttribute('#run-heads', 'aria-label'), /^sink of single heads at step 600: 4 layers, 4 heads\./);
});

pageTest('a log is opened, and one that has grown is read again', async ({ page }) => {
  await withCopy(async (copy) => {
    await show(page, 'model');
    await page.setInputFiles('#run-file', copy);
    await isAtStep(page, '600');
    assert.match(await page.getByTestId('run-readout-about').innerText(), /^mine\.jsonl: /);
    await page.click('#run-reload');
    await page.waitForFunction(() => document.querySelector('#run-reload').closest('.model-row').querySelector('[role=status]').textContent === '');
    assert.equal(await step(page), '600');
    appendFileSync(copy, `${JSON.stringify({ ...row(600, 'blocks.0'), step: 630 })}\n`);
    // A browser does not give a chosen file that has changed: the reader opens it again.
    await page.setInputFiles('#run-file', copy);
    await isAtStep(page, '630');
  });
});

pageTest('a second log stands beside the first one with the same step, until it is removed', async ({ page }) => {
  await withCopy(async (copy) => {
    await openExample(page);
    await page.setInputFiles('#run-file-beside', copy);
    await page.waitForSelector('#run-plot-beside');
    await page.focus('#run-plot-beside');
    await page.keyboard.press('ArrowLeft');
    await isAtStep(page, '570');
    for (const id of ['run-readout', 'run-readout-beside']) {
      assert.match(await page.getByTestId(id).innerText(), /^step 570, blocks\.0: /);
    }
    const [left, right] = await Promise.all(['#run-plot', '#run-plot-beside'].map((id) => page.locator(id).boundingBox()));
    assert.ok(Math.abs(left.y - right.y) < 2 && right.x > left.x + left.width / 2, JSON.stringify({ left, right }));
    await page.click('#run-close');
    await page.waitForSelector('#run-plot-beside', { state: 'detached' });
  });
});

pageTest('a dropped log is opened, and another one goes beside it', async ({ page }) => {
  await withCopy(async (copy) => {
    await show(page, 'model');
    await page.waitForSelector('#run-file', { state: 'attached' });
    await drop(page, EXAMPLE);
    await isAtStep(page, '600');
    await drop(page, copy);
    await page.waitForSelector('#run-plot-beside');
    assert.match(await page.getByTestId('run-readout-beside-about').innerText(), /^mine\.jsonl: /);
  });
});

pageTest('a file that is no log is refused with its line and field', async ({ page }) => {
  await withCopy(async (copy, folder) => {
    await show(page, 'model');
    const bad = join(folder, 'bad.jsonl');
    writeFileSync(bad, `${JSON.stringify(row(0, 'blocks.0'))}\n{"step":1,"layer":"h","map":"block","value":"a"}\n`);
    await page.setInputFiles('#run-file', bad);
    await says(page, /^bad\.jsonl cannot be read: in line 2, .value. is "a", but it must be a number/);
    writeFileSync(bad, '');
    await page.setInputFiles('#run-file', bad);
    await says(page, /it has no rows of a run/);
    // NaN, as Python writes it, is no number.
    writeFileSync(bad, `${JSON.stringify(row(0, 'blocks.0')).replace(/"value":[0-9.]+/, '"value":NaN')}\n`);
    await page.setInputFiles('#run-file', bad);
    await page.waitForSelector('#run-plot');
    assert.ok(await page.getByTestId('run-problem').isHidden());
    assert.match(await readout(page), /step 0/);
  });
});

pageTest('a large log is read without a long task', { timed: true }, async ({ page }) => {
  await withCopy(async (copy) => {
    await show(page, 'model');
    const [, ...lines] = readFileSync(EXAMPLE, 'utf8').trim().split('\n');
    for (let at = 1; at < 40; at += 1) {
      appendFileSync(copy, `${lines.map((line) => JSON.stringify({ ...JSON.parse(line), step: JSON.parse(line).step + 630 * at })).join('\n')}\n`);
    }
    const tasks = await mainThreadTasks(page, async () => {
      await page.setInputFiles('#run-file', copy);
      await isAtStep(page, String(600 + 630 * 39));
    });
    assert.ok(tasks[0].cpu < MOST_TASK_MS, `a task of ${tasks[0].cpu} ms`);
  });
});

pageTest('the part has no faults, on a phone too', { viewport: PHONE }, async ({ page }) => {
  await openExample(page);
  assert.deepEqual(await faults(page), []);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0);
});

pageTest('in Chinese the part is in Chinese', { hash: '?lang=zh#v3&plot=model' }, async ({ page }) => {
  await page.click('#run-example');
  await isAtStep(page, '600');
  assert.match(await readout(page), /^步 600，blocks\.0：L ≥ \d/);
  assert.match(await page.getAttribute('#run-plot', 'aria-label'), /^以颜色表示 4 层/);
});
