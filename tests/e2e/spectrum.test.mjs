// The singular values and the estimators of the largest one.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { DESKTOP, pageTest, PHONE, ROOT, seriousFaults } from './browser.mjs';
import { answered, digits, exported, show, type, value } from './reading.mjs';

const rows = (page, id) => page.locator(`#${id} tbody tr`).count();

pageTest('the first singular value is the headline, and there are as many as rows', async ({ page }) => {
  await answered(page, 'spectrum', () => show(page, 'spectrum'));
  const [first, headline] = [await value(page, 'spectrum-first'), await value(page, 'spectral')];
  assert.ok(Math.abs(first / headline - 1) < 1e-10, `${first} and ${headline}`);
  assert.equal(await value(page, 'spectrum-size'), 64);
  assert.ok((await value(page, 'spectrum-gap')) > 1);
  assert.ok((await value(page, 'spectrum-residual')) < 1e-9);
  assert.match(await page.getByTestId('top-block').innerText(), /^Of the effect of the worst change on output token \d+, .+% comes through input token \d+/);
  // It follows the controls: tokens in general position, then more of them than a dense SVD takes.
  await answered(page, 'spectrum', () => page.selectOption('#distribution', 'ball'));
  assert.ok(Math.abs((await value(page, 'spectrum-first')) / (await value(page, 'spectral')) - 1) < 1e-9);
  await answered(page, 'spectrum', () => type(page, 'n-number', '400'));
  assert.match(await page.getByTestId('spectrum-how').innerText(), /leading 20 of 800/);
  assert.ok(Math.abs((await value(page, 'spectrum-first')) / (await value(page, 'spectral')) - 1) < 1e-9);
  await page.click('#spectrum-table summary');
  await page.waitForFunction(() => document.querySelectorAll('#spectrum-table tbody tr').length === 20);
  await answered(page, 'spectrum', () => type(page, 'spectrum-count', '7'));
  await page.waitForFunction(() => document.querySelectorAll('#spectrum-table tbody tr').length === 7);
  await page.click('#energy-table summary');
  await page.waitForSelector('#energy-table tbody tr');
  assert.equal(await rows(page, 'energy-table'), 400);
});

pageTest('attention with its residual connection has the values of the command line', async ({ page }) => {
  await answered(page, 'spectrum', () => show(page, 'spectrum'));
  const alone = await value(page, 'spectrum-first');
  await answered(page, 'spectrum', () => page.selectOption('#spectrum-map', 'attention-residual'));
  const first = await value(page, 'spectrum-first');
  assert.ok(first > 0 && first <= 1 + alone, `${first} with the residual, ${alone} without`);
  const binary = process.env.LIPSCOPE_BIN ?? `${ROOT}target/debug/lipscope`;
  const table = execFileSync(binary, ['spectrum', '--map', 'attention-residual'], { input: JSON.stringify(await exported(page)), stdio: ['pipe', 'pipe', 'ignore'] });
  const [, line] = table.toString().split('\n');
  assert.ok(Math.abs(Number(line.split(',')[1]) / first - 1) < 1e-12, `${line} and ${first}`);
  assert.match(page.url(), /spectrum-map=attention-residual/);
});

pageTest('the lines under both charts are whole, and the charts hold still while they change', { viewport: DESKTOP }, async ({ page }) => {
  await answered(page, 'spectrum', () => show(page, 'spectrum'));
  for (const id of ['spectrum', 'energy']) {
    const isWhole = () => page.locator(`#${id}-readout`).evaluate((line) => line.scrollWidth <= line.clientWidth && line.scrollHeight <= line.clientHeight + 1);
    assert.ok(await isWhole(), id);
    await page.focus(`#${id}-plot`);
    const before = await page.locator(`#${id}-plot`).boundingBox();
    await page.keyboard.press('Home');
    await page.waitForFunction((id) => /(i = 1 |token 1 )/.test(document.querySelector(`#${id}-readout`).textContent), id);
    assert.ok(await isWhole(), id);
    assert.deepEqual(await page.locator(`#${id}-plot`).boundingBox(), before);
  }
});

pageTest('keys read both charts', async ({ page }) => {
  await answered(page, 'spectrum', () => show(page, 'spectrum'));
  await page.focus('#spectrum-plot');
  await page.keyboard.press('Home');
  assert.match(await page.locator('#spectrum-readout').innerText(), /i = 1 /);
  await page.keyboard.press('ArrowRight');
  assert.match(await page.locator('#spectrum-readout').innerText(), /i = 2 /);
  await page.focus('#energy-plot');
  await page.keyboard.press('Home');
  assert.match(await page.locator('#energy-readout').innerText(), /token 1 .*output .*% .*input .*%/);
});

pageTest('a block of the Jacobian is selected with keys and with a press, and travels in the link', async ({ page }) => {
  await page.selectOption('#distribution', 'ball');
  await answered(page, 'spectrum', () => show(page, 'spectrum'));
  const read = () => page.locator('#blocks-readout').innerText();
  const reads = (words) => page.waitForFunction((words) => new RegExp(words).test(document.querySelector('#blocks-readout').textContent), words);
  // At first it is the block that the sentence about the first pair names.
  await reads('contributes most to σ₁');
  const [, output, input] = (await page.getByTestId('top-block').innerText()).match(/on output token (\d+), .+ comes through input token (\d+)/);
  assert.match(await read(), new RegExp(`output token ${output}, input token ${input} `));
  await page.focus('#blocks-map');
  for (const [key, words] of [['Home', 'output token 1, input token 1 '], ['ArrowDown', 'output token 2, input token 1 '], ['ArrowRight', 'output token 2, input token 2 '], ['ArrowUp', 'output token 1, input token 2 '], ['ArrowLeft', 'output token 1, input token 1 ']]) {
    await page.keyboard.press(key);
    await reads(words);
  }
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => /block=2\.1/.test(location.href));
  // The table has every block, the largest norm first; its norms are those that the picture reads.
  await page.click('#blocks-table summary');
  await page.waitForFunction(() => document.querySelectorAll('#blocks-table tbody tr').length === 64 * 64);
  const row = await page.locator('#blocks-table tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)).find(([output, input]) => output === '2' && input === '1'));
  assert.ok((await read()).includes(`norm ${row[2]},`), `${row} and ${await read()}`);
  await page.click('#blocks-table summary');
  // A press selects the cell under it.
  const box = await page.locator('#blocks-map').boundingBox();
  await page.mouse.click(box.x + 120, box.y + 100);
  await page.waitForFunction((before) => document.querySelector('#blocks-readout').textContent !== before, await read());
  await page.keyboard.press('Escape');
  await reads('contributes most to σ₁');
  // Of more tokens the first ones are drawn, and the page says so.
  await answered(page, 'spectrum', () => type(page, 'n-number', '90'));
  await page.waitForFunction(() => /first 64 of 90/.test(document.querySelector('[data-testid="blocks-note"]').textContent));
});

pageTest('clusters have their values by multiplicity', async ({ page }) => {
  await type(page, 'n-number', '100000');
  await answered(page, 'spectrum', () => show(page, 'spectrum'));
  assert.equal(await value(page, 'spectrum-size'), 100000);
  assert.ok(Math.abs((await value(page, 'spectrum-first')) / (await value(page, 'spectral')) - 1) < 1e-10);
  assert.match(await page.getByTestId('top-block').innerText(), /cluster/);
});

pageTest('the estimators: each trial says where each stopped', async ({ page }) => {
  await answered(page, 'estimators', () => show(page, 'estimators'));
  assert.ok((await value(page, 'estimators-absolute-error')) > 1e-2, 'the absolute stop is early');
  assert.match(await page.getByTestId('estimators-absolute-value').innerText(), /^≥/);
  assert.match(await page.getByTestId('estimators-dense-value').innerText(), /^=/);
  assert.match(await page.getByTestId('estimators-lanczos-value').innerText(), /^=/);
  // A smaller tolerance fixes it.
  await answered(page, 'estimators', () => type(page, 'estimators-tolerance', '1e-12'));
  assert.ok((await value(page, 'estimators-absolute-error')) < 1e-6);
  await answered(page, 'estimators', () => page.selectOption('#estimators-trial', 'small-gap'));
  assert.ok((await value(page, 'estimators-residual-products')) >= 5 * (await value(page, 'estimators-lanczos-products')));
  const chosen = Date.now();
  await answered(page, 'estimators', () => page.selectOption('#estimators-trial', 'easy'));
  const waited = Date.now() - chosen;
  assert.ok((await value(page, 'estimators-residual-products')) <= 2 * (await value(page, 'estimators-lanczos-products')));
  // Milliseconds of one estimator, so no more than passed until all of them had answered.
  const taken = await value(page, 'estimators-dense-milliseconds');
  assert.ok(taken >= 0 && taken <= waited, `${taken} ms of ${waited} ms`);
  // The controls' own configuration: the dense value is the headline.
  await answered(page, 'estimators', () => page.selectOption('#estimators-trial', 'page'));
  assert.ok(Math.abs((await value(page, 'estimators-dense-value')) / Number(await digits(page, 'spectral')) - 1) < 1e-10);
  await page.click('#estimators-table summary');
  await page.waitForSelector('#estimators-table tbody tr');
  assert.ok((await rows(page, 'estimators-table')) > 5);
  await page.focus('#estimators-plot');
  await page.keyboard.press('Home');
  assert.match(await page.locator('#estimators-readout').innerText(), /iteration 1 .*Lanczos.*power iteration/);
  for (const shown of ['residual', 'value', 'error']) await page.selectOption('#estimators-shown', shown);
  // What has no dense SVD is refused with a sentence.
  await type(page, 'n-number', '100000');
  await page.waitForSelector('[data-testid="estimators-progress"][data-phase="failed"]', { state: 'attached' });
  assert.match(await page.getByTestId('estimators-progress').innerText(), /fewer tokens/);
});

for (const viewport of [PHONE, { width: 360, height: 740 }]) {
  pageTest(`both views fit ${viewport.width} px without serious faults`, { viewport, reducedMotion: 'reduce' }, async ({ page }) => {
    for (const view of ['spectrum', 'estimators']) {
      await answered(page, view, () => show(page, view));
      const [scroll, client] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(scroll <= client, `${view}: ${scroll} in ${client}`);
      assert.ok((await page.locator(`#${view}-plot`).boundingBox()).height >= 200);
      assert.deepEqual(await seriousFaults(page), []);
    }
  });
}
