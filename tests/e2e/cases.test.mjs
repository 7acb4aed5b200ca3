// The kept files of public bug reports in the page's forms: each gives its right number, a question or a refusal.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { pageTest, ROOT } from './browser.mjs';
import { changed, digits, paste, reaches, reveal, saved, show } from './reading.mjs';

const CASES = `${ROOT}tests/data/cases/`;
const json = (path) => JSON.parse(readFileSync(`${ROOT}${path}`, 'utf8'));
const TOKENS = [[1, 2], [0.5, -1], [-0.25, 0.75]];
// The norm at these tokens with A = I, by a dense Jacobian in NumPy.
const NORM = 1.8535198497850702;

const text = (page, id) => page.evaluate((id) => {
  const element = document.querySelector(`[data-testid=${id}]`);
  return element && !element.hidden ? element.textContent : '';
}, id);

/** Gives the form of own data a file. The tokens pasted before it make the form's answer differ from the previous one. */
async function give(page, file) {
  await paste(page, '7.5,7\n8.5,8\n9.5,9\n1.5,1\n6.5,2');
  await page.waitForFunction(() => /5 × 2 tokens/.test(document.querySelector('[data-testid=own-note]').textContent));
  await page.setInputFiles('#own-file', file);
  await page.waitForFunction(() => {
    const note = document.querySelector('[data-testid=own-note]').textContent;
    return (note && !/5 × 2 tokens/.test(note)) || document.querySelector('[data-testid=own-problem]:not([hidden])')?.textContent;
  });
}

pageTest('every kept table is read as its tokens, asked about or refused', { timeout: 300_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  await reveal(page, '#own-text');
  const cases = Object.entries(json('tests/data/cases/tables.json'));
  for (const [name, { rows, told, refused, asked }] of cases) {
    await give(page, `${CASES}tables/${name}`);
    const problem = await text(page, 'own-problem');
    if (refused) {
      assert.ok(refused.every((part) => problem.includes(part)), `${name}: ${problem}`);
      continue;
    }
    if (asked) {
      assert.match(problem, /two ways/, name);
      await page.getByTestId('own-answers').getByRole('button').first().click();
    } else {
      assert.equal(problem, '', name);
    }
    const shape = `${rows.length} × ${rows[0].length} tokens`;
    await page.waitForFunction((shape) => document.querySelector('[data-testid=own-note]').textContent.includes(shape), shape)
      .catch(async () => assert.fail(`${name}: ${await text(page, 'own-note')}`));
    const note = await text(page, 'own-note');
    assert.ok(note.includes(told), `${name}: ${note}`);
    if (await page.isChecked('#own-weights-plus') === false) await page.check('#own-weights-plus');
    if (JSON.stringify(rows) === JSON.stringify(TOKENS)) {
      await reaches(page, 'spectral', NORM, 1e-9).catch(async () => assert.fail(`${name}: ${await digits(page, 'spectral')}`));
    }
  }
  assert.ok(cases.length >= 102);
});

pageTest('every kept experiment is measured or refused', { timeout: 300_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  await reveal(page, '#own-text');
  const single = Object.entries(json('tests/golden/cases.json')).filter(([name]) => name.endsWith('.json'));
  for (const [at, [name, [norm]]] of single.entries()) {
    // A fresh scene each time: settings that an experiment does not contain stay unchanged.
    const n = String(33 + at);
    await page.evaluate((n) => { location.hash = `#v3&n=${n}`; }, n);
    await page.waitForFunction((n) => document.querySelector('#n-number').value === n && !document.querySelector('[role=alert]:not([hidden])')?.textContent, n);
    await page.setInputFiles('#own-file', `${CASES}experiments/${name}`);
    // Scores of 1e320 are past what numbers hold.
    if (norm === null || name === 'overflow_1e160.json') {
      await page.waitForFunction(() => /eps = 0|overflow/.test([...document.querySelectorAll('[role=alert]:not([hidden])')].map((alert) => alert.textContent).join(' ')))
        .catch(async () => assert.fail(`${name}: ${await digits(page, 'spectral')}`));
      continue;
    }
    // Where rounding matters, the number has fewer digits.
    await reaches(page, 'spectral', norm, 1e-6 * Math.max(norm, 1e-3)).catch(async () => assert.fail(`${name}: ${await digits(page, 'spectral')} for ${norm}`));
  }
  assert.ok(single.length >= 40);
});

pageTest('every kept model is measured or refused', { timeout: 300_000 }, async ({ page }) => {
  await show(page, 'model');
  await page.selectOption('#model-source', 'files');
  const values = json('tests/data/cases/model_values.json');
  // The first is measured with another map only; native tests hold the two RoBERTas against each other.
  const elsewhere = ['gpt2_zero_row_eps0', 'roberta_', 'roberta_roberta'];
  const names = readdirSync(`${CASES}models`).filter((name) => !elsewhere.includes(name));
  for (const name of names) {
    const folder = `${CASES}models/${name}`;
    await page.setInputFiles('#model-folder', folder);
    const expected = values[name];
    if (!expected) {
      await page.waitForFunction(() => document.querySelector('[data-testid=model-problem]:not([hidden])')?.textContent);
      const said = await text(page, 'model-problem');
      assert.match(said, /not supported|pytorch_model\.bin|no class of Bert/, `${name}: ${said}`);
      continue;
    }
    const plan = { 'model-layers': String(expected.layer), 'model-lengths': String(expected.n), 'model-windows': '1', 'model-text': readFileSync(`${folder}/text.txt`, 'utf8') };
    for (const [id, words] of Object.entries(plan)) {
      await reveal(page, `#${id}`);
      await page.fill(`#${id}`, words);
    }
    await page.waitForFunction((name) => document.querySelector('[data-testid=model-facts]').textContent.includes(name)
      && Number(document.querySelector('[data-testid=model-tokens]')?.dataset.value) > 0, name);
    await page.click('#model-run');
    await page.waitForFunction(() => document.querySelector('[data-testid=model-progress]').dataset.phase === 'done');
    const [head, row] = (await saved(page, '#model-csv')).trim().split('\n').map((line) => line.split(','));
    assert.match(row[head.indexOf('model')], new RegExp(`^${name}\\b`));
    const found = Number(row[head.indexOf('spectral')]);
    assert.ok(Math.abs(found / expected.spectral - 1) < 1e-6, `${name}: ${found} for ${expected.spectral}`);
  }
  assert.ok(names.length >= 28);
});
