// Takes every screen of the page at 1440x900 and at 390x844, in light and in dark; the four views at 1280x720 and in Chinese
// too: node screens.mjs FOLDER [SCREEN...]
// The screen "visit" is a first visit over a slow line, at some moments after its begin.
// docs/screens holds the pictures. Fails where a page is wider than its window or reports a problem.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { compressed, serve, SLOW } from '../../benches/line.mjs';
import { adversarial, DESKTOP, DIST, launch, openPage, PHONE, ROOT, shutDown } from './browser.mjs';
import { changed, reveal, swept } from './reading.mjs';

const done = (view) => (page) => page.waitForSelector(`[data-testid="${view}-progress"][data-phase="done"]`, { state: 'attached', timeout: 90_000 });

const lesson = (id) => async (page) => {
  await page.click('#lessons-open');
  await page.click(`.lesson-pick[data-lesson="${id}"]`);
};

/** Random tokens and an A that turns every token by a quarter. */
const quarterTurn = (radius) => ({
  tokens: { source: 'random', distribution: 'ball', n: 64, d: 2, radius },
  // A = Q^T K / sqrt(k), with k = 2.
  weights: { source: 'explicit', heads: [{ q: [[1, 0], [0, 1]], k: [[0, -Math.SQRT2], [Math.SQRT2, 0]], v: [[1, 0], [0, 1]] }] },
});

/** An experiment as a field of a link. */
const packed = (experiment) => deflateSync(JSON.stringify(experiment), { level: 9 }).toString('base64url');

/** Each screen: the link to it, and what else is done there. */
const SCREENS = {
  explore: [''],
  worst: ['', (page) => page.click('#quick-worst')],
  masked: ['#v3&R=3&mask=causal'],
  collapse: ['#v3&normalization=layer'],
  growth: ['#v3&plot=growth', swept],
  'growth-far': [adversarial(), swept],
  'growth-plus': ['#v3&plot=growth&weights=identity-plus&R=3&range=1e18&at=1e9', swept],
  'growth-turn': [`#v3&experiment=${packed(quarterTurn(3))}&plot=growth&range=1e18&at=1e9`, swept],
  tokens: [adversarial('plot=tokens&tokens=ball&weights=random&n=12&d=2&k=2&R=2'), async (page) => {
    await page.click('#plane-pair');
    await page.waitForFunction(() => /σ = L/.test(document.querySelector('[data-testid=plane-legend]').innerText));
  }],
  search: [adversarial('plot=growth&range=measured&search=open&tokens=ball&search-restarts=4'), async (page) => {
    await page.click('#search-start');
    await done('search')(page);
    await page.locator('#search').scrollIntoViewIfNeeded();
  }],
  spectrum: [adversarial('plot=spectrum&tokens=ball&weights=random&d=8'), done('spectrum')],
  lab: ['#v3&plot=lab'],
  certify: ['#v3&plot=certify', done('certify')],
  estimators: [adversarial('plot=estimators'), done('estimators')],
  scaled: [adversarial('plot=scaled'), done('scaled')],
  tightness: [adversarial('plot=tightness'), done('tightness')],
  gap: ['#v3&plot=gap', done('gap')],
  inverse: [adversarial('plot=inverse'), done('inverse')],
  compare: ['#v3&plot=compare', done('compare')],
  'compare-caps': ['#v3&plot=compare&compare=plain,causal,cap,linear&compare-along=cap', done('compare')],
  gemma: [adversarial('steps=gemma-2&n=24&d=4&R=4&tokens=ball'), openSteps],
  qwen: ['#v3&steps=qwen-3&n=24&d=4', (page) => page.getByTestId('eps-note').scrollIntoViewIfNeeded()],
  kinds: [adversarial('plot=train'), async (page) => {
    for (const kind of ['qk_norm', 'softcap', 'sigmoid', 'rope']) await page.check(`#train-kind-${kind}`);
    for (const [id, words] of Object.entries({ 'train-width': '32', 'train-steps': '60' })) await page.fill(`#${id}`, words);
    await page.click('#train-run');
    await page.waitForSelector('[data-testid="train-progress"][data-phase="done"]', { state: 'attached', timeout: 180_000 });
  }],
  models: [adversarial('plot=model'), async (page) => {
    await reveal(page, '#model-lengths');
    await page.fill('#model-lengths', '2:98:16');
    await page.evaluate(() => { document.querySelector('#model-more').open = false; });
    await page.click('#model-run');
    await page.waitForSelector('[data-testid="model-progress"][data-phase="done"]', { state: 'attached', timeout: 180_000 });
  }],
  train: [adversarial('plot=train'), async (page) => {
    for (const [id, words] of Object.entries({ 'train-width': '32', 'train-steps': '120' })) await page.fill(`#${id}`, words);
    await page.click('#train-run');
    await page.waitForSelector('[data-testid="train-progress"][data-phase="done"]', { state: 'attached', timeout: 180_000 });
  }],
  figures: [adversarial('plot=model'), async (page) => {
    await reveal(page, '#model-d');
    for (const [id, words] of Object.entries({ 'model-d': '96', 'model-layers': '0,2,4,6,8,11', 'model-lengths': '2,4,8,16,32,64,98' })) await page.fill(`#${id}`, words);
    await page.click('#model-run');
    await page.waitForSelector('[data-testid="model-progress"][data-phase="done"]', { state: 'attached', timeout: 180_000 });
    await page.locator('.model-figures h3, .model-figures h2').nth(1).scrollIntoViewIfNeeded();
  }],
  llama: [adversarial('plot=model'), async (page) => {
    await page.selectOption('#model-source', 'random-llama');
    await reveal(page, '#model-d');
    for (const [id, words] of Object.entries({ 'model-d': '64', 'model-depth': '4', 'model-heads': '8', 'model-layers': '0,2,3', 'model-lengths': '8,16,32', 'model-head': 'each' })) await page.fill(`#${id}`, words);
    await page.check('#model-bounds');
    await page.click('#model-run');
    await page.waitForSelector('[data-testid="model-progress"][data-phase="done"]', { state: 'attached', timeout: 180_000 });
    await page.getByTestId('model-bounds-figure').scrollIntoViewIfNeeded();
  }],
  pictures: [adversarial('plot=model'), async (page) => {
    await page.selectOption('#model-source', 'files');
    await page.setInputFiles('#model-folder', `${ROOT}tests/data/models/vit`);
    await page.waitForFunction(() => document.querySelector('[data-testid=model-description]')?.textContent.startsWith('ViT'));
    await page.click('#model-run');
    await page.waitForSelector('[data-testid="model-progress"][data-phase="done"]', { state: 'attached', timeout: 180_000 });
    await page.focus('#model-norms');
    await page.keyboard.press('Home');
    await page.click('#patch-map-find');
    await page.waitForSelector('#patch-map');
    await page.evaluate(() => document.querySelector('#patch-map-heading').scrollIntoView());
  }],
  lessons: [adversarial(), (page) => page.click('#lessons-open')],
  lesson: [adversarial(), lesson('lipschitz')],
  guess: [adversarial(), lesson('sink')],
  revealed: [adversarial(), async (page) => {
    await lesson('sink')(page);
    await page.focus('#guess-curve');
    for (let handle = 0; handle < 8; handle += 1) {
      for (let press = 0; press < handle; press += 1) await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowRight');
    }
    await page.keyboard.press('Enter');
  }],
  mark: [adversarial(), lesson('slack')],
  teacher: [adversarial('view=teacher')],
  embed: [adversarial('view=embed')],
  keys: ['', (page) => page.keyboard.press('?')],
  controls: ['', openSheet],
  own: ['', async (page) => {
    await openSheet(page);
    await page.locator('summary', { hasText: 'Your own' }).click();
  }],
};

/** The moments of a first visit at which a picture is taken, in seconds after its begin. */
const MOMENTS = [0.3, 0.7, 1.5, 3];

/** Takes the moments of a first visit over a slow line, each in a visit of its own: taking a picture holds the page up. */
async function takeVisit(folder) {
  const server = await serve(compressed(DIST, 'gzip'), 'gzip', SLOW);
  for (const moment of MOMENTS) {
    const context = await (await launch()).newContext({ viewport: DESKTOP, serviceWorkers: 'block' });
    const page = await context.newPage();
    const coming = page.goto(server.url, { waitUntil: 'commit' });
    await sleep(1000 * moment);
    await page.screenshot({ path: join(folder, `visit-${moment}s-${DESKTOP.width}x${DESKTOP.height}-light.png`) });
    await coming;
    await context.close();
  }
  await server.close();
}

const LAPTOP = { width: 1280, height: 720 };
/** The four views: these are taken in every window and language. */
const VIEWS = ['explore', 'growth', 'models', 'lab'];

/** Windows and languages of a screen. */
const kinds = (name) => (VIEWS.includes(name) ? ['en', 'zh'] : ['en'])
  .flatMap((language) => (VIEWS.includes(name) ? [DESKTOP, LAPTOP, PHONE] : [DESKTOP, PHONE]).map((viewport) => ({ language, viewport })));

/** Opens the panel of all controls. */
async function openSheet(page) {
  await page.click('#more-controls');
}

/** Opens the panel of all controls at the steps of attention. */
async function openSteps(page) {
  await openSheet(page);
  await page.click('.more > summary');
  await page.click('.steps > summary');
  await page.getByTestId('pipeline').scrollIntoViewIfNeeded();
}

const [folder, ...wanted] = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
const known = [...Object.keys(SCREENS), 'visit'];
if (!folder || !wanted.every((name) => known.includes(name))) {
  console.error(`usage: node screens.mjs FOLDER [SCREEN...]\nscreens: ${known.join(', ')}`);
  process.exit(2);
}
await mkdir(folder, { recursive: true });

const faults = [];
try {
  if (isWanted('visit')) await takeVisit(folder);
  for (const [name, [link, go]] of Object.entries(SCREENS).filter(([name]) => isWanted(name))) {
    for (const { language, viewport } of kinds(name)) {
      for (const colorScheme of ['light', 'dark']) {
        const { page, problems, close } = await openPage({ viewport, colorScheme, reducedMotion: 'reduce', hash: language === 'en' ? link : `?lang=${language}${link}`, controls: 'closed' });
        const path = join(folder, `${name}${language === 'en' ? '' : `-${language}`}-${viewport.width}x${viewport.height}-${colorScheme}.png`);
        try {
          // The lab and the models measure no tokens of the controls.
          if (await page.evaluate(() => !document.querySelector('.details').hidden)) await changed(page, 'spectral');
          await go?.(page);
          // By then what was asked for is drawn, and the last fades are over.
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
