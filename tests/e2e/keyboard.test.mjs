// The page by keyboard alone: Tab reaches everything that can be used and goes past it, and the focused element is
// visible.
import assert from 'node:assert/strict';
import { DESKTOP, pageTest, PHONE } from './browser.mjs';
import { changed, closeControls, openControls, PLOTS, show } from './reading.mjs';

/** Marks whatever Tab should come to, and names each mark. */
const markStops = (page) => page.evaluate(() => {
  const able = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"], [contenteditable="true"]';
  const radios = new Set();
  const names = [];
  for (const element of document.querySelectorAll('[data-stop]')) delete element.dataset.stop;
  for (const element of document.querySelectorAll(able)) {
    if (element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true }) || element.closest('[inert]')) continue;
    if (element.type === 'radio') {
      // Tab stops at one radio button of a group.
      if (radios.has(element.name)) continue;
      radios.add(element.name);
      for (const radio of document.querySelectorAll(`input[type=radio][name="${CSS.escape(element.name)}"]`)) radio.dataset.stop = names.length;
    }
    element.dataset.stop = names.length;
    names.push(`${element.tagName.toLowerCase()}#${element.id} "${(element.ariaLabel ?? element.textContent).trim().slice(0, 40)}"`);
  }
  return names;
});

/**
 * The focused element: its mark, and whether a reader can see that it has the focus, at once or after the browser has
 * scrolled to it. `null` past the last element.
 */
const focused = (page) => page.evaluate(async () => {
  const look = () => {
    const element = document.activeElement;
    if (!element || element === document.body || element === document.documentElement) return null;
    const rect = element.getBoundingClientRect();
    const outlined = (e) => e && getComputedStyle(e).outlineStyle !== 'none' && parseFloat(getComputedStyle(e).outlineWidth) >= 2;
    const x = (Math.max(rect.left, 0) + Math.min(rect.right, innerWidth)) / 2;
    const y = (Math.max(rect.top, 0) + Math.min(rect.bottom, innerHeight)) / 2;
    const above = document.elementFromPoint(x, y);
    return {
      stop: element.dataset.stop,
      name: `${element.tagName.toLowerCase()}#${element.id}.${element.className}`,
      // The input for a file lies invisibly over its label.
      isOutlined: outlined(element) || outlined(element.nextElementSibling),
      isInView: rect.right > 0 && rect.bottom > 0 && rect.left < innerWidth && rect.top < innerHeight,
      covered: above && (element.contains(above) || above.contains(element) || above.closest('label')?.control === element) ? '' : `${above?.tagName}.${above?.className}`,
    };
  };
  const now = look();
  if (now && now.isOutlined && now.isInView && !now.covered) return now;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return look();
});

/** Waits until nothing runs: a stop button disappears when its run has ended, perhaps just before Tab reaches it. */
const settled = (page) => page.waitForFunction(
  () => [...document.querySelectorAll('[data-phase="running"]')].every((progress) => !progress.checkVisibility()),
  undefined, { timeout: 90_000 },
);

/** Presses a key until the focus has left the page. */
async function walk(page, key, most) {
  const walked = [];
  for (let step = 0; step < most; step++) {
    await page.keyboard.press(key);
    const stop = await focused(page);
    if (!stop) return walked;
    walked.push(stop);
  }
  assert.fail(`${key} does not get out: the last were ${walked.slice(-6).map(({ name }) => name).join(', ')}`);
}

for (const [device, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  pageTest(`Tab comes to everything, shows where it is, and gets out (${device})`, { viewport, timeout: 400_000 }, async ({ page }) => {
    await changed(page, 'spectral');
    for (const [at, tab] of Object.keys(PLOTS).entries()) {
      await show(page, tab);
      // All controls are gone through once, in the first view: they are the same in all that have them.
      await (at === 0 ? openControls : closeControls)(page);
      // On a desktop the export folds lie over the page and open one at a time: there only the other folds are opened.
      const folds = viewport === PHONE ? 'details' : 'details:not(.export)';
      await page.evaluate((folds) => document.querySelectorAll(folds).forEach((fold) => { fold.open = true; }), folds);
      // The controls rest a moment before anything runs.
      await page.waitForTimeout(800);
      await settled(page);
      await page.evaluate(() => {
        // Tab goes on from the element that was focused last: here from one above all others.
        const top = document.createElement('span');
        top.tabIndex = -1;
        document.body.prepend(top);
        top.focus();
      });
      const names = await markStops(page);
      assert.ok(names.length > (tab === 'lab' ? 12 : 20), `${tab}: only ${names.length} stops`);
      const walked = await walk(page, 'Tab', names.length + 25);
      const reached = new Set(walked.map(({ stop }) => Number(stop)));
      assert.deepEqual(names.filter((_, i) => !reached.has(i)), [], `${tab}: never reached`);
      assert.deepEqual(walked.filter(({ isOutlined }) => !isOutlined).map(({ name }) => name), [], `${tab}: no outline`);
      assert.deepEqual(walked.filter(({ isInView }) => !isInView).map(({ name }) => name), [], `${tab}: out of view`);
      assert.deepEqual(walked.filter(({ covered }) => covered).map(({ name, covered }) => `${name} under ${covered}`), [], `${tab}: covered`);
      // Backwards the same, in the opposite order.
      const last = walked.slice(-8).map(({ stop }) => stop);
      await page.focus(`[data-stop="${last.at(-1)}"]`);
      for (const stop of last.slice(0, -1).reverse()) {
        await page.keyboard.press('Shift+Tab');
        assert.equal((await focused(page))?.stop, stop, `${tab}: backwards`);
      }
    }
  });
}

pageTest('with forced colours what is chosen is still seen to be', { context: { forcedColors: 'active' } }, async ({ page }) => {
  await changed(page, 'spectral');
  const alike = await page.evaluate(() => {
    const look = (element) => {
      const { backgroundColor, color, borderTopColor, borderTopWidth, outlineStyle, textDecorationLine } = getComputedStyle(element);
      return JSON.stringify([backgroundColor, color, borderTopColor, borderTopWidth, outlineStyle, textDecorationLine]);
    };
    return [...document.querySelectorAll('[role=group]')]
      .filter((group) => group.checkVisibility() && group.querySelector('[aria-pressed=true]') && group.querySelector('[aria-pressed=false]'))
      .filter((group) => look(group.querySelector('[aria-pressed=true]')) === look(group.querySelector('[aria-pressed=false]')))
      .map((group) => group.ariaLabel);
  });
  assert.deepEqual(alike, []);
  // The filled part of a slider is a picture in its background, which stays; its thumb must stand out from the paper.
  await page.focus('#radius');
  const outline = await page.locator('#radius').evaluate((slider) => getComputedStyle(slider).outlineStyle);
  assert.notEqual(outline, 'none');
});
