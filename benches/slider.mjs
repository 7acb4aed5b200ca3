// Measures how soon a slider's movement shows its number: node benches/slider.mjs [MOVES]
// On the built site (LIPSCOPE_DIST): in the opening view, whose plot is on screen, and in the view over n, where the movement
// also draws curves up to the largest n.
import { adversarial, launch, openPage, shutDown } from '../tests/e2e/browser.mjs';
import { openControls, closeControls } from '../tests/e2e/reading.mjs';
import { moves } from './moves.mjs';
import { record } from './record.mjs';

const rounds = Number(process.argv[2] ?? 80);
const SHAPE = { n: 64, d: 8 };
/** The views: the link's fragment, the slider, and the number that follows it. */
const VIEWS = {
  explore: { hash: '', slider: 'quick-radius', shown: 'explore-norm' },
  growth: { hash: adversarial(), slider: 'radius', shown: 'spectral' },
};

try {
  const found = {};
  for (const [view, { hash, slider, shown }] of Object.entries(VIEWS)) {
    const { page, close } = await openPage({ hash });
    await openControls(page);
    await page.selectOption('#distribution', 'ball');
    await page.selectOption('#weights', 'random');
    for (const [id, value] of Object.entries(SHAPE)) {
      await page.fill(`#${id}-number`, `${value}`);
      await page.press(`#${id}-number`, 'Enter');
    }
    if (view === 'explore') await closeControls(page);
    await page.waitForTimeout(1500);
    found[view] = await moves(page, { slider, shown, rounds });
    await close();
  }
  record('slider', { ...SHAPE, chromium: (await launch()).version(), ...found });
  console.log(JSON.stringify(found));
} finally {
  await shutDown();
}
