// Accessibility by machine: axe-core on every plot with every fold, sheet and dialog open, in light and in dark.
import assert from 'node:assert/strict';
import { DESKTOP, faults, pageTest, PHONE } from './browser.mjs';
import { changed } from './reading.mjs';

const openFolds = (page) => page.evaluate(() => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
});

/** A little time for what a click sets going: a worker's answer, a frame, a fade. */
const settle = (page) => page.waitForTimeout(700);

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

for (const colorScheme of ['light', 'dark']) {
  for (const [name, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    pageTest(`axe-core finds nothing on any plot (${name}, ${colorScheme})`, { viewport, colorScheme, timeout: 400_000 }, async ({ page }) => {
      await changed(page, 'spectral');
      const found = [];
      const look = async (where) => found.push(...(await faults(page)).map((fault) => `${where}: ${fault}`));
      await look('at the start');
      const tabs = await page.locator('#plots .tabs button').evaluateAll((buttons) => buttons.map(({ id }) => id));
      assert.ok(tabs.length >= 5 && tabs.every(Boolean), `the plots' buttons: ${tabs}`);
      for (const tab of tabs) {
        await page.click(`#${tab}`);
        await settle(page);
        await openFolds(page);
        await settle(page);
        await look(tab);
      }
      await eachDialog(page, look);
      if (viewport === PHONE) {
        await page.click('.sheet-handle');
        await settle(page);
        await look('sheet');
        await eachDialog(page, look);
      }
      assert.deepEqual(found, []);
    });
  }
}
