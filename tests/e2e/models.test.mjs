// The view of models: drawn models, files, an address; running, pausing, stopping; tables out and in; sentences about
// faults.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { faults, openPage, pageTest, PHONE, ROOT } from './browser.mjs';
import { FULL_LAYER, LAYER_BYTES, writeLargeLlama } from './large.mjs';
import { drop, reveal, saved, show, value } from './reading.mjs';
import { startServer } from './server.mjs';

const BINARY = process.env.LIPSCOPE_BIN ?? `${ROOT}target/debug/lipscope`;
const GPT2 = `${ROOT}tests/data/models/gpt2`;
const VIT = `${ROOT}tests/data/models/vit`;
const CORS = { 'access-control-allow-origin': '*' };
const SMALL = { 'model-d': '32', 'model-depth': '3', 'model-heads': '4' };

const lipscope = (...options) => execFileSync(BINARY, ['model', ...options], { encoding: 'utf8' });
const phase = (page) => page.getByTestId('model-progress').getAttribute('data-phase');
const rows = async (page) => Number(await page.getByTestId('model-progress').getAttribute('data-rows'));
const inPhase = (page, ...phases) => page.waitForFunction(
  (phases) => phases.includes(document.querySelector('[data-testid="model-progress"]')?.dataset.phase),
  phases,
  { timeout: 120_000 },
);
const hasTokens = (page) => page.waitForFunction(
  () => Number(document.querySelector('[data-testid="model-tokens"]')?.dataset.value) > 0, undefined, { timeout: 60_000 });
const says = (page, pattern) => page.waitForFunction(
  (source) => new RegExp(source).test(document.querySelector('[data-testid="model-problem"]:not([hidden])')?.textContent ?? ''),
  pattern.source,
  { timeout: 60_000 },
);

/** Uses a copy of the small GPT-2, whose files may be changed; the copy is removed afterwards. */
async function withCopy(use) {
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-model-'));
  try {
    cpSync(GPT2, folder, { recursive: true });
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Copies a model into the folder `to` with its tensors in two files, by turns, and an index of them. */
function inTwoShards(from, to) {
  const weights = readFileSync(join(from, 'model.safetensors'));
  const size = Number(weights.readBigUInt64LE());
  const { __metadata__, ...tensors } = JSON.parse(weights.subarray(8, 8 + size));
  const index = { metadata: {}, weight_map: {} };
  for (const at of [0, 1]) {
    const name = `model-0000${at + 1}-of-00002.safetensors`;
    const [header, parts] = [{ __metadata__ }, []];
    let end = 0;
    for (const [tensor, { data_offsets: [begin, stop], ...kind }] of Object.entries(tensors).filter((_, i) => i % 2 === at)) {
      header[tensor] = { ...kind, data_offsets: [end, end += stop - begin] };
      parts.push(weights.subarray(8 + size + begin, 8 + size + stop));
      index.weight_map[tensor] = name;
    }
    const text = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    writeFileSync(join(to, name), Buffer.concat([length, text, ...parts]));
  }
  writeFileSync(join(to, 'model.safetensors.index.json'), JSON.stringify(index));
  for (const name of ['config.json', 'tokenizer.json']) cpSync(join(from, name), join(to, name));
}

/** Chooses the small GPT-2, and measures the plan in the form. */
async function measureGpt2(page) {
  await page.setInputFiles('#model-folder', GPT2);
  await hasTokens(page);
  await page.click('#model-run');
  await inPhase(page, 'done');
}

async function fill(page, fields) {
  for (const [id, words] of Object.entries(fields)) {
    await reveal(page, `#${id}`);
    await page.fill(`#${id}`, words);
  }
}

/** Opens the view with a small drawn model. */
async function small(page, plan) {
  await show(page, 'model');
  await fill(page, { ...SMALL, ...plan });
  await hasTokens(page);
}

/** The number of rows once it has not changed for two seconds. */
async function atRest(page) {
  for (let [before, now] = [-1, await rows(page)]; ; [before, now] = [now, await rows(page)]) {
    if (before === now) return now;
    await page.waitForTimeout(2000);
  }
}

pageTest('a small drawn model is measured, and its table is the command line\'s', async ({ page, requests }) => {
  assert.ok(!requests().some((address) => address.includes('model_worker')), 'nobody pays for models before the view is opened');
  await small(page, { 'model-layers': '0,2', 'model-lengths': '2:8:2', 'model-windows': '3' });
  assert.match(await page.getByTestId('model-description').innerText(), /^GPT-2, 3 layers, d = 32, 4 heads, layer norm before attention and MLP; \d.* parameters/);
  assert.match(await page.getByTestId('model-facts').innerText(), /; causal mask; /);
  await page.click('#model-run');
  await inPhase(page, 'done');
  assert.equal(await rows(page), 24);
  const options = ['--weights', 'random:gpt2', '--dim', '32', '--depth', '3', '--heads', '4', '--layers', '0,2', '--lengths', '2:8:2', '--windows', '3'];
  compare(await saved(page, '#model-csv'), lipscope(...options));
  const json = JSON.parse(await saved(page, '#model-json'));
  assert.equal(json.rows.length, 24);
  assert.equal(json.fits.length, 2);
  // Another plan of the same subject keeps the rows that are there.
  await fill(page, { 'model-lengths': '2:10:2' });
  await page.click('#model-run');
  await inPhase(page, 'done');
  assert.equal(await rows(page), 30);
  assert.equal(await page.getByTestId('model-problem').isVisible(), false);
});

pageTest('a random Llama is described, measured and bounded as on the command line', async ({ page }) => {
  await show(page, 'model');
  await page.selectOption('#model-source', 'random-llama');
  await fill(page, { ...SMALL, 'model-lengths': '2:8:2', 'model-windows': '2' });
  await page.waitForSelector('[data-testid=model-facts]:has-text("random:llama 32x3x4")', { timeout: 60_000 });
  // The middle layer until one is named, there and for the adversarial tokens.
  for (const id of ['model-layers', 'adversarial-layer']) assert.equal(await page.locator(`#${id}`).inputValue(), '1', id);
  await fill(page, { 'model-layers': '0,2' });
  const options = ['--weights', 'random:llama', '--dim', '32', '--depth', '3', '--heads', '4', '--layers', '0,2', '--lengths', '2:8:2', '--windows', '2'];
  const { stdout, stderr } = spawnSync(BINARY, ['model', ...options], { encoding: 'utf8' });
  const line = await page.getByTestId('model-description').innerText();
  assert.match(line, /^Llama, 3 layers, d = 32, 4 heads, RoPE, RMS norm before attention and MLP, gated MLP; \d/);
  assert.ok(stderr.includes(`lipscope model: ${line}`), `${stderr} has not: ${line}`);
  await page.click('#model-maps summary');
  assert.match(await page.locator('#model-maps').innerText(), /x \+ O Att\(RMS\(x\)\)/);
  await page.click('#model-run');
  await inPhase(page, 'done');
  compare(await saved(page, '#model-csv'), stdout);
  assert.equal(await page.getByTestId('model-bounds-rows').isVisible(), false);
  assert.ok(await page.getByTestId('model-bounds-missing').isVisible(), 'a line says how bounds come');
  // Attention with RoPE is no experiment of the explorer: a line says so in place of the button.
  assert.equal(await page.getByTestId('model-norms-readout-open').isVisible(), false);
  assert.match(await page.getByTestId('model-norms-readout-closed').innerText(), /do not open in the explorer.*rotary positions/);
  assert.doesNotMatch(await page.getByTestId('model-norms-readout').innerText(), /Enter/);
  // The rows that are there get their bounds.
  await page.check('#model-bounds');
  await page.click('#model-run');
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=model-bounds-rows] tr').length === 8
    && !document.querySelector('[data-testid=model-bounds-rows] .absent'), undefined, { timeout: 60_000 });
  const csv = await saved(page, '#model-csv');
  compare(csv, lipscope(...options, '--bounds'));
  const [header, ...lines] = csv.trim().split('\n').map((line) => line.split(','));
  const column = (name) => header.indexOf(name);
  for (const cells of lines) {
    for (const bound of ['local', 'local_blocks']) {
      assert.ok(Number(cells[column(bound)]) >= Number(cells[column('spectral')]), `${bound}: ${cells}`);
    }
    assert.ok(Number(cells[column('local_token')]) > 0);
  }
  // Of a map with a residual connection the page says why there is none.
  await page.selectOption('#model-map', 'block');
  await page.click('#model-run');
  await inPhase(page, 'done');
  assert.match(await page.getByTestId('model-bounds-absent').innerText(), /proved for attention alone/);
  assert.deepEqual(await faults(page), []);
});

pageTest('blocks are measured as on the command line, and single heads of one are refused', async ({ page }) => {
  await small(page, { 'model-layers': '0,2', 'model-lengths': '2:8:2', 'model-windows': '2' });
  await page.selectOption('#model-map', 'blocks');
  assert.match(await page.getByTestId('model-map-note').innerText(), /magnifies a small change of the embedded tokens/);
  await page.click('#model-run');
  await inPhase(page, 'done');
  const options = ['--weights', 'random:gpt2', '--dim', '32', '--depth', '3', '--heads', '4', '--layers', '0,2', '--lengths', '2:8:2', '--windows', '2'];
  compare(await saved(page, '#model-csv'), lipscope(...options, '--map', 'blocks'));
  // The rows that are there get an upper number, although no bound is proved for a stack of layers.
  await page.check('#model-upper');
  await page.click('#model-run');
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=model-bounds-rows] tr').length === 8, undefined, { timeout: 60_000 });
  const assured = await saved(page, '#model-csv');
  compare(assured, lipscope(...options, '--map', 'blocks', '--upper'));
  const [names, ...rows] = assured.trim().split('\n').map((line) => line.split(','));
  for (const cells of rows) {
    const [norm, upper, failure] = ['spectral', 'upper', 'failure'].map((name) => Number(cells[names.indexOf(name)]));
    assert.ok(upper >= norm && upper <= 1.05 * norm && failure === 1e-9, `${cells}`);
  }
  assert.match(await page.getByTestId('model-bounds-rows').innerText(), /≤ .*error probability 10⁻⁹/);
  assert.ok(await page.getByTestId('model-upper-what').isVisible());
  await page.uncheck('#model-upper');
  await page.selectOption('#model-map', 'block');
  await page.setViewportSize(PHONE);
  const select = await page.locator('#model-map').boundingBox();
  assert.ok(select.x + select.width <= PHONE.width, 'the choice of the map keeps to a phone\'s width');
  await fill(page, { 'model-head': 'each' });
  await page.click('#model-run');
  await says(page, /The map block adds all heads of a layer.*choose the map attention/);
});

/** Compares two tables, numbers to a relative `most`; most are the same to the last digit. */
function compare(found, expected, most = 1e-6) {
  const cells = (text) => text.trim().split('\n').map((line) => line.split(','));
  const [a, b] = [cells(found), cells(expected)];
  assert.equal(a.length, b.length);
  a.forEach((row, i) => row.forEach((cell, j) => {
    // Steps and residual of the iteration may differ where a sum was rounded differently.
    if (cell === b[i][j] || a[0][j] === 'iterations' || a[0][j] === 'relative_residual') return;
    const [x, y] = [Number(cell), Number(b[i][j])];
    assert.ok(Math.abs(x - y) <= most * Math.abs(y), `row ${i}, ${a[0][j]}: ${cell} for ${b[i][j]}`);
  }));
}

pageTest('a run is paused, goes on, is stopped and taken up again', { timeout: 300_000 }, async ({ page }) => {
  await show(page, 'model');
  await fill(page, { 'model-d': '192', 'model-depth': '3', 'model-heads': '3', 'model-layers': '2', 'model-lengths': '20:60:2', 'model-windows': '12' });
  // The reader's own text.
  const word = (i) => `w${(i * 7919) % 977}`;
  await fill(page, { 'model-text': Array.from({ length: 800 }, (_, i) => word(i)).join(' ') });
  await page.waitForFunction(() => document.querySelector('[data-testid="model-tokens"]')?.dataset.value === '800');
  await page.click('#model-run');
  await page.waitForFunction(() => Number(document.querySelector('[data-testid="model-progress"]').dataset.rows) > 0, undefined, { timeout: 120_000 });
  await page.click('#model-pause');
  await inPhase(page, 'paused');
  // The runs under way finish, then nothing changes.
  const before = await atRest(page);
  await page.waitForTimeout(1500);
  assert.equal(await rows(page), before, 'nothing is begun while it is paused');
  assert.ok(before < 252, 'something is left');
  assert.match(await page.getByTestId('model-progress').innerText(), /paused/);
  await page.click('#model-resume');
  await page.waitForFunction((before) => Number(document.querySelector('[data-testid="model-progress"]').dataset.rows) > before, before, { timeout: 120_000 });
  await page.click('#model-stop');
  assert.equal(await phase(page), 'stopped');
  const stopped = await rows(page);
  await page.waitForTimeout(800);
  assert.equal(await rows(page), stopped, 'nothing comes of workers that were ended');
  await page.click('#model-resume');
  await inPhase(page, 'done');
  assert.equal(await rows(page), 252);
});

pageTest('a model\'s folder is measured, and results of the command line are taken up', async ({ page }) => {
  await show(page, 'model');
  await page.selectOption('#model-source', 'files');
  await page.setInputFiles('#model-folder', GPT2);
  await hasTokens(page);
  assert.match(await page.getByTestId('model-given').innerText(), /^gpt2: /);
  assert.match(await page.getByTestId('model-description').innerText(), /^GPT-2, 3 layers, d = 32, 4 heads/);
  assert.match(await page.getByTestId('model-facts').innerText(), /^At most 40 tokens/);
  const options = ['--weights', GPT2, '--layers', '0,2', '--windows', '2'];
  const whole = lipscope(...options, '--lengths', '3,8,20');
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-table-'));
  try {
    writeFileSync(join(folder, 'part.csv'), lipscope(...options, '--lengths', '3,8'));
    await page.setInputFiles('#model-table', join(folder, 'part.csv'));
    await page.waitForFunction(() => /8 rows/.test(document.querySelector('[data-testid="model-note"]').textContent));
  } finally {
    rmSync(folder, { recursive: true });
  }
  await fill(page, { 'model-layers': '0,2', 'model-lengths': '3,8,20', 'model-windows': '2' });
  await page.click('#model-run');
  await inPhase(page, 'done');
  compare(await saved(page, '#model-csv'), whole);
});

pageTest('a folder is dropped and measured, a text is dropped after it, and a broken folder is named', async ({ page }) => {
  await show(page, 'model');
  await page.locator('#model-run').waitFor();
  await drop(page, GPT2);
  await hasTokens(page);
  assert.match(await page.getByTestId('model-given').innerText(), /^gpt2: /);
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-drop-'));
  try {
    writeFileSync(join(folder, 'words.txt'), 'A text that is dropped is cut into windows. '.repeat(4));
    const before = await page.getByTestId('model-tokens').getAttribute('data-value');
    await drop(page, join(folder, 'words.txt'));
    await page.waitForFunction((before) => document.querySelector('[data-testid="model-tokens"]').dataset.value !== before, before);
    await fill(page, { 'model-layers': '0,2', 'model-lengths': '3,8', 'model-windows': '2' });
    await page.click('#model-run');
    await inPhase(page, 'done');
    compare(await saved(page, '#model-csv'), lipscope('--weights', GPT2, '--text', join(folder, 'words.txt'), '--layers', '0,2', '--lengths', '3,8', '--windows', '2'));
    rmSync(join(folder, 'words.txt'));
    cpSync(GPT2, folder, { recursive: true });
    writeFileSync(join(folder, 'model.safetensors'), 'this is no model at all');
    await drop(page, folder);
    await says(page, /not a safetensors file/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

pageTest('a model of pictures is measured at those dropped with it and after it, as on the command line', async ({ page }) => {
  await show(page, 'model');
  await page.locator('#model-run').waitFor();
  await drop(page, VIT);
  await hasTokens(page);
  assert.match(await page.getByTestId('model-description').innerText(), /^ViT, 2 layers, .*images of 12 x 12 in patches of 4 x 4: 10 tokens/);
  assert.match(await page.getByTestId('model-tokens').innerText(), /^images: 1, tokens: 10/);
  await fill(page, { 'model-layers': '0,1' });
  await page.click('#model-run');
  await inPhase(page, 'done');
  compare(await saved(page, '#model-csv'), lipscope('--weights', VIT, '--image', join(VIT, 'image.png'), '--layers', '0,1'));
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-picture-'));
  try {
    // Which patches the worst change moves: the squares of all tokens add to 1.
    await page.focus('#model-norms');
    await page.keyboard.press('Home');
    await page.click('#patch-map-find');
    await page.getByTestId('patch-map-line').waitFor();
    assert.match(await page.getByTestId('patch-map-line').innerText(), /^image\.png .* layer 0, all heads .* % of its square length is at the tokens before the patches$/);
    await page.click('#patch-map-table summary');
    await page.waitForSelector('#patch-map-table tbody tr');
    const shares = await page.$$eval('#patch-map-table tbody tr', (rows) => rows.map((row) => Number(row.lastElementChild.textContent)));
    assert.equal(shares.length, 10);
    // The table shows rounded numbers.
    assert.ok(Math.abs(shares.reduce((sum, share) => sum + share * share, 0) - 1) < 5e-3, shares.join(' '));
    // 640 x 400 pixels: the model takes 12 x 12.
    const card = join(folder, 'card.png');
    writeFileSync(card, await page.screenshot({ clip: { x: 0, y: 0, width: 640, height: 400 } }));
    await drop(page, card);
    await says(page, /card\.png .*640 x 400 pixels, and the model takes 12 x 12/);
    await page.check('#model-resize');
    await hasTokens(page);
    assert.match(await page.getByTestId('model-notes').innerText(), /card\.png was scaled from 640 x 400 pixels/);
    await page.click('#model-run');
    await inPhase(page, 'done');
    compare(await saved(page, '#model-csv'), lipscope('--weights', VIT, '--image', card, '--resize', '--layers', '0,1'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

pageTest('the folder of a Llama in two shards is dropped, and measured as on the command line and as its one file', async ({ page }) => {
  const llama = `${ROOT}tests/data/models/llama`;
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-llama-'));
  try {
    inTwoShards(llama, folder);
    await show(page, 'model');
    await page.locator('#model-run').waitFor();
    await fill(page, { 'model-text': readFileSync(`${llama}/text.txt`, 'utf8') });
    await drop(page, folder);
    const opened = (name) => page.waitForSelector(`[data-testid=model-facts]:has-text("${name} ")`, { timeout: 60_000 });
    await opened(basename(folder));
    assert.match(await page.getByTestId('model-description').innerText(), /^Llama, 2 layers, d = 16, 4 heads on 2 key-value heads/);
    // The middle layer of two until others are named.
    assert.equal(await page.locator('#model-layers').inputValue(), '1');
    await fill(page, { 'model-layers': '0,1', 'model-lengths': '2,5,8', 'model-windows': '2' });
    await page.check('#model-bounds');
    const measured = async () => {
      await page.click('#model-run');
      await inPhase(page, 'done');
      return saved(page, '#model-csv');
    };
    const table = await measured();
    assert.equal(table.trim().split('\n').length, 13);
    const options = ['--text', `${llama}/text.txt`, '--layers', '0,1', '--lengths', '2,5,8', '--windows', '2', '--bounds'];
    const expected = lipscope('--weights', folder, ...options);
    // The browser adds the terms of a product in another order than native code; an iteration that ends at a residual of
    // 1e-4 makes 1e-12 of that.
    compare(table, expected, 1e-10);
    // On one machine the model in one file has the same digits, under its own name.
    const unnamed = (text) => text.split('\n').map((line) => line.slice(line.indexOf(',')));
    assert.deepEqual(unnamed(expected), unnamed(lipscope('--weights', llama, ...options)));
    await drop(page, llama);
    await opened('llama');
    assert.deepEqual(unnamed(table), unnamed(await measured()));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

pageTest('files may be chosen one by one', async ({ page }) => {
  await show(page, 'model');
  await page.selectOption('#model-source', 'files');
  await page.setInputFiles('#model-files', ['config.json', 'model.safetensors', 'vocab.txt'].map((name) => `${ROOT}tests/data/models/bert/${name}`));
  await hasTokens(page);
  assert.match(await page.getByTestId('model-description').innerText(), /^BERT, 3 layers/);
  assert.match(await page.getByTestId('model-facts').innerText(), /; no mask; /);
});

pageTest('special tokens stand around every window where they are asked for, as on the command line', async ({ page }) => {
  const bert = `${ROOT}tests/data/models/bert`;
  await show(page, 'model');
  await page.selectOption('#model-source', 'files');
  // A random model's words have none.
  assert.equal(await page.locator('#model-special').isVisible(), false);
  await page.setInputFiles('#model-folder', bert);
  await hasTokens(page);
  await fill(page, { 'model-layers': '1', 'model-lengths': '5,8', 'model-windows': '2' });
  assert.equal(await page.getByTestId('model-special-note').innerText(), '[CLS] … [SEP]; they count in n');
  await page.check('#model-special');
  await page.click('#model-run');
  await inPhase(page, 'done');
  const options = ['--weights', bert, '--layers', '1', '--lengths', '5,8', '--windows', '2'];
  compare(await saved(page, '#model-csv'), lipscope(...options, '--special', 'model'));
  await page.uncheck('#model-special');
  await page.click('#model-run');
  await inPhase(page, 'done');
  compare(await saved(page, '#model-csv'), lipscope(...options));
});

pageTest('weights in several files are chosen together, and what was guessed stands under the model', async ({ page }) => {
  await show(page, 'model');
  await page.selectOption('#model-source', 'files');
  await fill(page, { 'model-layers': '1', 'model-lengths': '6', 'model-windows': '1' });
  for (const [name, note] of [['gpt2_sharded', ''], ['nanogpt_linear', 'a row for each output']]) {
    const folder = `${ROOT}tests/data/cases/models/${name}`;
    await page.setInputFiles('#model-folder', folder);
    await hasTokens(page);
    await page.waitForFunction((name) => document.querySelector('[data-testid="model-facts"]').textContent.includes(name), name);
    assert.equal(await page.getByTestId('model-notes').isVisible(), note !== '', name);
    assert.ok((await page.getByTestId('model-notes').textContent()).includes(note), name);
    await page.click('#model-run');
    await inPhase(page, 'done');
    compare(await saved(page, '#model-csv'), lipscope('--weights', folder, '--layers', '1', '--lengths', '6', '--windows', '1'));
  }
  await page.setInputFiles('#model-folder', `${ROOT}tests/data/cases/models/gpt2_bin_only`);
  await page.waitForTimeout(500);
  if (!await page.getByTestId('model-problem').isVisible()) await page.click('#model-run');
  await says(page, /only as pytorch_model\.bin.*torch\.load/);
});

pageTest('whatever is wrong with a model\'s files is a sentence', { timeout: 240_000 }, async ({ page }) => {
  await show(page, 'model');
  await page.selectOption('#model-source', 'files');
  await fill(page, { 'model-layers': '2', 'model-lengths': '3', 'model-windows': '1' });
  const weights = readFileSync(`${GPT2}/model.safetensors`);
  const config = readFileSync(`${GPT2}/config.json`, 'utf8');
  const edit = (name, bytes) => (folder) => writeFileSync(join(folder, name), bytes);
  const renamed = Buffer.from(weights.toString('latin1').replace('h.0.attn.c_attn.weight', 'h.0.attn.c_attn.wait!!'), 'latin1');
  for (const [what, change, pattern] of [
    ['cut off', edit('model.safetensors', weights.subarray(0, weights.length * 2 / 3)), /cut off/],
    ['no safetensors', edit('model.safetensors', 'this is no model at all'), /not a safetensors file/],
    ['another architecture', edit('config.json', config.replace('"gpt2"', '"deberta"')), /model_type.*deberta/],
    ['a missing tensor', edit('model.safetensors', renamed), /Tensor.*h\.0\.attn\.c_attn\.weight.*not in the file/],
    ['a misshapen config', edit('config.json', config.replace('"n_embd": 32', '"n_embd": 64')), /shape/],
    ['no config', (folder) => rmSync(join(folder, 'config.json')), /config\.json.*not among the files/],
    ['no tokenizer', (folder) => rmSync(join(folder, 'merges.txt')), /tokenizer/],
    ['a broken tokenizer', edit('vocab.json', '{'), /vocab\.json/],
  ]) {
    await withCopy(async (folder) => {
      change(folder);
      await page.setInputFiles('#model-folder', folder);
      await page.waitForTimeout(500);
      // Some faults are found when the model is opened, those of tensors when they are read.
      if (!await page.getByTestId('model-problem').isVisible()) await page.click('#model-run');
      await says(page, pattern).catch(async () => assert.fail(`${what}: ${await page.getByTestId('model-problem').textContent()}`));
    });
  }
  // After these, a model without faults is measured.
  await measureGpt2(page);
  await fill(page, { 'model-layers': '9' });
  await page.click('#model-run');
  await says(page, /layer/);
  await fill(page, { 'model-layers': 'six' });
  await page.click('#model-run');
  await says(page, /list of whole numbers/);
});

pageTest('weights that change or go after they were chosen are named, and can be chosen again', async ({ page }) => {
  await show(page, 'model');
  await page.selectOption('#model-source', 'files');
  for (const change of [
    (file) => writeFileSync(file, Buffer.alloc(readFileSync(file).length)),
    (file) => rmSync(file),
  ]) {
    await withCopy(async (folder) => {
      await page.setInputFiles('#model-folder', folder);
      await hasTokens(page);
      await fill(page, { 'model-layers': '2', 'model-lengths': '3', 'model-windows': '1' });
      change(join(folder, 'model.safetensors'));
      await page.click('#model-run');
      await says(page, /model\.safetensors cannot be read: bytes 0 to \d+ have changed or are gone\. Choose it again\./);
    });
  }
  await measureGpt2(page);
});

test('a model at an address of another server is fetched when the reader says so, and not before', { timeout: 180_000 }, async () => {
  const server = await startServer({ root: `${ROOT}tests/data`, base: '/data/', headers: { 'access-control-allow-origin': '*' } });
  const opened = await openPage();
  const { page, problems } = opened;
  try {
    await show(page, 'model');
    await page.selectOption('#model-source', 'address');
    assert.equal(server.requests.length, 0);
    await page.fill('#model-address', `${server.url}models/gpt2`);
    await page.waitForTimeout(500);
    assert.equal(server.requests.length, 0, 'typing fetches nothing');
    await page.click('#model-look');
    await page.locator('#model-fetch').waitFor();
    assert.match(await page.locator('#model-fetch').innerText(), /Download 7\d KB/);
    // Eight bytes are asked for, to see whether the server gives ranges.
    assert.ok(server.requests.every(({ method, bytes }) => method === 'HEAD' || bytes === 8));
    await page.click('#model-fetch');
    await hasTokens(page);
    await fill(page, { 'model-layers': '0', 'model-lengths': '3,8', 'model-windows': '2' });
    await page.click('#model-run');
    await inPhase(page, 'done');
    compare(await saved(page, '#model-csv'), lipscope('--weights', GPT2, '--lengths', '3,8', '--windows', '2'));
    assert.equal(server.requests.filter(({ method, status }) => method === 'GET' && status === 200).length, 4);
    await page.fill('#model-address', `${server.url}nowhere`);
    await page.click('#model-look');
    await says(page, /no config\.json/);
    // An index of weights names the files to fetch.
    await page.fill('#model-address', `${server.url}cases/models/gpt2_sharded`);
    await page.click('#model-look');
    await page.locator('#model-fetch').waitFor();
    assert.match(await page.getByTestId('model-remote').innerText(), /model-00001-of-00002\.safetensors.*model-00002-of-00002\.safetensors/);
    await page.click('#model-fetch');
    await page.waitForFunction(() => document.querySelector('[data-testid="model-facts"]').textContent.includes('gpt2_sharded'));
    await page.fill('#model-address', 'gpt2');
    await page.click('#model-look');
    await says(page, /https:\/\//);
    const unwanted = (await problems()).filter((line) => !line.includes(server.origin) && !line.includes('404'));
    assert.deepEqual(unwanted, []);
  } finally {
    await opened.close();
    await server.close();
  }
});

test('of a model of a billion weights at an address only the needed layers are read, one at a time', { timeout: 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-large-'));
  const small = `${ROOT}tests/data/models/llama`;
  writeLargeLlama(folder, small);
  const server = await startServer({ root: folder, base: '/large/', headers: CORS });
  const opened = await openPage();
  const { page, problems } = opened;
  try {
    await show(page, 'model');
    await page.selectOption('#model-source', 'address');
    await fill(page, { 'model-text': readFileSync(`${small}/text.txt`, 'utf8') });
    await page.fill('#model-address', server.url);
    await page.click('#model-look');
    await page.locator('#model-fetch').waitFor();
    assert.match(await page.locator('#model-fetch').innerText(), /Download 24\d\d MB/);
    await page.click('#model-there');
    await hasTokens(page);
    assert.match(await page.getByTestId('model-remote').innerText(), /weights are read when needed/);
    assert.match(await page.getByTestId('model-description').innerText(), /^Llama, 16 layers, .*1\.2 B parameters/);
    await fill(page, { 'model-layers': `${FULL_LAYER}`, 'model-lengths': '4,8', 'model-windows': '2' });
    await page.click('#model-run');
    await page.waitForFunction(() => /reading layer [123], of 4 needed; \d+ MB/.test(document.querySelector('[data-testid="model-window"]').textContent), undefined, { timeout: 120_000 });
    assert.match(await page.getByTestId('model-progress').innerText(), /one layer of the model at a time/);
    assert.equal(await page.locator('#model-pause').isVisible(), false);
    await inPhase(page, 'done');
    const expected = lipscope('--weights', folder, '--text', `${small}/text.txt`, '--layers', `${FULL_LAYER}`, '--lengths', '4,8', '--windows', '2');
    const unnamed = (text) => text.split('\n').map((line) => line.slice(line.indexOf(','))).join('\n');
    compare(unnamed(await saved(page, '#model-csv')), unnamed(expected), 1e-10);
    const bytes = server.requests.reduce((sum, request) => sum + request.bytes, 0);
    // The attention of the measured layer, the whole of those before it, embeddings, headers, and pieces for fingerprints.
    assert.ok(bytes > FULL_LAYER * LAYER_BYTES && bytes < (FULL_LAYER + 0.3) * LAYER_BYTES, `${bytes} bytes`);
    assert.deepEqual((await problems()).filter((line) => !line.includes(server.origin) && !line.includes('404')), []);
  } finally {
    await opened.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
});

/** A server that has a model's files and never ends the weights: {url, closed}, `closed` when the reader has hung up. */
async function stallingServer() {
  let hangUp;
  const closed = new Promise((resolve) => { hangUp = resolve; });
  const server = createServer((request, response) => {
    const name = request.url.split('/').at(-1);
    if (!['config.json', 'model.safetensors', 'tokenizer.json'].includes(name)) return response.writeHead(404, CORS).end();
    const isWeights = name === 'model.safetensors';
    response.writeHead(200, { ...CORS, 'content-length': isWeights ? 100_000_000 : 2 });
    if (request.method === 'HEAD') return response.end();
    if (!isWeights) return response.end('{}');
    response.on('close', hangUp);
    response.write(Buffer.alloc(3_000_000));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    closed,
    close: () => server.close(() => {}) && server.closeAllConnections(),
  };
}

test('a download says how far it is, and ends when it is cancelled', { timeout: 180_000 }, async () => {
  const server = await stallingServer();
  const opened = await openPage();
  const { page } = opened;
  try {
    await show(page, 'model');
    await page.selectOption('#model-source', 'address');
    await page.fill('#model-address', `${server.url}slow`);
    await page.click('#model-look');
    await page.locator('#model-fetch').waitFor();
    assert.match(await page.locator('#model-fetch').innerText(), /Download 100 MB/);
    await page.click('#model-fetch');
    await page.waitForFunction(() => /[123] MB of 100 MB/.test(document.querySelector('[data-testid=model-remote]').textContent));
    assert.ok(await page.locator('#model-cancel').isVisible());
    await page.click('#model-cancel');
    await server.closed;
    assert.ok(await page.locator('#model-look').isVisible(), 'it can be looked for again');
    assert.equal(await page.getByTestId('model-problem').isVisible(), false, 'to cancel is no fault');
    assert.doesNotMatch(await page.getByTestId('model-remote').innerText(), /MB/);
  } finally {
    await opened.close();
    server.close();
  }
});

test('windows over which a models\' worker dies go to another; those that kill a second one are left out and named', { timeout: 240_000 }, async () => {
  const { context, page, problems, close } = await openPage({ started: false });
  try {
    await context.addInitScript(() => {
      Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => 1 });
      const Native = window.Worker;
      window.__workers = [];
      window.Worker = class extends Native {
        constructor(url, ...rest) {
          super(url, ...rest);
          this.sent = 0;
          if (/model_worker/.test(url)) window.__workers.push(this);
        }

        postMessage(...given) {
          this.sent++;
          super.postMessage(...given);
        }
      };
    });
    await page.reload();
    await small(page, { 'model-d': '384', 'model-heads': '12', 'model-layers': '2', 'model-lengths': '80:98:2', 'model-windows': '8' });
    await page.click('#model-run');
    // `atWork` waits until the last worker has windows. `die` does to this worker what a browser does to one that runs
    // out of memory.
    const atWork = (count, sent) => page.waitForFunction(
      ([count, sent]) => window.__workers.length === count && window.__workers.at(-1).sent >= sent, [count, sent], { timeout: 60_000 });
    const die = () => page.evaluate(() => {
      const worker = window.__workers.at(-1);
      worker.terminate();
      worker.dispatchEvent(new ErrorEvent('error', { message: 'out of memory', cancelable: true }));
    });
    // The first worker also got the order to open the model.
    await atWork(1, 2);
    await die();
    await page.waitForFunction(() => /A worker stopped/.test(document.querySelector('[data-testid=model-note]').textContent));
    await atWork(2, 1);
    await die();
    await says(page, /stopped again on windows of up to [89]\d tokens/);
    await inPhase(page, 'done', 'stopped');
    // Another run measures the part of the dead worker.
    const lacking = 80 - await rows(page);
    assert.ok(lacking > 0 && lacking <= 16, `${lacking} windows are missing`);
    await page.click('#model-resume');
    await inPhase(page, 'done');
    assert.equal(await rows(page), 80);
    assert.deepEqual(await problems(), []);
  } finally {
    await close();
  }
});

pageTest('the view is accessible, and keeps to a phone\'s width', { viewport: PHONE }, async ({ page }) => {
  await show(page, 'model');
  await hasTokens(page);
  for (const source of ['files', 'address', 'random-bert', 'random-llama']) {
    await page.selectOption('#model-source', source);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${source}: no horizontal scroll`);
  }
  assert.deepEqual(await faults(page), []);
});

pageTest('the view is accessible in the dark, with its folds open', { colorScheme: 'dark' }, async ({ page }) => {
  await small(page, { 'model-lengths': '3,5', 'model-windows': '1', 'model-layers': '1' });
  await page.click('#model-run');
  await inPhase(page, 'done');
  await page.evaluate(() => document.querySelectorAll('.model-view details').forEach((fold) => { fold.open = true; }));
  await page.waitForTimeout(500);
  assert.deepEqual(await faults(page), []);
  assert.ok((await value(page, 'model-tokens')) > 1000);
});

pageTest('Run with heads that do not divide the width goes to the sentence that says so', { hash: '#v3&plot=model' }, async ({ page }) => {
  await reveal(page, '#model-heads');
  await page.fill('#model-heads', '7');
  await page.click('#model-run');
  await page.waitForFunction(() => document.activeElement?.dataset.testid === 'model-problem');
  assert.match(await page.getByTestId('model-problem').innerText(), /divisor of its width/);
  await page.fill('#model-heads', '12');
  await page.waitForFunction(() => document.querySelector('[data-testid=model-problem]').hidden);
});

const LINK = '#v3&plot=model&model=random-llama&model-size=32,3,4,0&model-plan=0,1_2.6.2_1_all&model-bounds=at-tokens';

pageTest('an address holds the random model and the plan, and earlier results stay beside new ones', { hash: LINK }, async ({ page }) => {
  await hasTokens(page);
  assert.equal(await page.locator('#model-source').inputValue(), 'random-llama');
  assert.deepEqual(await Promise.all(['d', 'depth', 'layers', 'lengths'].map((id) => page.locator(`#model-${id}`).inputValue())), ['32', '3', '0,1', '2:6:2']);
  await page.click('#model-run');
  await inPhase(page, 'done');
  assert.ok(await page.locator('#adversarial-measure').isDisabled());
  assert.match(await page.getByTestId('adversarial-reason').innerText(), /rotary positions/);
  // The page writes what it reads.
  await page.selectOption('#model-source', 'random-gpt2');
  await page.waitForFunction(() => !location.hash.includes('random-llama') && location.hash.includes('model-size=32,3,4,0'));
  assert.match(await page.getByTestId('model-random').textContent(), /2\.45/);
  await hasTokens(page);
  assert.ok(!(await page.locator('#adversarial-measure').isDisabled()));
  // The results on screen are those of the other model, until this one is measured.
  assert.match(await page.getByTestId('model-other').innerText(), /belong to the model and text that they name/);
  assert.equal(await page.locator('.model-figures.stale').count(), 1);
  await page.click('#model-run');
  await inPhase(page, 'done');
  assert.ok(await page.getByTestId('model-other').isHidden());
  // The table of the other model is an earlier one, and one click draws it in the same figure.
  assert.match(await page.locator('.model-earlier li').innerText(), /llama/i);
  await page.check('#model-beside-0');
  const svg = await saved(page, '#export-model-norms [data-export=svg]');
  assert.match(svg, /llama/i);
  await page.click('#model-earlier-0');
  await page.waitForFunction(() => /llama/i.test(document.querySelector('[data-testid=model-about]')?.textContent ?? ''));
  // A plan that cannot be carried out is said while it is typed, and no longer once it is mended.
  await reveal(page, '#model-layers');
  await page.fill('#model-layers', '99');
  await page.waitForFunction(() => /99/.test(document.querySelector('[data-testid=model-plan-problem]')?.textContent ?? ''));
  await page.fill('#model-layers', '0');
  await page.waitForFunction(() => document.querySelector('[data-testid=model-plan-problem]').hidden);
});
