// The page in a classroom: the teacher's view, a small projector, the list of keys.
import assert from 'node:assert/strict';
import { pageTest, seriousFaults } from './browser.mjs';
import { startLesson } from './lesson.mjs';
import { changed, reaches, still } from './reading.mjs';

pageTest('the teacher’s view is larger, hides the controls, and lessons go on in it', async ({ page }) => {
  await changed(page, 'spectral');
  const size = () => page.locator('[data-testid="spectral"]').evaluate((number) => Number.parseFloat(getComputedStyle(number).fontSize));
  const usual = await size();
  await page.keyboard.press('t');
  assert.ok((await size()) > 1.25 * usual);
  assert.ok(await page.locator('.controls').isHidden());
  assert.ok(await page.getByTestId('frobenius').isHidden());
  assert.ok(await page.locator('#growth-plot').isVisible());
  assert.equal(await page.locator('#teacher-view').getAttribute('aria-pressed'), 'true');
  await startLesson(page, 'mask');
  await reaches(page, 'spectral', 12.1275, 5e-5);
  // A presenter's remote goes through the lesson.
  await page.keyboard.press('PageDown');
  await reaches(page, 'spectral', 2.0504, 5e-5);
  await page.keyboard.press('ArrowRight');
  await reaches(page, 'spectral', 5.3135, 5e-5);
  await page.keyboard.press('PageUp');
  await page.keyboard.press('ArrowLeft');
  await reaches(page, 'spectral', 12.1275, 5e-5);
  const panel = await page.locator('#lesson-panel').boundingBox();
  const plot = await page.locator('#plots').boundingBox();
  assert.ok(panel.x + panel.width <= plot.x, 'the panel covers the plot');
  assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]), [1440, 1440]);
  await page.click('#teacher-view');
  assert.ok(Math.abs((await size()) - usual) < 0.1);
});

pageTest('on a small projector the plot and n, R, mask and normaliser are there', { viewport: { width: 1280, height: 720 }, hash: '#v3&view=teacher&lesson=mask.1' }, async ({ page }) => {
  await reaches(page, 'spectral', 12.1275, 5e-5);
  for (const id of ['#quick-n', '#quick-radius', '#quick-mask-causal', '#quick-norm-layer']) {
    const box = await still(page, id);
    assert.ok(box.y + box.height <= 720 && box.x + box.width <= 1280, `${id} is out of sight`);
  }
  const plot = await page.locator('#growth-plot').boundingBox();
  assert.ok(plot.width > 400 && plot.height > 250 && plot.y + plot.height <= 720, JSON.stringify(plot));
  await page.click('#quick-mask-causal');
  await reaches(page, 'spectral', 11.1338, 5e-5);
  await page.click('#quick-norm-rms');
  await page.waitForFunction(() => /normalization=rms/.test(location.hash));
  await page.click('#quick-norm-none');
  assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]), [1280, 1280]);
});

pageTest('the list of keys opens with ?, closes with Escape, and gives the focus back', async ({ page }) => {
  await changed(page, 'spectral');
  await page.focus('#growth-range-1e6');
  await page.keyboard.press('?');
  await page.waitForSelector('#keys[open]');
  // The content of the list comes with the later part of the page.
  await page.waitForFunction(() => document.querySelectorAll('#keys dt').length > 20);
  for (const key of ['?', 't', 'Alt →', 'Esc']) assert.ok((await page.locator('#keys dt').allInnerTexts()).includes(key), key);
  const broken = await page.$$eval('#keys kbd', (keys) => {
    const line = Math.min(...keys.map((key) => key.offsetHeight));
    const isWhole = (key) => key.offsetHeight === line && key.getBoundingClientRect().right <= key.closest('dt').nextElementSibling.getBoundingClientRect().left;
    return keys.filter((key) => !isWhole(key)).map((key) => key.textContent);
  });
  assert.deepEqual(broken, []);
  assert.deepEqual(await seriousFaults(page), []);
  // Under it no other key does anything.
  await page.keyboard.press('t');
  assert.equal(await page.locator('#teacher-view').getAttribute('aria-pressed'), 'false');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('#keys').open && document.activeElement.id === 'growth-range-1e6');
  // Typed letters are typed into the box.
  await page.focus('#n-number');
  for (const key of ['?', 't', 'l']) await page.keyboard.press(key);
  assert.equal(await page.locator('#keys').evaluate((keys) => keys.open), false);
  assert.equal(await page.locator('#teacher-view').getAttribute('aria-pressed'), 'false');
  assert.ok(await page.locator('#lesson-panel').isHidden());
  await page.click('#keys-open');
  await page.click('#keys-close');
  await page.waitForFunction(() => document.activeElement.id === 'keys-open');
});
