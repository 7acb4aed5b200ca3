// No text of any view is cut by its box or shortened in its picture, in the teacher view either.
import assert from 'node:assert/strict';
import { pageTest, waitForStart } from './browser.mjs';
import { clippedTexts, recordTexts } from './clipped.mjs';
import { PLOTS } from './reading.mjs';

const SCENES = [
  ...Object.keys(PLOTS).map((plot) => `plot=${plot}`),
  'plot=growth&range=1e18&at=1e9', 'plot=growth&tokens=adversarial&R=3&curves=envelope,adversarial,sharp',
  'lesson=sink.1', 'lesson=sink.3', 'lesson=regime.3',
];

// Two of the windows show every second scene: the other three are a wide one, a narrow one and a low one.
for (const [width, height, view, each] of [[1440, 900, 'full', 1], [1280, 720, 'full', 2], [390, 844, 'full', 1], [1280, 720, 'teacher', 1], [1920, 1080, 'teacher', 2]]) {
  pageTest(`every text can be read to its end at ${width} x ${height}, view ${view}`, { viewport: { width, height }, hash: '#v3' }, async ({ page, url }) => {
    await recordTexts(page);
    for (const scene of SCENES.filter((_, at) => at % each === 0)) {
      // A new fragment alone would not load the page anew, and texts are recorded only from its loading on.
      await page.goto('about:blank');
      await page.goto(`${url}#v3&view=${view}&${scene}`);
      await waitForStart(page);
      await page.waitForTimeout(1200);
      assert.deepEqual(await clippedTexts(page), [], scene);
    }
  });
}
