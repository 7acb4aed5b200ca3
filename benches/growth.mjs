// Measures how soon the curves over n follow R and A: node benches/growth.mjs [MOVES]
// On the built site (LIPSCOPE_DIST): the view over n up to 1e18, with random weights, whose scale is a slider.
import { launch, openPage, shutDown } from '../tests/e2e/browser.mjs';
import { moves } from './moves.mjs';
import { record } from './record.mjs';

const rounds = Number(process.argv[2] ?? 80);

try {
  const { page, close } = await openPage({ hash: '#v3&plot=growth&range=1e18&weights=random&d=2&heads=1&k=2&n=64', controls: 'open' });
  await page.waitForSelector('[data-testid="growth-sharp"][data-value]');
  await page.waitForTimeout(1500);
  const found = {};
  for (const slider of ['radius', 'scale']) {
    found[slider] = await moves(page, { slider, shown: 'growth-sharp', canvas: 'growth-plot', rounds });
  }
  record('growth', { chromium: (await launch()).version(), ...found });
  console.log(JSON.stringify(found));
  await close();
} finally {
  await shutDown();
}
