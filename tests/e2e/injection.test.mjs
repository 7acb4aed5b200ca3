// Text from a user, a file or a link is displayed as text everywhere: it creates no element and no script, it violates the
// page's content security policy nowhere, and it sends no request to another origin (browser.mjs checks the last two in every
// test).
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { pageTest, ROOT } from './browser.mjs';
import { changed, paste, reveal, saved, show } from './reading.mjs';

const MARKUP = '<img src=x onerror="window.__injected=1"><svg onload="window.__injected=2"></svg><script>window.__injected=3</script>';
const BERT = `${ROOT}tests/data/models/bert`;

/** The elements and scripts that the markup has made; none if it was shown as text. */
const injected = (page) => page.evaluate(() => [
  ...(window.__injected === undefined ? [] : [`a script ran: ${window.__injected}`]),
  ...[...document.querySelectorAll('img, [onerror], [onload], iframe, object, embed, base, form, a[href^="javascript:"], script:not([src]):not(head > script:first-of-type)')]
    .map((element) => element.outerHTML.slice(0, 200)),
]);

/** Waits until a text is shown somewhere, as text. */
const shows = (page, text) => page.waitForFunction(
  (text) => document.body.innerText.includes(text) || [...document.querySelectorAll('input, textarea')].some(({ value }) => value.includes(text)),
  text, { timeout: 60_000 },
);

async function nothingCame(page, what) {
  // Handlers of an element that came into the page run in tasks of their own.
  await page.evaluate(() => new Promise((done) => { setTimeout(() => requestAnimationFrame(done), 50); }));
  assert.deepEqual(await injected(page), [], what);
}

pageTest('markup that came into the page would be seen here', { hash: '' }, async ({ page, problems, forgetProblems }) => {
  await changed(page, 'spectral');
  await page.evaluate((markup) => document.body.insertAdjacentHTML('beforeend', markup), MARKUP);
  assert.ok((await injected(page)).length >= 2);
  assert.ok((await problems()).some((line) => line.startsWith('content security policy: script-src')));
  await page.reload();
  await changed(page, 'spectral');
  forgetProblems();
  await nothingCame(page, 'a fresh page');
});

pageTest('headers, cells and names of tables and experiments are text', async ({ page }) => {
  await changed(page, 'spectral');
  await paste(page, `${MARKUP},b\n1,2\n3,4\n`);
  await page.waitForFunction(() => document.querySelector('#distribution').value === 'own');
  await nothingCame(page, 'a header');
  await paste(page, `a,b\n1,${MARKUP}\n3,4\n`);
  await shows(page, '<img src=x');
  await nothingCame(page, 'a cell');
  await paste(page, JSON.stringify({ tokens: { source: MARKUP }, weights: { source: 'identity' } }));
  await shows(page, 'tokens.source');
  await nothingCame(page, 'a value of an experiment');
  await paste(page, JSON.stringify({ tokens: { source: 'skew', [MARKUP]: 1 } }));
  await shows(page, '<img src=x');
  await nothingCame(page, 'a key of an experiment');
  await reveal(page, '#own-file');
  for (const [name, content] of [[`${MARKUP.slice(0, 40)}.csv`, '1,2\n3,x\n'], [`${MARKUP}.npy`, '\x93NUMPY broken'], [`${MARKUP}.bin`, '\xff\xfe\x00']]) {
    await page.setInputFiles('#own-file', { name, mimeType: 'text/csv', buffer: Buffer.from(content, 'latin1') });
    await page.waitForFunction(() => /cannot be read|Row 2/.test(document.body.innerText));
    await nothingCame(page, `a file named ${name}`);
  }
});

/** Finds the fields of a link in the source of the page: the id of each, and after it the key where the key differs from the id. */
const NAMED = /(?:\bkey: |\b(?:choice|whole|real)!\(\s*|\bnew\(\s*\()"([^"]+)"(?:,\s*"([^"]+)")?/g;
const keysIn = (file) => Array.from(readFileSync(`${ROOT}${file}`, 'utf8').matchAll(NAMED), ([, id, key]) => key ?? id);
const FIELDS = ['lesson', ...keysIn('src/link/fields.rs'), ...keysIn('src/field.rs')];
/** Data as a link packs them. */
const packed = (data) => deflateSync(JSON.stringify(data)).toString('base64url');
const DATA = [
  ['token-data', { source: MARKUP }],
  ['token-data', { source: 'explicit', rows: [[1, MARKUP]] }],
  ['token-data', { source: 'explicit', rows: [[1, 2]], [MARKUP]: 1 }],
  ['weight-data', { source: 'explicit', heads: [{ [MARKUP]: [[1]] }] }],
];
const LINKS = [
  `#${MARKUP}`, `#v9&${MARKUP}`, `#v3&${MARKUP}=1`, `#v3&experiment=${MARKUP}`, `#v3&lesson=${MARKUP}.1`, `#v3&plot=${MARKUP}`,
  ...FIELDS.map((field) => `#v3&${field}=${MARKUP}`),
  ...DATA.map(([field, data]) => `#v3&tokens=own&weights=own&${field}=${packed(data)}`),
];

pageTest('no field of a link becomes more than text', { hash: '', timeout: 240_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  assert.ok(FIELDS.length >= 50, `only ${FIELDS.length} fields were found`);
  for (const link of LINKS) {
    // As typed, and percent-encoded as a browser writes it, but with & and = as they are.
    for (const hash of [link, `#${encodeURIComponent(link.slice(1)).replaceAll('%26', '&').replaceAll('%3D', '=')}`]) {
      const problems = await page.evaluate((hash) => { location.hash = hash; return new Promise((done) => { setTimeout(done, 60); }); }, hash);
      assert.equal(problems, undefined);
      assert.deepEqual(await injected(page), [], hash);
    }
  }
  await nothingCame(page, 'the last link');
});

for (const [name, fragment] of [['a field', `v3&n=${MARKUP}`], ['a version', MARKUP], ['a lesson', `v3&lesson=${MARKUP}`]]) {
  pageTest(`a page that opens with markup in ${name} of its link shows text`, { hash: `#${fragment}` }, async ({ page }) => {
    await changed(page, 'spectral');
    await nothingCame(page, name);
  });
}

pageTest('query and storage are no way in either', { hash: '' }, async ({ page }) => {
  await changed(page, 'spectral');
  await page.evaluate((markup) => {
    for (const key of ['theme', 'language', 'lipscope-theme', 'lipscope-language', ...Object.keys(localStorage)]) localStorage.setItem(key, markup);
  }, MARKUP);
  await page.goto(`${page.url().split(/[?#]/)[0]}?lang=${encodeURIComponent(MARKUP)}&${encodeURIComponent(MARKUP)}`);
  await changed(page, 'spectral');
  await nothingCame(page, 'query and storage');
});

pageTest('tokenizers, configs, texts and tables of models are text', { timeout: 300_000 }, async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-markup-'));
  const read = (name) => readFileSync(`${BERT}/${name}`);
  const file = (name, content) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });
  const choose = (...files) => page.setInputFiles('#model-files', files);
  const config = JSON.parse(read('config.json'));
  const problem = () => page.waitForFunction(() => document.querySelector('[data-testid="model-problem"]:not([hidden])')?.textContent);
  try {
    await show(page, 'model');
    await page.selectOption('#model-source', 'files');
    for (const [key, change] of [['model_type', { model_type: MARKUP }], ['hidden_act', { hidden_act: MARKUP }], ['hidden_size', { hidden_size: MARKUP }]]) {
      await choose(file('config.json', JSON.stringify({ ...config, ...change })), file('model.safetensors', read('model.safetensors')), file('vocab.txt', read('vocab.txt')));
      await problem();
      await nothingCame(page, key);
    }
    await choose(file('config.json', JSON.stringify(config)), file('model.safetensors', read('model.safetensors')), file('tokenizer.json', JSON.stringify({ version: MARKUP, model: { type: MARKUP, vocab: { [MARKUP]: 0 } } })));
    await problem();
    await nothingCame(page, 'tokenizer.json');
    // A vocabulary with markup as an entry, and a text of markup.
    const vocab = read('vocab.txt').toString().split('\n');
    vocab[200] = MARKUP;
    vocab[201] = '<';
    await choose(file('config.json', JSON.stringify(config)), file('model.safetensors', read('model.safetensors')), file('vocab.txt', vocab.join('\n')));
    await reveal(page, '#model-text');
    await page.fill('#model-text', `${MARKUP} `.repeat(12));
    await page.waitForFunction(() => Number(document.querySelector('[data-testid="model-tokens"]')?.dataset.value) > 0);
    for (const [id, words] of [['model-layers', '0'], ['model-lengths', '4,8'], ['model-windows', '2']]) {
      await reveal(page, `#${id}`);
      await page.fill(`#${id}`, words);
    }
    await page.click('#model-run');
    await page.waitForFunction(() => document.querySelector('[data-testid="model-progress"]')?.dataset.phase === 'done', undefined, { timeout: 120_000 });
    await nothingCame(page, 'entries and text');
    // A table whose texts are markup and formulas.
    const csv = await saved(page, '#model-csv');
    const [header, ...rows] = csv.trim().split('\n');
    const subject = [MARKUP, `=1+1${MARKUP}`, MARKUP, MARKUP, MARKUP].map((text) => `"${text.replaceAll('"', '""')}"`).join(',');
    const table = join(folder, 'table.csv');
    writeFileSync(table, `${header}\n${rows.map((row) => [subject, ...row.split(',').slice(5)].join(',')).join('\n')}\n`);
    await page.setInputFiles('#model-table', table);
    await shows(page, '<img src=x');
    await nothingCame(page, 'a table of results');
    await page.setInputFiles('#model-table', { name: `${MARKUP}.csv`, mimeType: 'text/csv', buffer: Buffer.from(`${MARKUP}\n1\n`) });
    await problem();
    await nothingCame(page, 'the name of a table');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

pageTest('an address of a model is text', async ({ page, forgetProblems }) => {
  await show(page, 'model');
  await page.selectOption('#model-source', 'address');
  for (const address of [MARKUP, `javascript:${MARKUP}`, `https://127.0.0.1:1/${MARKUP}`, 'data:text/html,<script>1</script>']) {
    await page.fill('#model-address', address);
    await page.click('#model-look');
    await page.waitForFunction(() => document.querySelector('[data-testid="model-problem"]:not([hidden])')?.textContent);
    await nothingCame(page, address);
  }
  // For the third address the page sends the request that was asked for; no server is there, so its failure is expected.
  forgetProblems();
});
