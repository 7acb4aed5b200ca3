// Accessibility by machine: axe-core on every plot with every fold, sheet and dialog open, in light and in dark.
import assert from 'node:assert/strict';
import { DESKTOP, faults, inBothSchemes, OF_COLOURS, pageTest, PHONE } from './browser.mjs';
import { changed, closeControls, openControls, PLOTS, show } from './reading.mjs';

const openFolds = (page) => page.evaluate(() => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
});

/** A little time for what a click sets going: a worker's answer, a frame, a fade. */
const settle = (page) => page.waitForTimeout(300);

/** Whatever opens a dialog says so by aria-haspopup. */
async function eachDialog(page, body) {
  const openers = page.locator('[aria-haspopup="dialog"]:visible');
  for (let i = 0; i < await openers.count(); i++) {
    await openers.nth(i).click();
    await page.locator('dialog[open], [role="dialog"]:visible').first().waitFor();
    await settle(page);
    await body(await openers.nth(i).getAttribute('id') ?? `dialog ${i}`);
    await page.keyboard.press('Escape');
    await settle(page);
  }
}

// A slow machine shows old numbers long enough for a reader to want to read them.
const OLD = ['.lab', '.numbers', '.headline', '.sentence', '.growth-sentence'];

pageTest('what is out of date can still be read', { timeout: 120_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  const found = [];
  const seen = new Set();
  for (const tab of Object.keys(PLOTS)) {
    await show(page, tab);
    await settle(page);
    const marked = await page.evaluate((old) => old.filter((selector) => {
      const parts = document.querySelectorAll(selector);
      for (const part of parts) part.classList.add('stale');
      return parts.length > 0;
    }), OLD);
    for (const selector of marked) seen.add(selector);
    // Nothing but colours is other than in the tests below.
    found.push(...(await inBothSchemes(page, (page) => faults(page, undefined, OF_COLOURS))).map((fault) => `${tab}: ${fault}`));
  }
  assert.deepEqual(found, []);
  assert.deepEqual([...seen].sort(), [...OLD].sort());
});

for (const [name, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  pageTest(`axe-core finds nothing on any plot (${name})`, { viewport, timeout: 400_000 }, async ({ page }) => {
    await changed(page, 'spectral');
    const found = [];
    const look = async (where, find = inBothSchemes) => found.push(...(await find(page)).map((fault) => `${where}: ${fault}`));
    // The colours of a plot are the same on a phone.
    const ofPlots = viewport === PHONE ? faults : inBothSchemes;
    await look('at the start');
    for (const tab of Object.keys(PLOTS)) {
      await show(page, tab);
      await settle(page);
      await openFolds(page);
      await settle(page);
      await look(tab, ofPlots);
      // The panel of all controls is looked at once, beside the first plot.
      await closeControls(page);
    }
    if (viewport === DESKTOP) await openControls(page);
    await eachDialog(page, look);
    if (viewport === PHONE) {
      await show(page, 'growth');
      await page.click('#more-controls');
      await settle(page);
      await look('sheet');
      await eachDialog(page, look);
    }
    assert.deepEqual(found, []);
  });
}
