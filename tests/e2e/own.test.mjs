// Tokens and weights of one's own: the form in sight, the question which weights, boxes for matrices, and many dimensions at once.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { changed, digits, exported, paste, reaches, reveal, value } from './reading.mjs';
import { DESKTOP, measureOnCommandLine, openPage, pageTest, PHONE, waitForStart } from './browser.mjs';

const note = (page) => page.getByTestId('own-note').innerText();

/** Waits until an element has the focus, lies in the window, and nothing lies over it. */
async function inSight(page, id) {
  await page.waitForFunction((id) => {
    const element = document.getElementById(id);
    if (!element || document.activeElement !== element) return false;
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top >= 0 && bottom <= innerHeight && over === element;
  }, id, { timeout: 10_000 });
}

for (const [name, viewport] of [['desktop', DESKTOP], ['phone', PHONE]]) {
  pageTest(`on a ${name} the form of own tokens opens in sight, with the focus in it`, { viewport, hash: '' }, async ({ page }) => {
    await page.waitForSelector('#quick-yours');
    await page.click('#quick-yours');
    await inSight(page, 'own-text');
  });
}

pageTest('the fold of own data that a reader opens comes into sight', { viewport: DESKTOP, hash: '' }, async ({ page }) => {
  await page.click('#more-controls');
  await page.waitForSelector('#own > summary');
  // Scrolls the form to the lower edge of the window, where the reader finds it.
  await page.evaluate(() => {
    const summary = document.querySelector('#own > summary');
    summary.scrollIntoView({ block: 'end' });
    summary.click();
  });
  await page.waitForFunction(() => {
    const [fold, box] = ['#own', '#own-text'].map((selector) => document.querySelector(selector)?.getBoundingClientRect());
    return box?.height > 0 && fold.top >= -1 && box.bottom <= innerHeight;
  }, null, { timeout: 10_000 });
});

pageTest('own weights that are asked for open their boxes in sight', async ({ page }) => {
  await changed(page, 'spectral');
  await page.selectOption('#weights', 'own');
  await inSight(page, 'own-q');
});

pageTest('a table that can be read in two ways is asked about, and a button answers', async ({ page }) => {
  await changed(page, 'spectral');
  await paste(page, '0,1\n1.0,2.0\n0.5,-1.0\n-0.25,0.75');
  const answers = page.getByTestId('own-answers');
  await answers.waitFor({ state: 'visible' });
  assert.match(await page.getByTestId('own-problem').innerText(), /two ways.*first row \(0, 1\)/);
  await answers.getByRole('button').first().click();
  await page.waitForFunction(() => /3 × 2 tokens.*header \(0, 1\)/.test(document.querySelector('[data-testid=own-note]').textContent));
  assert.equal(await answers.isVisible(), false);
});

pageTest('a comma that may be the decimal mark is asked about, and each answer is read', async ({ page }) => {
  await changed(page, 'spectral');
  const answers = page.getByTestId('own-answers');
  for (const [button, shape] of [['The comma is the decimal mark', /4 × 1 tokens.*decimal commas/], ['The comma separates two columns', /4 × 2 tokens/]]) {
    await paste(page, '7.5,7\n8.5,8\n9.5,9');
    await page.waitForFunction(() => /3 × 2 tokens/.test(document.querySelector('[data-testid=own-note]').textContent));
    await paste(page, '2,5\n1,5\n3,75\n0,25');
    await answers.waitFor({ state: 'visible' });
    assert.match(await page.getByTestId('own-problem').innerText(), /comma in 3,75 may be the decimal mark, or separate two columns/);
    await answers.getByRole('button', { name: button }).click();
    await page.waitForFunction((shape) => new RegExp(shape, 's').test(document.querySelector('[data-testid=own-note]').textContent), shape.source);
  }
});

pageTest('a token that looks like a comment is a row, and a comment is named', async ({ page }) => {
  await changed(page, 'spectral');
  await paste(page, '# my tokens\nplay 1.25 -2.5\n##ing 3.5 4.75\nnow -0.125 6.0');
  await page.waitForFunction(() => /3 × 2 tokens/.test(document.querySelector('[data-testid=own-note]').textContent));
  assert.match(await note(page), /the comment # my tokens.*the line ##ing 3\.5 4\.75 as a row/);
});

pageTest('tokens that come without weights are measured with weights that are named, and the form asks which', async ({ page }) => {
  await changed(page, 'spectral');
  await page.selectOption('#weights', 'identity-minus');
  await paste(page, '[[ 1.   -2.5 ]\n [ 0.25  3.  ]\n [\u22121.    0.5 ]]');
  const question = page.getByTestId('own-weights-question');
  await question.waitFor({ state: 'visible' });
  assert.match(await question.innerText(), /came without weights.*A = −I.*Which weights/s);
  assert.match(await note(page), /3 × 2 tokens\. Weights: identity, A = −I/);
  assert.ok(await page.isChecked('#own-weights-minus'));
  const before = await digits(page, 'spectral');
  await page.check('#own-weights-plus');
  await changed(page, 'spectral', before);
  await question.waitFor({ state: 'hidden' });
  assert.match(await note(page), /Weights: identity, A = I/);
  assert.equal((await exported(page)).weights.sign, 1);
  const plus = await digits(page, 'spectral');
  await page.check('#own-weights-random');
  await changed(page, 'spectral', plus);
  assert.match(await note(page), /Weights: random/);
  assert.equal((await exported(page)).weights.source, 'random');
});

pageTest('a first line that is taken for a header is said to be none of the tokens', async ({ page }) => {
  await changed(page, 'spectral');
  await paste(page, 'left,right\n1,2\n3,4');
  await page.waitForFunction(() => /2 × 2 tokens/.test(document.querySelector('[data-testid=own-note]').textContent));
  assert.match(await note(page), /dropped: header \(left, right\)/);
  await paste(page, '1,2\n3,4\n5,6');
  await page.waitForFunction(() => /3 × 2 tokens/.test(document.querySelector('[data-testid=own-note]').textContent));
  assert.doesNotMatch(await note(page), /header/);
});

pageTest('the boxes for own weights say the shapes and that scores are divided by √k', async ({ page }) => {
  await changed(page, 'spectral');
  await page.selectOption('#weights', 'own');
  await inSight(page, 'own-q');
  assert.match(await page.locator('#own-weights').innerText(), /divides scores by √k.*Q \(k × d\).*K \(k × d\)/s);
});

pageTest('every matrix has a box that takes prints and files, and the experiment is that of the command line', async ({ page }) => {
  await changed(page, 'spectral');
  await paste(page, 'tensor([[ 1.0000, -2.5000],\n        [ 0.2500,  3.0000]], dtype=torch.float64, grad_fn=<MmBackward0>)');
  await page.waitForFunction(() => document.querySelector('#distribution').value === 'own');
  await page.check('#own-weights-own');
  await page.fill('#own-q', 'array([[1. , 0.5],\n       [0. , 2. ]], dtype=float32)');
  await page.fill('#own-k', '[[ .25 -1. ]\n [1e-1  0. ]]');
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-'));
  const file = join(folder, 'v.csv');
  writeFileSync(file, '1,0\n0,1\n1,1\n');
  await page.setInputFiles('#own-v-file', file);
  // The file is read while the page goes on.
  await page.waitForFunction(() => document.querySelector('#own-v').placeholder === 'v.csv');
  await page.fill('#own-output', '[1, 2, \u22123]');
  await page.click('#own-weights-apply');
  await page.waitForFunction(() => document.querySelector('[data-testid="own-note"]').textContent.includes('your 2 × 2 tokens and your weights'));
  const experiment = await exported(page);
  assert.deepEqual(experiment.weights.heads, [{ q: [[1, 0.5], [0, 2]], k: [[0.25, -1], [0.1, 0]], v: [[1, 0], [0, 1], [1, 1]] }]);
  assert.deepEqual(experiment.weights.output, [[1, 2, -3]]);
  const { lines } = await measureOnCommandLine(experiment);
  await reaches(page, 'spectral', lines[0].spectral, 1e-9 * lines[0].spectral);
});

pageTest('matrices that do not fit and abridged prints are answered with a sentence', async ({ page }) => {
  const before = await changed(page, 'spectral');
  await paste(page, '1,2\n3,4\n5,6');
  await page.waitForFunction(() => document.querySelector('#distribution').value === 'own');
  await changed(page, 'spectral', String(before));
  const good = await digits(page, 'spectral');
  await page.check('#own-weights-own');
  for (const [q, k, parts] of [
    ['1 2 3', '1 2 3', ['Q is 1 x 3', 'any number of rows of 2 numbers']],
    ['1 2', '1 2\n3 4', ['K is 2 x 2', '1 x 2']],
    ['', '1 2', ['Q is empty']],
    ['[[1. 2.]\n ...\n [3. 4.]]', '1 2', ['Q is abridged', 'numpy.set_printoptions']],
  ]) {
    await page.fill('#own-q', q);
    await page.fill('#own-k', k);
    await page.click('#own-weights-apply');
    await page.waitForFunction((parts) => {
      const shown = document.querySelector('[data-testid="own-weights-problem"]:not([hidden])')?.textContent ?? '';
      return parts.every((part) => shown.includes(part));
    }, parts, { timeout: 10_000 });
    assert.equal(await digits(page, 'spectral'), good);
  }
  await paste(page, '[[1. 2. ... 3.]\n [4. 5. ... 6.]]');
  await page.waitForFunction(() => document.querySelector('[data-testid="own-problem"]').textContent.includes('The token list is abridged'));
});

pageTest('several heads come in an experiment file, whose form is shown', async ({ page }) => {
  await changed(page, 'spectral');
  await page.selectOption('#weights', 'own');
  await reveal(page, '.own-form pre');
  await paste(page, await page.locator('.own-form pre').innerText());
  await page.waitForFunction(() => document.querySelector('#weights').value === 'own');
});

pageTest('three tokens of a thousand numbers are measured within a second', { timed: true, timeout: 120_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  await page.selectOption('#weights', 'identity-minus');
  const row = (seed) => Array.from({ length: 1000 }, (_, i) => (Math.sin(i * (seed + 1.37) + seed) * 0.05).toFixed(6)).join(',');
  await reveal(page, '#own-text');
  await page.fill('#own-text', [1, 2, 3].map(row).join('\n'));
  const before = await digits(page, 'spectral');
  const began = Date.now();
  await page.click('#own-apply');
  await changed(page, 'spectral', before);
  const wall = Date.now() - began;
  assert.equal(await page.getByTestId('d').first().innerText(), '1000');
  const engine = await value(page, 'time');
  console.log(`3 x 1000 tokens: ${engine} ms in the engine, ${wall} ms until the number is on screen`);
  assert.ok(engine > 0 && engine < 1000, `${engine} ms in the engine`);
  // Besides the engine's time, this includes reading, drawing, and whatever else runs on this machine.
  assert.ok(wall < 4000, `${wall} ms until the number was on screen`);
});

/** Drops a file on the page, as a browser reports it. */
const dropFile = (page, name, text) => page.evaluate(([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  for (const kind of ['dragover', 'drop']) document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data }));
}, [name, text]);

test('a file dropped on a fresh page is taken, before the later part has arrived and while all controls are closed', async () => {
  const { page, context, url, close, problems } = await openPage({ started: false, hash: '', controls: 'closed' });
  try {
    // The later part comes only when it is let through.
    let letThrough;
    const held = new Promise((resolve) => { letThrough = resolve; });
    await context.route(/\/later-[0-9a-f]+\.wasm$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(url);
    await waitForStart(page);
    await changed(page, 'explore-norm');
    await dropFile(page, 'three.csv', '1,2\n3,4\n5,6\n');
    assert.equal(await page.locator('#own-text').count(), 0, 'the form has not arrived');
    letThrough();
    await page.waitForFunction(() => document.querySelector('[data-testid=n]')?.dataset.value === '3', undefined, { timeout: 20_000 });
    assert.match(await note(page), /3 × 2 tokens/);
    assert.ok(await page.locator('#own-text').isVisible(), 'the form is in sight');
    assert.deepEqual(await problems(), []);
  } finally {
    await close();
  }
});
