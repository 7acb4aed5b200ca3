// The switch between norms of the Jacobian: every view and bound follows it.
import assert from 'node:assert/strict';
import { measureOnCommandLine, pageTest } from './browser.mjs';
import { changed, digits, exported, reveal, show, swept, type, value } from './reading.mjs';

const near = (a, b, what) => assert.ok(Math.abs(a / b - 1) < 1e-6, `${what}: ${a} and ${b}`);

const columns = (page, table) => page.locator(`${table} thead th`).allTextContents();

pageTest('each norm stands in the headline, as the command line has it', async ({ page }) => {
  await type(page, 'n-number', '16');
  await changed(page, 'spectral');
  const { lines: [expected] } = await measureOnCommandLine(await exported(page));
  for (const norm of ['linf', 'l1', 'frobenius', 'spectral']) {
    await page.selectOption('#norm', norm);
    near(await value(page, norm), expected[norm], norm);
    // The other norms stand under it, each once.
    for (const other of ['linf', 'l1', 'frobenius', 'spectral']) {
      assert.equal(await page.getByTestId(other).count(), 1, other);
    }
  }
});

pageTest('the upper number is the command line\'s, and says what it holds by', async ({ page }) => {
  await page.selectOption('#distribution', 'ball');
  await type(page, 'n-number', '100');
  await changed(page, 'spectral');
  await page.waitForFunction(() => Number(document.querySelector('[data-testid="upper"]')?.dataset.value) > 0);
  const { lines: [expected] } = await measureOnCommandLine(await exported(page));
  near(await value(page, 'upper'), expected.upper, 'upper');
  assert.deepEqual([expected.upper_by, expected.failure], ['chance', 1e-9]);
  assert.match(await page.getByTestId('upper').textContent(), /^\d\.\d+ \(error probability 10⁻⁹\)$/);
  await page.selectOption('#norm', 'linf');
  await page.waitForFunction(() => !document.querySelector('[data-testid="upper"]').dataset.value);
});

pageTest('bounds that are about another norm are gone, with a word why', async ({ page }) => {
  await changed(page, 'spectral');
  assert.ok(await value(page, 'bound-unified') > 0);
  assert.ok(await page.getByTestId('norm-note').isHidden());
  await page.selectOption('#norm', 'linf');
  assert.equal(await digits(page, 'bound-unified'), '');
  assert.match(await page.getByTestId('norm-note').textContent(), /L2-MHA \[K\]/);
  assert.equal(await digits(page, 'growth-unified'), '');
  assert.equal(await digits(page, 'growth-gap'), '');
  // A lower bound on the spectral norm is also one on the Frobenius norm.
  await page.selectOption('#norm', 'frobenius');
  assert.ok(await value(page, 'bound-two_clusters') > 0);
  assert.equal(await digits(page, 'bound-unified'), '');
});

pageTest('the draws, their slope and their table are of the chosen norm', async ({ page }) => {
  await show(page, 'growth');
  await swept(page);
  const spectral = await value(page, 'slope');
  await page.selectOption('#norm', 'linf');
  await swept(page);
  await page.waitForFunction((before) => Number(document.querySelector('[data-testid="slope"]').dataset.value) !== before, spectral);
  await reveal(page, '#growth-table .table-fold-rows');
  await page.waitForSelector('#growth-table tbody tr');
  const header = (await columns(page, '#growth-table')).join(' ');
  assert.doesNotMatch(header, /unified|any n/);
});

pageTest('L2-MHA: the bound on the row sums comes with its norm, over n too', async ({ page }) => {
  await page.selectOption('#distribution', 'ball');
  await page.selectOption('#weights', 'kim');
  await page.waitForFunction(() => Number(document.querySelector('[data-testid="bound-kim_l2"]')?.dataset.value) > 0);
  await page.waitForFunction(() => Number(document.querySelector('[data-testid="growth-kim_l2"]')?.dataset.value) > 0);
  assert.equal(await digits(page, 'bound-kim_linf'), '');
  const spectral = await digits(page, 'growth-kim_l2');
  await page.selectOption('#norm', 'linf');
  assert.ok(await value(page, 'bound-kim_linf') >= await value(page, 'linf'));
  assert.equal(await digits(page, 'bound-kim_l2'), '');
  assert.notEqual(await changed(page, 'growth-kim_l2', spectral), Number(spectral));
  await page.selectOption('#norm', 'l1');
  assert.match(await page.getByTestId('norm-note').textContent(), /no bound on it is known/);
});

pageTest('the norm over tokens is a bound, and says so', async ({ page }) => {
  await page.selectOption('#distribution', 'ball');
  await type(page, 'n-number', '12');
  await page.selectOption('#norm', 'max_token');
  await changed(page, 'max_token');
  assert.equal(await page.locator('.spectral .sign').textContent(), '≤');
  const { lines: [expected] } = await measureOnCommandLine(await exported(page), ['--block-norms']);
  near(await value(page, 'max_token'), expected.bounds.find((bound) => bound.id === 'max_token').value, 'max_token');
});

pageTest('beside the norm stands what does not follow it', async ({ page }) => {
  const stays = page.getByTestId('norm-stays');
  assert.ok(await stays.isHidden());
  await page.selectOption('#norm', 'frobenius');
  await stays.waitFor({ state: 'visible' });
  assert.match(await stays.innerText(), /sentence always show L/);
});
