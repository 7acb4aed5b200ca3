// Layout: controls stay under the pointer, nothing is cut off, and a plot is at the top of the window and readable
// there.
import assert from 'node:assert/strict';
import { DESKTOP, pageTest, PHONE } from './browser.mjs';
import { changed, swept } from './reading.mjs';

const OPENING = { hash: '', reducedMotion: 'reduce' };

/** Where the main controls are, by their ids. */
const places = (page) => page.evaluate(() => Object.fromEntries(['quick-n', 'quick-mask-none', 'quick-mask-causal', 'quick-norm-none', 'quick-norm-rms', 'more-controls'].map((id) => {
  const { left, top } = document.getElementById(id).getBoundingClientRect();
  return [id, [Math.round(left), Math.round(top)]];
})));

for (const [name, hash] of Object.entries({ English: '', Chinese: '?lang=zh#v3' })) {
  pageTest(`the main controls stay where they are whatever is chosen: ${name}`, { ...OPENING, hash }, async ({ page }) => {
    await changed(page, 'explore-norm');
    const before = await places(page);
    for (const id of ['quick-mask-causal', 'quick-norm-rms', 'quick-mask-none', 'quick-norm-layer']) {
      await page.click(`#${id}`);
      await page.waitForSelector(`#${id}[aria-pressed=true]`);
      assert.deepEqual(await places(page), before, id);
    }
  });
}

pageTest('beside the open panel all main controls are on the screen', OPENING, async ({ page }) => {
  await changed(page, 'explore-norm');
  await page.click('#more-controls');
  await page.waitForSelector('#preset');
  for (const id of ['quick-mask-causal', 'quick-norm-rms']) {
    await page.click(`#${id}`);
    await page.waitForSelector(`#${id}[aria-pressed=true]`);
    const low = await page.locator('.quick-place').evaluate((bar) => [...bar.querySelectorAll('button, input')].filter((control) => control.checkVisibility()).map((control) => control.getBoundingClientRect().bottom));
    assert.ok(Math.max(...low) <= DESKTOP.height, `${id}: ${low.join(', ')}`);
  }
});

for (const [width, height] of [[1440, 900], [390, 844], [360, 740]]) {
  pageTest(`a million fits the boxes of n and R at ${width} x ${height}`, { ...OPENING, viewport: { width, height }, hash: '#v3&tokens=adversarial&mask=causal&n=1000000&R=1000000&d=1' }, async ({ page }) => {
    for (const id of ['quick-n-number', 'quick-radius-number']) {
      await page.waitForFunction((id) => document.getElementById(id)?.value === '1000000', id);
      const { scroll, client } = await page.locator(`#${id}`).evaluate((box) => ({ scroll: box.scrollWidth, client: box.clientWidth }));
      assert.ok(scroll <= client, `${id}: ${scroll} px of text in ${client} px`);
    }
  });
}

pageTest('under a normaliser the axis of the plot is over the controls of a phone', { ...OPENING, viewport: PHONE, hash: '#v3&n=12&R=1000000&normalization=rms' }, async ({ page }) => {
  await changed(page, 'explore-norm');
  const plot = await page.locator('#explore-plot').boundingBox();
  const bar = await page.locator('.quick-place').boundingBox();
  assert.ok(plot.y + plot.height <= bar.y, `${plot.y + plot.height} is under ${bar.y}`);
});

pageTest('a mask without a button of its own has one while it is set', { ...OPENING, hash: '#v3&n=12&steps=gpt-oss' }, async ({ page }) => {
  await page.waitForSelector('#quick-mask-other[aria-pressed=true]:visible');
  assert.match(await page.locator('.quick-switch:has(#quick-mask-other)').innerText(), /window of 128, causal/);
  await page.click('#quick-mask-none');
  await page.waitForSelector('#quick-mask-none[aria-pressed=true]');
  assert.ok(await page.locator('#quick-mask-other').isHidden());
});

pageTest('the root of n is read at the n that is pointed at', OPENING, async ({ page }) => {
  await swept(page);
  const { x, y, width, height } = await page.locator('#explore-plot').boundingBox();
  const read = new Set();
  for (let at = 0.15; at < 0.8; at += 0.05) {
    await page.mouse.move(x + at * width, y + height / 2);
    await page.waitForFunction(() => document.querySelector('#explore-readout').innerText !== '');
    const [, n, root] = (await page.locator('#explore-readout').innerText()).match(/n = (\d+).*√n ([\d.]+)/s);
    assert.ok(Math.abs(Number(root) - Math.sqrt(Number(n))) < 6e-4 * Math.sqrt(Number(n)), `n = ${n}: ${root}`);
    read.add(n);
  }
  assert.ok(read.size >= 6, [...read].join(', '));
});

pageTest('another plot is looked at from its top', OPENING, async ({ page }) => {
  await page.waitForSelector('#explore-spectrum');
  await page.waitForFunction(() => {
    const main = document.querySelector('#main');
    main.scrollTop = 300;
    return main.scrollTop === 300;
  });
  await page.click('#explore-spectrum');
  await page.waitForSelector('.page[data-plot=other]');
  await page.waitForFunction(() => document.querySelector('#main').scrollTop === 0);
});

pageTest('the ladder is drawn beside the open panel, however long its numbers are', { ...OPENING, hash: '#v3&R=10' }, async ({ page }) => {
  await changed(page, 'explore-norm');
  await page.click('#view-growth');
  await page.click('#more-controls');
  await page.waitForSelector('#preset');
  await page.waitForFunction(() => {
    const canvas = document.querySelector('#ladder');
    if (!canvas?.width) return false;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size > 8;
  });
});
