// What can be exported: pictures as SVG and PNG, numbers as CSV, experiments as programs, citations.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adversarial, mainThreadTasks, MOST_TASK_MS, pageTest } from './browser.mjs';
import { digits, download, reveal, settled, show, swept } from './reading.mjs';

// Each view: how it is opened, its canvas, and words that its axes carry.
const VIEWS = [
  { id: 'export-growth', canvas: 'growth-plot', words: ['number of tokens n', 'Lipschitz constant L'] },
  { id: 'export-ladder', canvas: 'ladder', words: ['these tokens'] },
  { id: 'export-attention', canvas: 'attention-map', words: ['64'] },
  { id: 'export-tokens', canvas: 'token-plane', words: ['3'] },
  { id: 'export-tightness', canvas: 'tightness-plot', tab: 'plot-tightness', words: ['number of tokens n', 'ℓ∞ norm of J'] },
  { id: 'export-gap', canvas: 'gap-plot', tab: 'plot-gap', words: ['number of tokens n', 'upper / lower'] },
  { id: 'export-scaled', canvas: 'scaled-plot', tab: 'plot-scaled', words: ['R, the largest token norm', 'local Lipschitz constant'] },
  { id: 'export-inverse', canvas: 'inverse-plot', tab: 'plot-inverse', words: ['iteration t', 'error |Xₜ − X|'] },
  { id: 'export-inverse-l2', canvas: 'inverse-plane-l2', tab: 'plot-inverse', words: ['first coordinate', 'second'] },
];

// Views with settings of their own, which their links hold.
const OWN_SETTINGS = ['plot-tightness', 'plot-scaled', 'plot-inverse'];

// The address of the published page: `homepage` in Cargo.toml.
const [, PUBLISHED] = readFileSync(new URL('../../Cargo.toml', import.meta.url), 'utf8').match(/^homepage = "(.*)"$/m);

async function taken(page, view, what) {
  const file = await download(page, `#${view} [data-export="${what}"]`);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

async function ready(page) {
  await page.waitForFunction(() => document.querySelector('[data-testid=spectral]')?.dataset.value
    && Number(document.querySelector('[data-testid=growth-unified]')?.dataset.value) > 0, undefined, { timeout: 30_000 });
}

/** The texts of an SVG document, and what is wrong with it as XML. */
const parsed = (page, svg) => page.evaluate((svg) => {
  const xml = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const root = xml.documentElement;
  return {
    error: xml.querySelector('parsererror')?.textContent ?? '',
    root: root.tagName,
    inches: [root.getAttribute('width'), root.getAttribute('height')].map(Number.parseFloat),
    role: root.getAttribute('role'),
    description: xml.querySelector('desc')?.textContent ?? '',
    panels: xml.querySelectorAll('svg > g').length,
    title: xml.querySelector('title')?.textContent ?? '',
    words: [...xml.querySelectorAll('text')].map((text) => text.textContent.trim()),
    fonts: [...new Set([...xml.querySelectorAll('text')].map((text) => text.getAttribute('font-family')))],
    ground: xml.querySelector('rect')?.getAttribute('fill'),
    link: xml.querySelector('a')?.getAttribute('href') ?? '',
    marks: xml.querySelectorAll('polyline, circle, rect, polygon').length,
  };
}, svg);

for (const view of VIEWS) {
  pageTest(`${view.id}: SVG, PNG and CSV`, { colorScheme: 'dark' }, async ({ page }) => {
    await ready(page);
    if (view.tab) {
      await show(page, view.tab.slice(5));
      await page.waitForSelector(`[data-testid="${view.tab.slice(5)}-progress"][data-phase="done"]`, { state: 'attached', timeout: 90_000 });
    }
    const svg = await taken(page, view.id, 'svg');
    assert.match(svg.name, /^lipscope-.*\.svg$/);
    const document = await parsed(page, svg.bytes.toString('utf8'));
    assert.equal(document.error, '');
    assert.equal(document.root, 'svg');
    assert.deepEqual([document.inches[0], document.role, document.panels], [6.9, 'img', 1]);
    assert.ok(document.description.length > 3, JSON.stringify(document));
    // This copy is on a machine that others cannot reach: the link is that of the published page.
    assert.ok(document.link.startsWith(`${PUBLISHED}#v3&`), document.link);
    assert.ok(document.words.some((text) => text.startsWith(document.link.slice(0, 40))), document.words.join(' | '));
    const settings = document.words.some((text) => text.startsWith('n = 64, d = '));
    assert.equal(settings, !OWN_SETTINGS.includes(view.tab), document.words.join(' | '));
    assert.ok(document.title.length > 3 && document.marks > 4, JSON.stringify(document));
    for (const word of view.words) assert.ok(document.words.some((text) => text.includes(word)), `${word} is not among ${document.words.join(' | ')}`);
    assert.ok(document.fonts.every((font) => font.includes('sans-serif')), document.fonts.join());
    assert.equal(document.ground?.toLowerCase(), '#ffffff', 'white ground, also from a dark page');
    const { name, bytes } = await taken(page, view.id, 'png');
    assert.match(name, /\.png$/);
    assert.equal(bytes.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
    const pixels = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    assert.deepEqual(pixels, document.inches.map((inches) => Math.round(2 * 96 * inches)));
    const csv = (await taken(page, view.id, 'csv')).bytes.toString('utf8').trim().split(/\r?\n/);
    assert.ok(csv.length > 1 || view.id === 'export-attention', csv.join('\n'));
  });
}

pageTest('the files hold the numbers on screen', async ({ page }) => {
  await ready(page);
  const bounds = (await taken(page, 'export-ladder', 'csv')).bytes.toString('utf8');
  for (const id of ['unified', 'castin_general', 'adversarial']) {
    const log10 = await page.getByTestId(`bound-${id}`).getAttribute('data-log10');
    assert.ok(bounds.includes(log10), `${log10} of ${id} is not in\n${bounds}`);
  }
  const rows = (await taken(page, 'export-growth', 'csv')).bytes.toString('utf8').split('\n');
  const log10 = await page.getByTestId('growth-unified').getAttribute('data-log10');
  assert.ok(rows.find((line) => line.startsWith('unified,') && line.includes(',1000000000,')).includes(log10));
});

pageTest('the link under a picture opens what the picture shows', async ({ page }) => {
  await page.fill('#n-number', '12');
  await page.press('#n-number', 'Enter');
  await page.waitForFunction(() => document.querySelector('[data-testid=n]')?.dataset.value === '12');
  const { link } = await parsed(page, (await taken(page, 'export-ladder', 'svg')).bytes.toString('utf8'));
  const before = await digits(page, 'spectral');
  const other = await page.context().newPage();
  await other.goto(link.replace(PUBLISHED, page.url().split('#')[0]));
  await other.waitForFunction((wanted) => document.querySelector('[data-testid=spectral]')?.dataset.value === wanted, before);
  await other.close();
});

pageTest('both panels of Explore, or either, at widths of papers, on the sheet and with the lines that are ticked', async ({ page }) => {
  await ready(page);
  await show(page, 'explore');
  await reveal(page, '#export-explore [data-export=svg]');
  const set = (name, value) => page.selectOption(`#export-explore [data-choice=${name}]`, value);
  const drawn = async () => parsed(page, (await taken(page, 'export-explore', 'svg')).bytes.toString('utf8'));
  for (const [panels, count] of [['both', 2], ['left', 1], ['right', 1]]) {
    await set('panels', panels);
    assert.equal((await drawn()).panels, count, panels);
  }
  for (const [width, inches] of [['column', 3.3], ['page', 6.9], ['slide', 6.2992]]) {
    await set('width', width);
    const document = await drawn();
    assert.equal(document.inches[0], inches, width);
    if (width === 'slide') assert.ok(Math.abs(document.inches[0] / document.inches[1] - 16 / 9) < 0.001, String(document.inches));
  }
  for (const [sheet, ground] of [['white', '#ffffff'], ['dark', '#121417']]) {
    await set('sheet', sheet);
    assert.equal((await drawn()).ground.toLowerCase(), ground, sheet);
  }
  const before = await drawn();
  for (const tick of ['caption', 'link', 'cursor']) await page.click(`#export-explore [data-choice=${tick}]`);
  const after = await drawn();
  assert.equal(after.link, '');
  const hasSettings = ({ words }) => words.some((text) => text.startsWith('n = 64, d = '));
  assert.ok(hasSettings(before) && !hasSettings(after), after.words.join(' | '));
  assert.ok(!before.words.includes('n = 64') && after.words.includes('n = 64'), after.words.join(' | '));
  // The chart has the axis of the screen: bounds far above all others do not stretch it.
  assert.ok(!after.words.includes('800'), after.words.join(' | '));
  const { bytes } = await taken(page, 'export-explore', 'png-3');
  assert.equal(bytes.readUInt32BE(16), Math.round(3 * 96 * after.inches[0]));
});

pageTest('a figure is exported as a source for other tools, and Matplotlib draws it', async ({ page }) => {
  await ready(page);
  const folder = mkdtempSync(join(tmpdir(), 'figure-'));
  for (const [tool, name, word] of [['matplotlib', 'py', 'import matplotlib'], ['pgfplots', 'tex', '\\begin{axis}'], ['vega-lite', 'vl.json', 'vega-lite']]) {
    const source = await taken(page, 'export-growth', tool);
    assert.ok(source.name.endsWith(`.${name}`) && source.bytes.toString('utf8').includes(word), source.name);
    const python = process.env.LIPSCOPE_NUMPY;
    if (tool === 'matplotlib' && python) {
      const env = { ...process.env, MPLBACKEND: 'Agg', MPLCONFIGDIR: folder };
      const run = spawnSync(python, ['-', join(folder, 'figure.pdf')], { input: source.bytes, env });
      assert.equal(run.status, 0, String(run.stderr));
    }
  }
  rmSync(folder, { recursive: true });
  await reveal(page, '#export-attention [data-export=pgfplots]');
  await page.click('#export-attention [data-export=pgfplots]');
  await page.waitForFunction(() => document.querySelector('#export-attention [role=status]').textContent.includes('more than lines and dots'));
});

pageTest('a picture keeps the page for no long task', { timed: true }, async ({ page }, t) => {
  await show(page, 'growth');
  await swept(page);
  await ready(page);
  await reveal(page, '#export-attention [data-export=png]');
  for (const view of ['export-growth', 'export-attention', 'export-ladder']) {
    for (const what of ['png', 'svg']) {
      await reveal(page, `#${view} [data-export=${what}]`);
      const tasks = await mainThreadTasks(page, async () => { await taken(page, view, what); });
      t.diagnostic(`${view} as ${what}: ${tasks[0].cpu.toFixed(1)} ms of processor time`);
      assert.ok(tasks[0].cpu <= MOST_TASK_MS, `${view} as ${what}: ${tasks[0].cpu.toFixed(1)} ms`);
    }
  }
});

pageTest('an experiment is exported as a program, and the program finds the number on screen', async ({ page }) => {
  await page.selectOption('#preset', { label: 'LayerNorm, two heads' });
  await page.waitForFunction(() => document.querySelector('#normalization').value === 'layer');
  const shown = Number(await settled(page));
  for (const [dialect, module] of [['numpy', 'numpy'], ['pytorch', 'torch']]) {
    const { name, bytes } = await taken(page, 'export-growth', dialect);
    assert.equal(name, `lipscope_${dialect}.py`);
    assert.ok(bytes.toString('utf8').includes(`import ${module}`));
    const python = process.env.LIPSCOPE_NUMPY;
    if (dialect === 'numpy' && python) {
      const { stdout, stderr, status } = spawnSync(python, ['-'], { input: bytes });
      assert.equal(status, 0, String(stderr));
      assert.ok(Math.abs(Number(stdout) / shown - 1) < 1e-9, `${stdout} against ${shown}`);
    }
  }
  const json = JSON.parse((await taken(page, 'export-growth', 'json')).bytes.toString('utf8'));
  assert.equal(json.normalization, 'layer');
});

pageTest('a program that would be too large is refused with a sentence', { hash: adversarial('tokens=ball&n=1024&d=8') }, async ({ page }) => {
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=n]')?.dataset.value) === 1024, undefined, { timeout: 60_000 });
  await reveal(page, '#export-growth [data-export=numpy]');
  await page.click('#export-growth [data-export=numpy]');
  await page.waitForFunction(() => document.querySelector('#export-growth [role=status]').textContent.includes('over the limit of 4096'));
});

pageTest('what to cite: Lipscope and both papers, that of the view first', async ({ page }) => {
  await ready(page);
  const castin = (await taken(page, 'export-growth', 'cite')).bytes.toString('utf8');
  assert.ok(castin.includes(`url = {${PUBLISHED}}`) && castin.includes('year = {2026}') && castin.includes('pages = {5817--5840}'), castin);
  assert.match(castin, /@software\{lipscope,[\s\S]*@inproceedings\{castin2024smooth,[\s\S]*How Smooth Is Attention\?[\s\S]*@inproceedings\{kim2021lipschitz,/);
  await show(page, 'tightness');
  const kim = (await taken(page, 'export-tightness', 'cite')).bytes.toString('utf8');
  assert.match(kim, /@software\{lipscope,[\s\S]*@inproceedings\{kim2021lipschitz,[\s\S]*@inproceedings\{castin2024smooth,/);
});
