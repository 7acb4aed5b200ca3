// The page uses the cores that there are: which workers take part in a sweep and in the windows of a model, and that the digits
// are those of one worker.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { openPage, ROOT, waitForStart } from './browser.mjs';
import { watchEngine } from './engine.mjs';
import { changed, exported, openControls, reveal, saved, show, swept, type } from './reading.mjs';

/** A page whose browser says that there are `cores` cores. */
function coresTest(name, cores, body) {
  test(name, { timeout: 300_000 }, async () => {
    const opened = await openPage({ started: false });
    try {
      await opened.context.addInitScript(watchEngine, cores);
      await opened.page.reload();
      await waitForStart(opened.page);
      await openControls(opened.page);
      await changed(opened.page, 'spectral');
      // Random tokens have several draws at each length.
      await opened.page.selectOption('#distribution', 'ball');
      await opened.page.selectOption('#weights', 'random');
      await opened.page.waitForTimeout(250);
      await swept(opened.page);
      await body(opened.page);
      assert.deepEqual(await opened.problems(), []);
    } finally {
      await opened.close();
    }
  });
}

/** Sets a control of the sweep, and waits until the sweep that it asks for is over. */
async function sweep(page, id, value) {
  await page.evaluate(() => { window.__engine.sweeps = []; });
  await type(page, id, value);
  await page.waitForFunction(() => window.__engine.sweeps.some(({ what }) => what === 'ordered'), undefined, { timeout: 60_000 });
  await swept(page);
  const sweeps = await page.evaluate(() => window.__engine.sweeps);
  return new Set(sweeps.filter(({ what }) => what === 'points').map(({ worker }) => worker));
}

/** [n, norm] of every point, in the order of the page's file. */
async function drawn(page) {
  await show(page, 'growth');
  const lines = (await saved(page, '#export-growth [data-export="csv"]')).trim().split(/\r?\n/).map((line) => line.split(','));
  return lines.filter(([series]) => series === 'draws').map((cells) => [2, 3].map((at) => Number(cells[at])));
}

/** The points of the same sweep by the command line. */
function sweptOnCommandLine(experiment, lengths, draws) {
  const binary = process.env.LIPSCOPE_BIN ?? `${ROOT}target/debug/lipscope`;
  const given = ['sweep', '-', '--lengths', lengths.join(','), '--draws', String(draws)];
  const { status, stdout, stderr } = spawnSync(binary, given, { input: JSON.stringify(experiment), encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const [header, ...rows] = stdout.trim().split(/\r?\n/).filter((line) => !line.startsWith('#')).map((line) => line.split(','));
  const [n, spectral] = ['n', 'spectral'].map((name) => header.indexOf(name));
  return rows.map((row) => [Number(row[n]), Number(row[spectral])]);
}

let onOneCore;

coresTest('on one core one worker does a sweep', 1, async (page) => {
  assert.equal((await sweep(page, 'sweep-max-number', '300')).size, 1);
  onOneCore = await drawn(page);
  assert.ok(onOneCore.length > 100, `${onOneCore.length} points`);
});

coresTest('on four cores four workers share a sweep, in order and to the digits of one worker and of the command line', 4, async (page) => {
  const workers = await sweep(page, 'sweep-max-number', '300');
  assert.equal(workers.size, 4, `workers ${[...workers].join(', ')}`);
  const points = await drawn(page);
  assert.deepEqual(points, onOneCore);
  const lengths = [...new Set(points.map(([n]) => n))];
  const found = sweptOnCommandLine(await exported(page), lengths, points.length / lengths.length);
  assert.deepEqual(points.map(([n]) => n), found.map(([n]) => n));
  points.forEach(([n, norm], at) => assert.ok(Math.abs(norm - found[at][1]) <= 1e-12 * norm, `n = ${n}: ${norm} and ${found[at][1]}`));
  const { most } = await page.evaluate(() => window.__engine);
  assert.ok(most <= 5, `${most} workers on four cores`);
});

coresTest('a number is measured while all cores sweep', 2, async (page) => {
  await type(page, 'sweep-max-number', '1024');
  await page.waitForSelector('.page[data-sweep="running"]');
  const before = await page.getByTestId('spectral').first().getAttribute('data-value');
  await type(page, 'n-number', '37');
  await changed(page, 'spectral', before);
  assert.equal(await page.locator('.page').getAttribute('data-sweep'), 'running', 'the sweep was over before the number was there');
  // One worker for each lane at work: the number, the ball, the sweep, the bounds over n.
  const { most } = await page.evaluate(() => window.__engine);
  assert.ok(most <= 4, `${most} workers on two cores`);
});

/** The table of a small drawn model, measured on a page whose browser says that there are `cores` cores. */
async function modelTable(cores) {
  const { context, page, problems, close } = await openPage({ started: false });
  try {
    await context.addInitScript(watchModelWorkers, cores);
    await page.reload();
    await show(page, 'model');
    const plan = {
      'model-d': '64', 'model-depth': '3', 'model-heads': '4', 'model-layers': '0,1,2', 'model-lengths': '20:40:2', 'model-windows': '4',
    };
    for (const [id, words] of Object.entries(plan)) {
      await reveal(page, `#${id}`);
      await page.fill(`#${id}`, words);
    }
    await page.waitForFunction(() => Number(document.querySelector('[data-testid="model-tokens"]')?.dataset.value) > 0, undefined, { timeout: 60_000 });
    await page.click('#model-run');
    await page.waitForSelector('[data-testid="model-progress"][data-phase="done"]', { timeout: 120_000 });
    assert.equal(await page.evaluate(() => window.__measuring.size), cores, 'workers that were given windows');
    const table = await saved(page, '#model-csv');
    assert.deepEqual(await problems(), []);
    return table;
  } finally {
    await close();
  }
}

/**
 * Runs in the page before its own scripts: the browser says that there are `cores` cores, and `__measuring` holds the models'
 * workers that were given windows. No worker begins before `cores` workers have windows: otherwise the first one could measure
 * all windows before the last one has started.
 */
function watchModelWorkers(cores) {
  Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => cores });
  const measuring = new Set();
  Object.defineProperty(window, '__measuring', { value: measuring });
  // The place of batches in `ModelTasks` (crates/protocol/src/models/mod.rs).
  const BATCH = 1;
  const held = [];
  const Native = window.Worker;
  window.Worker = class extends Native {
    constructor(url, ...given) {
      super(url, ...given);
      this.isModels = /model_worker/.test(url);
    }

    postMessage(message, ...given) {
      const send = () => super.postMessage(message, ...given);
      if (!this.isModels) return send();
      const view = new Uint8Array(message.bytes);
      let at = 1;
      while (view[at] & 0x80) at += 1;
      // Only orders to measure a batch of windows are held back.
      if (view[0] !== 0 || view[at + 1] !== BATCH) return send();
      measuring.add(this);
      held.push(send);
      if (measuring.size >= cores) held.splice(0).forEach((send) => send());
    }
  };
}

test('the windows of a model are shared by three workers, and the table is that of one', { timeout: 300_000 }, async () => {
  const table = await modelTable(3);
  assert.equal(table.trim().split('\n').length, 1 + 3 * 11 * 4, table);
  assert.equal(table, await modelTable(1));
});
