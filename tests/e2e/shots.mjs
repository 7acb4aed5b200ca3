// Takes the page on a desktop and on a phone, in light and in dark: node shots.mjs FOLDER [#LINK]
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DESKTOP, openPage, PHONE, shutDown } from './browser.mjs';

const [folder, hash = ''] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node shots.mjs FOLDER [#LINK]');
  process.exit(2);
}
await mkdir(folder, { recursive: true });

let failed = false;
try {
  for (const [device, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    for (const colorScheme of ['light', 'dark']) {
      const { page, problems, close } = await openPage({ viewport, colorScheme, hash, context: { deviceScaleFactor: 2 } });
      // The worked example is computed at once; give the last points and their fade time to settle.
      await page.waitForTimeout(2500);
      const path = join(folder, `${device}-${colorScheme}.png`);
      await page.screenshot({ path });
      const { scroll, client } = await page.evaluate(() => ({
        scroll: [document.documentElement.scrollWidth, document.documentElement.scrollHeight],
        client: [document.documentElement.clientWidth, document.documentElement.clientHeight],
      }));
      console.log(`${path}: page ${scroll.join('x')} in a window of ${client.join('x')}`);
      for (const problem of await problems()) {
        failed = true;
        console.error(`  ${problem}`);
      }
      await close();
    }
  }
} finally {
  await shutDown();
}
process.exit(failed ? 1 : 0);
