// Measures how soon a slider's movement shows its number: node benches/slider.mjs [MOVES]
// On the built site (LIPSCOPE_DIST).
import { launch, openPage, shutDown } from '../tests/e2e/browser.mjs';
import { moves } from './moves.mjs';
import { record } from './record.mjs';

const rounds = Number(process.argv[2] ?? 80);

try {
  const { page, close } = await openPage();
  const spectral = page.locator('[data-testid="spectral"]');
  await spectral.waitFor();
  await page.selectOption('#law', 'ball');
  await page.selectOption('#weights', 'random');
  for (const [id, value] of [['n', 64], ['d', 8]]) {
    await page.fill(`#${id}-number`, `${value}`);
    await page.press(`#${id}-number`, 'Enter');
  }
  await page.waitForTimeout(1500);
  const found = await moves(page, { slider: 'radius', shown: 'spectral', rounds });
  record('slider', { n: 64, d: 8, chromium: (await launch()).version(), ...found });
  console.log(JSON.stringify(found));
  await close();
} finally {
  await shutDown();
}
