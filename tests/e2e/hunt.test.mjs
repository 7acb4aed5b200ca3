// The hunt for the worst tokens: it starts when asked, climbs, pauses, goes on, and what it finds is measured again.
import assert from 'node:assert/strict';
import { pageTest, PHONE, seriousFaults } from './browser.mjs';
import { digits, reaches, show, type, value } from './reading.mjs';

const inPhase = (page, ...phases) => page.waitForFunction(
  (phases) => phases.includes(document.querySelector('[data-testid="hunt-progress"]')?.dataset.phase),
  phases,
  { timeout: 90_000 },
);

const passes = (page, id, least) => page.waitForFunction(
  ([id, least]) => Number(document.querySelector(`[data-testid="${id}"]`)?.dataset.value || NaN) >= least,
  [id, least],
  { timeout: 60_000 },
);

/** A = -1, R = 1.5, n = 16, adversarial tokens: by the controls. */
async function sixteen(page) {
  await type(page, 'radius-number', '1.5');
  await type(page, 'n-number', '16');
  await reaches(page, 'spectral', 5.659, 5e-4);
  await show(page, 'hunt');
}

pageTest('the hunt passes six, pauses, goes on, and its tokens are measured again', { timeout: 240_000 }, async ({ page }) => {
  await sixteen(page);
  // Nothing begins by itself.
  await page.waitForTimeout(400);
  assert.equal(await page.getByTestId('hunt-progress').getAttribute('data-phase'), 'waiting');
  assert.ok(await page.locator('#hunt-load').isDisabled() && await page.locator('#hunt-pause').isDisabled());
  await type(page, 'hunt-restarts', '1000');
  await page.click('#hunt-start');
  await passes(page, 'hunt-best', 6);
  await page.click('#hunt-pause');
  await inPhase(page, 'paused');
  const [best, iteration] = [await value(page, 'hunt-best'), await value(page, 'hunt-iteration')];
  await page.waitForTimeout(300);
  assert.equal(await value(page, 'hunt-iteration'), iteration, 'it stands still while it is paused');
  // Going on: the best never falls, and the iterations go on where they were.
  await page.click('#hunt-pause');
  await inPhase(page, 'running');
  await passes(page, 'hunt-iteration', iteration + 50);
  await page.click('#hunt-pause');
  await inPhase(page, 'paused');
  const found = await value(page, 'hunt-best');
  assert.ok(found >= best && found >= 6, `${found} after ${best}`);
  assert.ok(Math.abs((await value(page, 'hunt-upper')) - 9.5025) < 1e-3 && found <= (await value(page, 'hunt-upper')));
  assert.ok(Math.abs((await value(page, 'hunt-lower')) - 6.00712) < 1e-4);
  // Into the plots: a column of its own in both tables.
  await page.click('#hunt-send');
  assert.match(await page.getByTestId('hunt-sent').innerText(), /n = 16/);
  // Into the page: the headline is the number that was found.
  await page.click('#hunt-load');
  await reaches(page, 'spectral', found, 1e-9 * found);
  assert.equal(await value(page, 'n'), 16);
  assert.ok(await page.getByTestId('hunt-changed').isHidden());
  await show(page, 'regime');
  await page.click('#regime-table summary');
  await page.waitForFunction(() => [...document.querySelectorAll('#regime-table th')].some((th) => th.innerText.includes('search')));
  const row = await page.evaluate(() => [...document.querySelectorAll('#regime-table tbody tr')].map((tr) => [...tr.children].map((td) => td.innerText)).find((cells) => cells[0] === '16'));
  assert.match(row.at(-1), /≥/);
  // Another R: what was found says nothing about it.
  await page.selectOption('#law', 'adversarial');
  await type(page, 'radius-number', '2');
  await page.waitForFunction(() => ![...document.querySelectorAll('#regime-table th')].some((th) => th.innerText.includes('search')));
});

pageTest('a hunt ends, more restarts go on, and another view pauses it', { timeout: 240_000 }, async ({ page }) => {
  await sixteen(page);
  await type(page, 'hunt-restarts', '1');
  await page.click('#hunt-start');
  await inPhase(page, 'done');
  assert.ok(await page.locator('#hunt-pause').isDisabled());
  assert.equal(await digits(page, 'hunt-start'), 'own');
  const [best, iteration] = [await value(page, 'hunt-best'), await value(page, 'hunt-iteration')];
  await type(page, 'hunt-restarts', '500');
  await page.click('#hunt-pause');
  await inPhase(page, 'running');
  await passes(page, 'hunt-iteration', iteration + 20);
  assert.ok((await value(page, 'hunt-best')) >= best);
  await show(page, 'tightness');
  await inPhase(page, 'paused');
  await show(page, 'hunt');
  await page.click('#hunt-stop');
  await inPhase(page, 'stopped');
  assert.ok(await page.locator('#hunt-pause').isDisabled());
  // The controls change: the hunt says so, and starts anew there, on the sphere.
  await type(page, 'n-number', '12');
  await page.getByTestId('hunt-changed').waitFor({ state: 'visible' });
  await page.selectOption('#hunt-region', 'sphere');
  await type(page, 'hunt-restarts', '3');
  await page.click('#hunt-start');
  await inPhase(page, 'done');
  assert.match(await page.getByTestId('hunt-about').innerText(), /n = 12 tokens.*\| = 1\.5/);
  await page.click('#hunt-table summary');
  await page.waitForFunction(() => document.querySelectorAll('#hunt-table tbody tr').length > 20);
});

pageTest('what cannot be hunted is said', async ({ page }) => {
  await page.selectOption('#law', 'ball');
  await page.selectOption('#normalization', 'layer');
  await show(page, 'hunt');
  await page.click('#hunt-start');
  await inPhase(page, 'failed');
  assert.match(await page.getByTestId('hunt-progress').innerText(), /normaliser/i);
});

pageTest('with reduced motion the tokens are drawn when the hunt rests; no serious faults', { reducedMotion: 'reduce' }, async ({ page }) => {
  await sixteen(page);
  assert.deepEqual(await seriousFaults(page), []);
  await type(page, 'hunt-restarts', '2');
  await page.focus('#hunt-start');
  await page.keyboard.press('Enter');
  await inPhase(page, 'done');
  await page.click('#hunt-plane-best-table summary');
  await page.waitForFunction(() => document.querySelectorAll('#hunt-plane-best-table tbody tr').length === 16);
  assert.deepEqual(await seriousFaults(page), []);
  await page.focus('#hunt-plot');
  await page.keyboard.press('Home');
  assert.match(await page.locator('#hunt-readout').innerText(), /iteration 0 .*best ≥ 5\.659/);
});

for (const viewport of [PHONE, { width: 360, height: 740 }]) {
  pageTest(`the hunt fits ${viewport.width} px`, { viewport, reducedMotion: 'reduce' }, async ({ page }) => {
    await show(page, 'hunt');
    await page.click('#hunt-start');
    await passes(page, 'hunt-best', 1);
    const [scroll, client] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(scroll <= client, `${scroll} in ${client}`);
    assert.ok((await page.locator('#hunt-plot').boundingBox()).height >= 200);
    await page.click('#hunt-stop');
    assert.deepEqual(await seriousFaults(page), []);
  });
}
