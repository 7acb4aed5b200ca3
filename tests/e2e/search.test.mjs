// The search for worse tokens: it starts when asked, pauses, goes on, is drawn into the plot, and what it finds is measured again.
import assert from 'node:assert/strict';
import { adversarial, pageTest, PHONE, seriousFaults } from './browser.mjs';
import { digits, reaches, saved, show, type, value } from './reading.mjs';

const inPhase = (page, ...phases) => page.waitForFunction(
  (phases) => phases.includes(document.querySelector('[data-testid="search-progress"]')?.dataset.phase),
  phases,
  { timeout: 90_000 },
);

const passes = (page, id, least) => page.waitForFunction(
  ([id, least]) => Number(document.querySelector(`[data-testid="${id}"]`)?.dataset.value || NaN) >= least,
  [id, least],
  { timeout: 60_000 },
);

/** Sets the controls to A = -1, R = 1.5, n = 16 and adversarial tokens. */
async function sixteen(page) {
  await type(page, 'radius-number', '1.5');
  await type(page, 'n-number', '16');
  await reaches(page, 'spectral', 5.659, 5e-4);
  await show(page, 'growth');
  await page.click('#growth-range-measured');
  await page.click('#search > summary');
  await page.locator('#search-start').waitFor();
}

pageTest('a search passes six, pauses, goes on, and its tokens are measured again', { timeout: 240_000 }, async ({ page }) => {
  await sixteen(page);
  // Nothing begins by itself.
  await page.waitForTimeout(400);
  assert.equal(await page.getByTestId('search-progress').getAttribute('data-phase'), 'waiting');
  assert.ok(await page.locator('#search-load').isHidden() && await page.locator('#search-pause').isHidden());
  assert.ok(await page.getByTestId('growth-found').isHidden());
  await type(page, 'search-restarts-number', '1000');
  await page.click('#search-start');
  await passes(page, 'search-best', 6);
  await page.click('#search-pause');
  await inPhase(page, 'paused');
  const [best, iteration] = [await value(page, 'search-best'), await value(page, 'search-iteration')];
  await page.waitForTimeout(300);
  assert.equal(await value(page, 'search-iteration'), iteration, 'it stands still while it is paused');
  // Continuing: the best never falls, and the iterations continue from the same number.
  await page.click('#search-pause');
  await inPhase(page, 'running');
  await passes(page, 'search-iteration', iteration + 50);
  await page.click('#search-pause');
  await inPhase(page, 'paused');
  const found = await value(page, 'search-best');
  assert.ok(found >= best && found >= 6, `${found} after ${best}`);
  assert.ok(Math.abs((await value(page, 'search-upper')) - 9.5025) < 1e-3 && found <= (await value(page, 'search-upper')));
  assert.ok(Math.abs((await value(page, 'growth-two_clusters')) - 6.00712) < 1e-3);
  // The search's tokens have two dimensions: they say nothing about the ball in one dimension, in which the adversarial tokens lie.
  assert.ok(await page.getByTestId('growth-found').isHidden());
  await page.getByTestId('search-other-dim').waitFor({ state: 'visible' });
  // Loads the tokens that were found into the page: the headline is their norm.
  await page.click('#search-load');
  await reaches(page, 'spectral', found, 1e-9 * found);
  assert.equal(await value(page, 'n'), 16);
  assert.ok(await page.getByTestId('search-changed').isHidden());
  // The norm that was found is in the list and in the plot, and the gap is taken from it to the upper bound.
  await page.getByTestId('growth-found').waitFor({ state: 'visible' });
  await page.waitForSelector('.growth-sentence[aria-busy=false]');
  assert.ok(await page.getByTestId('search-other-dim').isHidden());
  assert.ok(Math.abs((await value(page, 'growth-found')) / found - 1) < 1e-12);
  assert.ok((await value(page, 'growth-worst')) >= found * (1 - 1e-12));
  assert.ok(Math.abs((await value(page, 'growth-gap')) - (await value(page, 'growth-sharp')) / (await value(page, 'growth-worst'))) < 1e-9);
  assert.match(await saved(page, '#export-growth [data-export=svg]'), /found by search/);
  await page.click('#growth-table summary');
  const named = () => [...document.querySelectorAll('#growth-table th')].findIndex((th) => th.innerText.includes('found by search ≥'));
  await page.waitForFunction(() => [...document.querySelectorAll('#growth-table th')].some((th) => th.innerText.includes('found by search ≥')));
  const at = await page.evaluate(named);
  const row = await page.evaluate(() => [...document.querySelectorAll('#growth-table tbody tr')].map((tr) => [...tr.children].map((td) => td.innerText)).find((cells) => cells[0] === '16'));
  assert.ok(Math.abs(Number(row[at]) - found) < 1e-3 * found, row.join(' | '));
  // Another R: the earlier result does not apply to it.
  await page.selectOption('#distribution', 'adversarial');
  await type(page, 'radius-number', '2');
  await page.waitForFunction(() => ![...document.querySelectorAll('#growth-table th')].some((th) => th.innerText.includes('found by search ≥')));
  assert.ok(await page.getByTestId('growth-found').isHidden());
});

pageTest('a search ends, more starts go on, and another view pauses it', { timeout: 240_000 }, async ({ page }) => {
  await sixteen(page);
  await type(page, 'search-restarts-number', '1');
  await page.click('#search-start');
  await inPhase(page, 'done');
  assert.ok(await page.locator('#search-pause').isHidden());
  assert.equal(await digits(page, 'search-from'), 'own');
  const [best, iteration] = [await value(page, 'search-best'), await value(page, 'search-iteration')];
  await type(page, 'search-restarts-number', '500');
  await page.click('#search-pause');
  await inPhase(page, 'running');
  await passes(page, 'search-iteration', iteration + 20);
  assert.ok((await value(page, 'search-best')) >= best);
  await show(page, 'tightness');
  await inPhase(page, 'paused');
  await show(page, 'growth');
  await page.click('#search-stop');
  await inPhase(page, 'stopped');
  assert.ok(await page.locator('#search-pause').isHidden());
  // The controls change: the search says so, and starts anew there, on the sphere.
  await type(page, 'n-number', '12');
  await page.getByTestId('search-changed').waitFor({ state: 'visible' });
  await page.selectOption('#search-region', 'sphere');
  await type(page, 'search-restarts-number', '3');
  await page.click('#search-start');
  await inPhase(page, 'done');
  assert.match(await page.getByTestId('search-about').innerText(), /n = 12 tokens.*\| = 1\.5/);
  await page.click('#search-plane-table summary');
  await page.waitForFunction(() => document.querySelectorAll('#search-plane-table tbody tr').length === 12);
  // On the sphere every token has norm R.
  const norms = await page.$$eval('#search-plane-table tbody tr', (rows) => rows.map((row) => Math.hypot(...[...row.children].slice(1).map((cell) => Number(cell.innerText.replace('−', '-'))))));
  assert.ok(norms.every((norm) => Math.abs(norm - 1.5) < 2e-3), norms.join());
});

pageTest('what cannot be searched is said', async ({ page }) => {
  await page.selectOption('#distribution', 'ball');
  await page.selectOption('#normalization', 'layer');
  await show(page, 'growth');
  await page.click('#search > summary');
  await page.click('#search-start');
  await inPhase(page, 'failed');
  assert.match(await page.getByTestId('search-progress').innerText(), /normaliser/i);
});

pageTest('with reduced motion the tokens are drawn when the search rests; no serious faults', { reducedMotion: 'reduce' }, async ({ page }) => {
  await sixteen(page);
  assert.deepEqual(await seriousFaults(page), []);
  await type(page, 'search-restarts-number', '2');
  await page.focus('#search-start');
  await page.keyboard.press('Enter');
  await inPhase(page, 'done');
  await page.click('#search-plane-table summary');
  await page.waitForFunction(() => document.querySelectorAll('#search-plane-table tbody tr').length === 16);
  assert.deepEqual(await seriousFaults(page), []);
});

for (const viewport of [PHONE, { width: 360, height: 740 }]) {
  pageTest(`the search fits ${viewport.width} px`, { viewport, reducedMotion: 'reduce', hash: adversarial('plot=growth&range=measured&search=open') }, async ({ page }) => {
    // An old link to the search opens it.
    assert.ok(await page.locator('#search').evaluate((fold) => fold.open));
    await page.click('#search-start');
    await passes(page, 'search-best', 1);
    const [scroll, client] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(scroll <= client, `${scroll} in ${client}`);
    assert.ok((await page.locator('#search-plane').boundingBox()).height >= 200);
    await page.click('#search-stop');
    assert.deepEqual(await seriousFaults(page), []);
  });
}
