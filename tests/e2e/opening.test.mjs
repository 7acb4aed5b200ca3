// The opening view as a document: what is seen until the program has come, and how the program takes it over.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DESKTOP, DIST, PHONE, launch, measureOnCommandLine, openPage, pageTest, serveSite } from './browser.mjs';
import { cardImage } from './card.mjs';

/** Opens the site without the program, or without one of its other files, until `come` is called. */
async function openHeld(options = {}, hash = '', file = 'app-*.wasm') {
  const context = await (await launch()).newContext({ viewport: DESKTOP, serviceWorkers: 'block', ...options });
  const held = [];
  let isHeld = true;
  await context.route(`**/${file}`, (route) => (isHeld ? held.push(route) : route.continue()));
  const page = await context.newPage();
  await page.goto((await serveSite()).url + hash, { waitUntil: 'commit' });
  await page.waitForSelector('#opening .page', { state: 'attached' });
  const letCome = () => {
    isHeld = false;
    return Promise.all(held.map((route) => route.continue()));
  };
  const come = async () => {
    await letCome();
    await page.waitForFunction(() => document.documentElement.dataset.boot === 'started' && !document.getElementById('opening'));
  };
  return { page, context, come, letCome, close: () => context.close() };
}

/** The part of the numbers of two images, within a rectangle, that differ by more than each of some levels of 255. */
const above = (page, images, { x, y, width, height }, levels) => page.evaluate(async ([images, x, y, width, height, levels]) => {
  const [a, b] = await Promise.all(images.map(async (image) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(image), (letter) => letter.charCodeAt(0))]));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(x, y, width, height).data;
  }));
  return levels.map((level) => a.reduce((count, value, at) => count + (Math.abs(value - b[at]) > level), 0) / a.length);
}, [images.map((image) => image.toString('base64')), x, y, width, height, levels]);

const english = (page) => page.locator('#opening > [lang=en]');

test('the numbers of the document are those of the command line', async () => {
  const { page, close } = await openHeld();
  try {
    const { lines: [{ spectral: measured }] } = await measureOnCommandLine({
      tokens: { source: 'random', distribution: 'ball', n: 12, d: 2, radius: 1.5, seed: 0 }, weights: { source: 'identity', sign: -1 },
    });
    assert.equal(Number(await english(page).locator('.headline strong').getAttribute('data-value')), measured);
    assert.match(await english(page).locator('.said').innerText(), new RegExp(`up to ${measured.toPrecision(3)} times as far`));
  } finally {
    await close();
  }
});

for (const [name, options] of Object.entries({
  desktop: { viewport: DESKTOP }, 'desktop, dark': { viewport: DESKTOP, colorScheme: 'dark' },
  phone: { viewport: PHONE }, 'phone, dark': { viewport: PHONE, colorScheme: 'dark' },
  'a small projector': { viewport: { width: 1280, height: 720 } }, 'a large screen': { viewport: { width: 1920, height: 1080 } },
})) {
  test(`nothing moves when the program takes over: ${name}`, async () => {
    const { page, come, close } = await openHeld(options);
    try {
      /** The boxes of what both have, and the colours of a point of a curve. */
      const boxes = (root, of) => page.evaluate(([root, of]) => {
        const names = ['header h1', '#undo', '#lessons-open', '.question', '.disc-stage', '.explore-stage', '.headline', '.said', '.limits', '#find-worst', '.quick', '#quick-n', '#quick-n-number', '#more-controls'];
        const box = (name) => {
          const all = [...document.querySelectorAll(`${root} ${name.replace(/#([\w-]+)/, of)}`)];
          const { x, y, width, height } = all.find((element) => element.checkVisibility()).getBoundingClientRect();
          return [name, ...[x, y, width, height].map(Math.round)];
        };
        return names.map(box);
      }, [root, of]);
      const before = await boxes('#opening', '[data-of=$1]');
      const picture = await page.evaluate(() => [...document.querySelectorAll('#opening svg[class]')].filter((svg) => svg.checkVisibility())
        .map((svg) => svg.getAttribute('viewBox').split(' ').slice(2).map((side) => side / 4)));
      await come();
      assert.deepEqual(await boxes('#app', '#$1'), before);
      const canvases = await page.$$eval('#explore-plane, #explore-plot', (all) => all.map((canvas) => [canvas.width, canvas.height]));
      assert.deepEqual(picture, canvases, 'the pictures have the sizes of src/opening/mod.rs: set them to these');
      const shifts = await page.evaluate(() => new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().map((entry) => entry.value))).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve([]), 500);
      }));
      assert.deepEqual(shifts, []);
    } finally {
      await close();
    }
  });
}

test('the curves of the document are those that the program paints', async () => {
  const { page, come, close } = await openHeld();
  try {
    const clip = await english(page).locator('.explore-stage').boundingBox();
    const before = await page.screenshot({ clip });
    await come();
    const after = await page.screenshot({ clip });
    // The right third has the names of curves: letters are smoothed differently in a canvas.
    const inside = { x: 60, y: 30, width: Math.floor(clip.width * 0.7), height: Math.floor(clip.height) - 100 };
    const differing = await above(page, [before, after], inside, [80, 8]);
    // The canvas is an image that is fitted into a place of a fraction of a pixel more or less, so edges differ: those of thick
    // curves by a third of a pixel.
    // A steep edge may then cover a pixel more or less.
    assert.ok(differing[0] < 1e-5, `${(1e6 * differing[0]).toFixed(1)} of a million values differ by more than 80 levels`);
    assert.ok(differing[1] < 0.015, `${(100 * differing[1]).toFixed(2)} % of the pixels differ by more than 8 levels`);
  } finally {
    await close();
  }
});

for (const [what, file] of [['the program', 'app-*.wasm'], ['the script that starts it', 'boot.js']]) test(`what is pressed, moved and typed before ${what} is there takes effect`, async () => {
  const { page, come, close } = await openHeld({}, '', file);
  try {
    await english(page).locator('[data-of=quick-mask-causal]').click();
    await english(page).locator('[data-of=quick-radius]').evaluate((slider) => {
      slider.value = 100;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await english(page).locator('[data-of=quick-n-number]').fill('40');
    if (file !== 'boot.js') assert.equal(await english(page).locator('.headline').isVisible(), false, 'the number of another state is not shown');
    await come();
    await page.waitForFunction(() => document.querySelector('#quick-mask-causal').getAttribute('aria-pressed') === 'true');
    await page.waitForFunction(() => document.querySelector('#quick-n').getAttribute('aria-valuetext') === '40');
    assert.equal(await page.locator('#quick-radius').inputValue(), '100');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'quick-n-number', 'the focus stays');
  } finally {
    await close();
  }
});

test('a slider stays in the hand that drags it while the program comes', async () => {
  const { page, letCome, close } = await openHeld();
  try {
    const slider = english(page).locator('[data-of=quick-radius]');
    const { x, y, width, height } = await slider.boundingBox();
    const drag = (by) => page.mouse.move(x + width / 2 + by, y + height / 2);
    await drag(0);
    await page.mouse.down();
    await drag(10);
    await letCome();
    await page.waitForSelector('#opening.held', { state: 'attached' });
    assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById('app')).opacity), '1', 'the program is seen');
    for (const by of [20, 40]) {
      const before = await page.locator('#quick-radius').inputValue();
      await drag(by);
      await page.waitForFunction((before) => document.querySelector('#quick-radius').value !== before, before);
      assert.equal(await page.locator('#quick-radius').inputValue(), await slider.inputValue());
    }
    const last = await slider.inputValue();
    await page.mouse.up();
    await page.waitForSelector('#opening', { state: 'detached' });
    assert.equal(await page.locator('#quick-radius').inputValue(), last);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'quick-radius');
  } finally {
    await close();
  }
});

test('an address of another state never shows the numbers of the opening view', async () => {
  for (const [hash, waits] of [['#v3&n=100', 'state'], ['#v3&plot=growth', 'frame'], ['#v3&lesson=mask.1', 'frame'], ['#v3&view=embed&n=3', 'bare'], ['#nonsense', 'state']]) {
    const { page, close } = await openHeld({}, hash);
    try {
      assert.equal(await page.evaluate(() => document.documentElement.dataset.waits), waits, hash);
      for (const part of ['.headline', '.said', '.limits', '.opening-picture svg', '.quick']) {
        assert.equal(await english(page).locator(part).locator('visible=true').count(), 0, `${hash}: ${part}`);
      }
      assert.equal(await english(page).locator('.opening-note').innerText(), 'computing');
    } finally {
      await close();
    }
  }
});

pageTest('an address that names nothing shows the opening view, with a sentence', { hash: '#nonsense' }, async ({ page }) => {
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=explore-norm]').dataset.value) > 1);
  assert.notEqual(await page.locator('#link-problem').innerText(), '');
});

test('without JavaScript the picture and the sentence stay, with one line that says what is missing', async () => {
  const { page, close } = await openHeld({ javaScriptEnabled: false });
  try {
    assert.match(await english(page).locator('.said').innerText(), /up to \d\.\d+ times as far/);
    assert.equal(await english(page).locator('.opening-picture svg').locator('visible=true').count(), 2);
    assert.equal(await page.locator('#opening > [lang=zh-Hans]').isVisible(), false);
    assert.match(await page.locator('noscript, .boot-status').allInnerTexts().then((all) => all.join(' ')), /JavaScript is switched off/);
  } finally {
    await close();
  }
});

test('a program that does not come leaves the picture, with one line that says so', async () => {
  const { context, page, url, close } = await openPage({ started: false, hash: '' });
  try {
    await context.route('**/app-*.wasm', (route) => route.abort());
    await page.goto(`${url}?again`);
    await page.waitForSelector('html[data-boot=failed]');
    assert.match(await page.getByRole('alert').textContent(), /did not load.*reload the page/);
    assert.equal(await english(page).locator('.said').isVisible(), true);
  } finally {
    await close();
  }
});

test('a reader of Chinese sees the document in Chinese, in the theme of the last visit', async () => {
  const { page, close } = await openHeld({ locale: 'zh-CN' });
  try {
    assert.equal(await page.locator('#opening > [lang=zh-Hans] .said').isVisible(), true);
    assert.equal(await english(page).isVisible(), false);
    await page.evaluate(() => localStorage.setItem('lipscope-theme', 'dark'));
    await page.reload({ waitUntil: 'commit' });
    await page.waitForSelector('#opening .page', { state: 'attached' });
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), 'rgb(18, 20, 23)');
  } finally {
    await close();
  }
});

test('the card of a shared link is the drawing that the page makes', async () => {
  const kept = readFileSync(`${DIST}/card.png`);
  assert.match(readFileSync(`${DIST}/index.html`, 'utf8'), /<meta property="og:image" content="\.\/card\.png">/);
  const page = await (await launch()).newPage();
  try {
    const [differing] = await above(page, [kept, await cardImage()], { x: 0, y: 0, width: 1200, height: 630 }, [32]);
    // Another machine may have other fonts.
    assert.ok(differing < 0.06, `${(100 * differing).toFixed(2)} % of the card differ: node card.mjs makes it anew`);
  } finally {
    await page.close();
  }
});
