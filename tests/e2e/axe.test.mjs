// Accessibility by machine: axe-core on every plot with every fold, sheet and dialog open, in light and in dark.
import assert from 'node:assert/strict';
import { DESKTOP, faults, inBothSchemes, pageTest, PHONE } from './browser.mjs';
import { changed, closeControls, openControls, openMenu, PLOTS, show } from './reading.mjs';

const openFolds = (page) => page.evaluate(() => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
});

/** A little time for what a click sets going: a worker's answer, a frame, a fade. */
const settle = (page) => page.waitForTimeout(300);

/**
 * Opens each dialog in turn and calls `body` with a name for it. Every element that opens a dialog has aria-haspopup.
 */
async function eachDialog(page, body) {
  const openers = page.locator('[aria-haspopup="dialog"]:visible');
  for (let i = 0; ; i++) {
    // Escape, which closes a dialog, closes the menu too.
    await openMenu(page);
    if (i >= await openers.count()) return;
    await openers.nth(i).click();
    await page.locator('dialog[open], [role="dialog"]:visible').first().waitFor();
    await settle(page);
    await body(await openers.nth(i).getAttribute('id') ?? `dialog ${i}`);
    await page.keyboard.press('Escape');
    await settle(page);
  }
}

// A slow machine shows old numbers long enough for a reader to want to read them.
const OLD = ['.lab', '.numbers', '.headline', '.sentence', '.growth-sentence', '.small', '.disc', '.token-stage', '.table-fold'];

/** Dims all parts that can be out of date, which changes only their colours; returns the selectors that matched a part. */
const dim = (page) => page.evaluate((old) => old.filter((selector) => {
  const parts = document.querySelectorAll(selector);
  for (const part of parts) part.classList.add('stale');
  return parts.length > 0;
}), OLD);

for (const [name, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  pageTest(`axe-core finds nothing on any plot (${name})`, { viewport, timeout: 400_000 }, async ({ page }) => {
    await changed(page, 'spectral');
    const found = [];
    const look = async (where, find = inBothSchemes) => found.push(...(await find(page)).map((fault) => `${where}: ${fault}`));
    // The colours of a plot are the same on a phone.
    const ofPlots = viewport === PHONE ? faults : inBothSchemes;
    const dimmed = new Set();
    await look('at the start');
    for (const tab of Object.keys(PLOTS)) {
      await show(page, tab);
      await settle(page);
      await openFolds(page);
      // A part that can be read when it is dim can also be read when it is not.
      if (viewport === DESKTOP) for (const selector of await dim(page)) dimmed.add(selector);
      await settle(page);
      await look(tab, ofPlots);
      // The panel of all controls is checked only once, beside the first plot.
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
    if (viewport === DESKTOP) assert.deepEqual([...dimmed].sort(), [...OLD].sort());
  });
}
