// The figures of models, over tables that the command line wrote: fits, windows by keyboard, pictures and files.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { faults, mainThreadTasks, MOST_TASK_MS, pageTest, PHONE } from './browser.mjs';
import { reveal, saved, show, still } from './reading.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'lipscope-figures-'));
const SMALL = ['--weights', 'random:gpt2', '--dim', '32', '--depth', '3', '--heads', '4'];

/** Runs the command line. Returns the file of the table, its text, and the text on standard error. */
function model(name, ...more) {
  const file = path.join(folder, name);
  const run = spawnSync(process.env.LIPSCOPE_BIN ?? '../../target/debug/lipscope', ['model', ...SMALL, ...more, '-o', file], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  return { file, text: readFileSync(file, 'utf8'), said: run.stderr };
}

async function open(page, table) {
  await show(page, 'model');
  await page.waitForSelector('#model-table', { state: 'attached' });
  await page.setInputFiles('#model-table', table.file);
}

/** Enters the same model into the form. */
async function small(page) {
  await reveal(page, '#model-d');
  for (const [id, value] of [['#model-d', '32'], ['#model-depth', '3'], ['#model-heads', '4']]) await page.fill(id, value);
  await page.waitForSelector('[data-testid=model-facts]:has-text("32x3x4")', { timeout: 30_000 });
}

const words = (page, id) => page.getByTestId(id).innerText();

/** Factor, exponent and both intervals of a law in words of the page or of the command line. */
function law(text, name) {
  const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  // The page writes exponents as superscripts, the command line behind a caret.
  const plain = text.replace(/ n([⁰¹²³⁴⁵⁶⁷⁸⁹⁻·]+)/g, (_, power) => ` n^${[...power].map((c) => ({ '⁻': '-', '·': '.' })[c] ?? raised.indexOf(c)).join('')}`);
  const line = plain.split('\n').find((line) => line.includes(name));
  // Where both ends of an interval have the same digits, the page writes one number.
  const found = /([\d.]+) n\^(-?[\d.]+).*± ([\d.]+).*(?:\[([\d.]+), ([\d.]+)\]|c = ([\d.]+))/.exec(line ?? '');
  assert.ok(found, `${name} is not in ${text}`);
  const [, factor, exponent, half, low, high, one] = found;
  return [factor, exponent, half, low ?? one, high ?? one];
}

const taken = (page, view, what) => saved(page, `#${view} [data-export="${what}"]`);

pageTest('a table of the command line has its fits, and one window opens by keyboard', async ({ page }) => {
  const table = model('two-layers.csv', '--layers', '0,2', '-n', '2:40:2', '--windows', '3');
  await show(page, 'model');
  await page.waitForSelector('[data-testid=model-empty]');
  // The page asks the model for the tokens of a window, so the form must hold the same model.
  await small(page);
  await open(page, table);
  await page.waitForSelector('[data-testid=model-fit-spectral]:has-text("α")');
  assert.match(await words(page, 'model-about'), /random:gpt2 32x3x4 seed 0.*120 rows/);
  const said = table.said.split('\n').filter((line) => line.startsWith('layer 0')).join('\n');
  assert.deepEqual(law(await words(page, 'model-fit-spectral'), '‖J‖₂'), law(said, 'spectral norm'));
  assert.ok(!(await page.getByTestId('model-fit-released').isVisible()));
  await page.check('#model-released');
  assert.deepEqual(law(await words(page, 'model-fit-released'), 'released'), law(said, 'released-script'));
  assert.match(await words(page, 'model-released-why'), /torch\.func\.jvp/);
  // The other layer.
  await page.selectOption('#model-group', '2:all');
  const deeper = table.said.split('\n').filter((line) => line.startsWith('layer 2')).join('\n');
  assert.deepEqual(law(await words(page, 'model-fit-spectral'), '‖J‖₂'), law(deeper, 'spectral norm'));
  // Home, a length on, a window on: layer 2, n = 4, window 1.
  await page.focus('#model-norms');
  for (const key of ['Home', 'PageUp', 'ArrowRight']) await page.keyboard.press(key);
  const row = table.text.split('\n').find((line) => line.includes(',2,all,4,1,')).split(',');
  const readout = await words(page, 'model-norms-readout');
  assert.match(readout, /n = 4, window 1, layer 2, all heads/);
  assert.match(readout, /‖J‖₂ ≥ 0\.\d{4}.*residual .*released script.*no bound/);
  assert.ok(Math.abs(Number(/‖J‖₂ ≥ ([\d.]+)/.exec(readout)[1]) / Number(row[9]) - 1) < 1e-3, `${readout}; ${row[9]}`);
  assert.equal(await words(page, 'model-sinks-readout'), readout, 'the same window in both figures');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#plot-tokens[aria-pressed=true]', { timeout: 60_000 });
  await page.waitForFunction(
    ([norm]) => Math.abs(Number(document.querySelector('[data-testid=spectral]')?.dataset.value) / norm - 1) < 1e-4,
    [Number(row[9])],
    { timeout: 60_000 },
  );
});

pageTest('a dot is selected by pointer and by finger; Escape leaves it', { context: { hasTouch: true } }, async ({ page }) => {
  await open(page, model('one.csv', '--layers', '1', '-n', '8', '--windows', '3'));
  await page.waitForSelector('#model-norms');
  await page.focus('#model-norms');
  await page.keyboard.press('End');
  assert.match(await words(page, 'model-norms-readout'), /window 2/);
  await page.keyboard.press('Escape');
  assert.match(await words(page, 'model-norms-readout'), /←/);
  await still(page, '#model-norms');
  // The lowest blue pixel is on a dot: only the key, which is above them, has this hue too.
  const position = await page.locator('#model-norms').evaluate((canvas) => {
    const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const at = Array.from({ length: width * height }, (_, pixel) => 4 * pixel).findLast((pixel) => data[pixel + 2] - data[pixel] > 40) / 4;
    const scale = canvas.width / canvas.offsetWidth;
    return { x: (at % width) / scale, y: Math.floor(at / width) / scale };
  });
  await page.locator('#model-norms').tap({ position: { x: position.x + 9, y: position.y } });
  assert.match(await words(page, 'model-norms-readout'), /n = 8, window/, 'a finger beside it');
  await page.focus('#model-norms');
  await page.keyboard.press('Escape');
  await page.locator('#model-norms').click({ position });
  assert.match(await words(page, 'model-norms-readout'), /n = 8, window/, 'the pointer on it');
  await page.locator('#model-norms').click({ position: { x: 60, y: 200 } });
  assert.match(await words(page, 'model-norms-readout'), /n = 8, window/, 'a click beside all dots leaves it selected');
});

pageTest('layers and heads are tiles with tables', async ({ page }) => {
  await open(page, model('heads.csv', '--layers', '0,2', '-n', '4:16:4', '--windows', '2', '--head', 'each'));
  await page.waitForSelector('#head-tiles');
  assert.equal(await page.locator('#layer-tiles').count(), 0, 'no layer has all heads together');
  await page.focus('#head-tiles');
  await page.keyboard.press('Home');
  await page.keyboard.press('PageDown');
  assert.match(await words(page, 'head-tiles-readout'), /layer 0, head 1.*n = 4.*mean ‖J‖₂ ≥ .* over 2 windows/);
  await reveal(page, '#head-tiles-table summary');
  await page.waitForSelector('#head-tiles-table tbody tr');
  assert.deepEqual(await page.locator('#head-tiles-table tbody tr').count(), 4);
  const csv = await taken(page, 'export-head-tiles', 'csv');
  assert.equal(csv.trim().split(/\r?\n/).length, 5);
});

pageTest('a table of blocks says what it is of, why no bound is shown, and opens no experiment', async ({ page }) => {
  const table = model('blocks.csv', '--layers', '0,2', '-n', '2:20:2', '--windows', '2', '--map', 'blocks');
  await open(page, table);
  await page.waitForSelector('#layer-tiles');
  assert.match(await words(page, 'model-about'), /first blocks together.*40 rows/);
  assert.match(await words(page, 'model-no-bound'), /No upper bound is shown.*product of the norms of the single blocks/);
  await page.selectOption('#model-group', '2:all');
  await page.focus('#model-norms');
  await page.keyboard.press('Home');
  const row = table.text.split('\n').find((line) => line.includes(',2,all,2,0,')).split(',');
  const readout = await words(page, 'model-norms-readout');
  assert.match(readout, /n = 2, window 0, layers 0 to 2 .*largest column sum/);
  assert.ok(Math.abs(Number(/‖J‖₂ ≥ ([\d.]+)/.exec(readout)[1]) / Number(row[9]) - 1) < 1e-3, `${readout}; ${row[9]}`);
  assert.equal(await page.getByTestId('model-norms-readout-open').isVisible(), false);
  assert.equal(await page.getByTestId('model-norms-readout-closed').isVisible(), false);
  assert.match(await words(page, 'model-no-bound'), /do not open in the explorer/);
  await open(page, model('mlp.csv', '--layers', '1', '-n', '2:8:2', '--windows', '2', '--map', 'mlp-residual'));
  await page.waitForSelector('[data-testid=model-about]:has-text("MLP with its residual connection")');
  assert.equal(await page.locator('#model-sinks-heading').isVisible(), false, 'the MLP has no attention sink');
  await page.focus('#model-norms');
  await page.keyboard.press('Home');
  assert.doesNotMatch(await words(page, 'model-norms-readout'), /column sum/);
});

pageTest('pictures and files hold what is on screen', async ({ page }) => {
  const table = model('files.csv', '--layers', '1', '-n', '2:20:2', '--windows', '2');
  await open(page, table);
  await page.waitForSelector('#model-norms');
  await reveal(page, '#curve-bert-0');
  await page.check('#curve-bert-0');
  const svg = await taken(page, 'export-model-norms', 'svg');
  for (const word of ['tokens n', 'token norm (RMS)', '‖J‖₂', '14.3 n⁰·²⁴']) assert.ok(svg.includes(word), word);
  assert.equal((svg.match(/<circle/g) ?? []).length, 20);
  assert.equal(await taken(page, 'export-model-norms', 'csv'), table.text, 'the file of the command line again');
  await reveal(page, '#model-norms-table summary');
  await page.waitForSelector('#model-norms-table tbody tr');
  assert.equal(await page.locator('#model-norms-table tbody tr').count(), 10);
});

pageTest('adversarial tokens: C √n as the command line fits it, and measured here', async ({ page }) => {
  const table = model('adversarial.csv', '--layers', '1', '--head', '2', '-n', '2:98:2', '--adversarial', '60');
  const root = /spectral norm = ([\d.]+) √n/.exec(table.said)[1];
  await show(page, 'model');
  await page.waitForSelector('#adversarial-measure');
  await small(page);
  for (const [id, value] of [['#adversarial-layer', '1'], ['#adversarial-head', '2'], ['#adversarial-radius', '60']]) await page.fill(id, value);
  await page.click('#adversarial-measure');
  await page.waitForSelector('[data-testid=model-root-spectral]:has-text("√n")', { timeout: 60_000 });
  assert.ok((await words(page, 'model-root-spectral')).includes(`${root} √n`), 'as measured here');
  await page.fill('#adversarial-radius', '-1');
  await page.click('#adversarial-measure');
  assert.match(await page.locator('.model-figures .problem:visible').innerText(), /R must be a number above 0/);
  await open(page, table);
  await page.waitForSelector('#model-opened-heading');
  assert.ok((await words(page, 'model-root-spectral')).includes(`${root} √n`), await words(page, 'model-root-spectral'));
  await page.focus('#model-adversarial');
  await page.keyboard.press('End');
  assert.match(await words(page, 'model-adversarial-readout'), /n = 98.*‖J‖₂ ≥/);
  const svg = await taken(page, 'export-model-adversarial', 'svg');
  assert.ok(svg.includes(`${root} √n`));
});

pageTest('heads that share keys and values are groups of tiles, read by keys, with a table beside them', { viewport: PHONE }, async ({ page }) => {
  await show(page, 'model');
  await page.selectOption('#model-source', 'files');
  await page.setInputFiles('#model-folder', '../data/models/gemma2');
  await page.waitForSelector('[data-testid=model-description]:has-text("4 heads on 2 key-value heads")', { timeout: 30_000 });
  await reveal(page, '#model-layers');
  for (const [id, value] of Object.entries({ 'model-layers': '0,1', 'model-lengths': '3,6', 'model-head': 'each', 'model-windows': '1' })) await page.fill(`#${id}`, value);
  await reveal(page, '#model-text');
  await page.fill('#model-text', Array.from({ length: 12 }, (_, at) => `w${at}`).join(' '));
  await page.waitForSelector('[data-testid=model-tokens][data-value="12"]');
  await page.check('#model-bounds');
  await page.click('#model-run');
  await page.waitForSelector('[data-testid="model-progress"][data-phase="done"]', { state: 'attached', timeout: 60_000 });
  await page.waitForSelector('#head-map');
  assert.match(await words(page, 'head-map-groups'), /2 groups of 2 heads/);
  assert.match(await page.getAttribute('#head-map', 'aria-label'), /2 times 4.*2 groups of 2 heads/);
  await page.focus('#head-map');
  // The first key reads the first tile.
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'PageDown']) await page.keyboard.press(key);
  assert.match(await words(page, 'head-map-readout'), /layer 1, head 2, key-value head 1.*n = 6.*‖J‖₂ ≥ .*, one window$/);
  await page.selectOption('#head-map-length', '3');
  await page.click('#head-map-table summary');
  await page.waitForSelector('#head-map-table tbody tr');
  const rows = await page.locator('#head-map-table tbody tr').allInnerTexts();
  assert.equal(rows.length, 8);
  assert.match(rows[7], /^1\s+3\s+1\s+3\s/);
  // Each head has its bounds, with RoPE, a window, a cap and shared keys.
  assert.equal(await page.getByTestId('model-bounds-rows').locator('tr').count(), 2);
  assert.equal(await page.getByTestId('model-bounds-rows').locator('.absent').count(), 0);
  const canvas = await page.locator('#head-map').boundingBox();
  assert.ok(canvas.x + canvas.width <= PHONE.width, 'the tiles keep to a phone\'s width beside an open table');
  assert.deepEqual(await faults(page), []);
});

for (const [name, options] of [['desktop', { colorScheme: 'light' }], ['phone, dark', { colorScheme: 'dark', viewport: PHONE }]]) {
  pageTest(`axe-core finds nothing in the figures: ${name}`, options, async ({ page }) => {
    await open(page, model('axe.csv', '--layers', '0,2', '-n', '2:20:2', '--windows', '2'));
    await page.waitForSelector('#layer-tiles');
    await page.check('#model-released');
    for (const fold of ['#model-curves', '#model-norms-table', '#layer-tiles-table']) await page.evaluate((fold) => { document.querySelector(fold).open = true; }, fold);
    await page.waitForTimeout(300);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'nothing is wider than the page');
    assert.deepEqual(await faults(page), []);
  });
}

pageTest('ten thousand windows keep the page free', { timed: true }, async ({ page }) => {
  const header = 'model,text,map,mask,estimator,layer,head,n,window,spectral,released,radius,sink,sink_token,sink_head,iterations,relative_residual';
  const rows = Array.from({ length: 10_000 }, (_, at) => {
    const n = 2 + 2 * (at % 49);
    const window = Math.floor(at / 49);
    const noise = 1 + 0.2 * Math.sin(at);
    return `many,00ff,attention,none,both,0,all,${n},${window},${noise * n ** 0.25},${noise * n ** 0.4},${10 + Math.cos(at)},${Math.sqrt(n)},0,0,9,0.0001`;
  });
  const file = path.join(folder, 'many.csv');
  writeFileSync(file, `${[header, ...rows].join('\n')}\n`);
  await show(page, 'model');
  await page.waitForSelector('#model-table', { state: 'attached' });
  const tasks = await mainThreadTasks(page, async () => {
    await page.setInputFiles('#model-table', file);
    await page.waitForSelector('[data-testid=model-fit-spectral]:has-text("10000")');
    await page.waitForTimeout(1500);
    await page.focus('#model-norms');
    for (const key of ['Home', 'ArrowRight', 'PageUp']) await page.keyboard.press(key);
    await page.waitForTimeout(500);
  });
  assert.match(await words(page, 'model-thinned'), /of 10000 dots/);
  assert.ok(tasks[0].cpu <= MOST_TASK_MS, `the longest task of the main thread took ${tasks[0].cpu} ms of its processor`);
});
