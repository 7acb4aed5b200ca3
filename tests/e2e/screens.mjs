// Takes every screen of the page at 1440x900 and at 390x844, in light and in dark: node screens.mjs FOLDER [SCREEN...]
// docs/screens holds what it takes. Fails where a page is wider than its window or reports a problem.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DESKTOP, openPage, PHONE, shutDown } from './browser.mjs';
import { changed, swept, type } from './reading.mjs';

const done = (page, view) => page.waitForSelector(`[data-testid="${view}-progress"][data-phase="done"]`, { state: 'attached', timeout: 90_000 });

const lesson = (id) => async (page) => {
  await page.click('#lessons-open');
  await page.click(`.lesson-pick[data-lesson="${id}"]`);
};

/** Twelve tokens of the plane with the pair that matters most. */
async function pair(page) {
  await type(page, 'n-number', '12');
  await type(page, 'd-number', '2');
  await page.click('#plane-pair');
  await page.waitForFunction(() => /σ = L/.test(document.querySelector('[data-testid=plane-legend]').innerText));
}

const onPlot = (tab, go) => async (page) => {
  await page.click(`#plot-${tab}`);
  await go?.(page);
};

/** What is done to come to each screen, from the first one. */
const SCREENS = {
  regime: () => {},
  draws: async (page) => {
    await page.selectOption('#law', 'ball');
    await page.click('#plot-draws');
    await swept(page);
  },
  tokens: async (page) => {
    await page.selectOption('#law', 'ball');
    await page.selectOption('#weights', 'random');
    await page.click('#plot-tokens');
    await pair(page);
  },
  hunt: onPlot('hunt', async (page) => {
    await type(page, 'hunt-restarts', '4');
    await page.click('#hunt-start');
    await done(page, 'hunt');
  }),
  spectrum: onPlot('spectrum', (page) => done(page, 'spectrum')),
  estimators: onPlot('court', (page) => done(page, 'court')),
  scaled: onPlot('scaled', (page) => done(page, 'scaled')),
  tightness: onPlot('tightness', (page) => done(page, 'tightness')),
  inverse: onPlot('inverse', (page) => done(page, 'inverse')),
  lessons: (page) => page.click('#lessons-open'),
  lesson: lesson('lipschitz'),
  guess: lesson('sink'),
  revealed: async (page) => {
    await lesson('sink')(page);
    await page.click('#guess-reveal');
  },
  mark: lesson('slack'),
  teacher: (page) => page.keyboard.press('t'),
  keys: (page) => page.keyboard.press('?'),
  own: async (page) => {
    await page.locator('.sheet-handle').filter({ visible: true }).click({ timeout: 500 }).catch(() => {});
    await page.locator('summary', { hasText: 'Your own' }).click();
  },
  controls: (page) => page.locator('.sheet-handle').filter({ visible: true }).click({ timeout: 500 }).catch(() => {}),
  chinese: (page) => page.selectOption('#language', 'zh-Hans').then(() => changed(page, 'spectral')),
};

const [folder, ...wanted] = process.argv.slice(2);
const unknown = wanted.filter((name) => !SCREENS[name]);
if (!folder || unknown.length > 0) {
  console.error(`usage: node screens.mjs FOLDER [SCREEN...]\nscreens: ${Object.keys(SCREENS).join(', ')}`);
  process.exit(2);
}
await mkdir(folder, { recursive: true });

const faults = [];
try {
  for (const [name, go] of Object.entries(SCREENS).filter(([name]) => wanted.length === 0 || wanted.includes(name))) {
    for (const viewport of [DESKTOP, PHONE]) {
      for (const colorScheme of ['light', 'dark']) {
        const { page, problems, close } = await openPage({ viewport, colorScheme, reducedMotion: 'reduce' });
        const path = join(folder, `${name}-${viewport.width}x${viewport.height}-${colorScheme}.png`);
        try {
          await changed(page, 'spectral');
          await go(page);
          // What was asked for is drawn, and the last fades are over.
          await page.waitForTimeout(1500);
          await page.screenshot({ path });
          const [scroll, client] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
          if (scroll > client) faults.push(`${path}: ${scroll} px in a window of ${client}`);
          faults.push(...(await problems()).map((problem) => `${path}: ${problem}`));
        } catch (error) {
          faults.push(`${path}: ${error.message.split('\n')[0]}`);
        } finally {
          await close();
        }
      }
    }
    console.log(name);
  }
} finally {
  await shutDown();
}
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
