// The lessons: every one to its end with the keyboard, numbers in the text against those on screen, guesses by mouse and by keys,
// the teacher's view, the list of keys.
import assert from 'node:assert/strict';
import { faults, openPage, pageTest, PHONE, seriousFaults } from './browser.mjs';
import { changed, reaches, show, still } from './reading.mjs';
import { test } from 'node:test';

const LESSONS = ['lipschitz', 'jacobian', 'sink', 'regime', 'mask', 'layer-norm', 'whole-space', 'inverse', 'slack'];

/** Where the number of a place stands on screen, and what of it is the same: its digits or their logarithm. */
function onScreen(place) {
  const [name, rest] = place.split(' ');
  const simple = {
    measured: 'spectral', ratio: 'ratio', radius: 'radius', 'column-sum': 'column-sum', frobenius: 'frobenius', linf: 'linf', l1: 'l1',
    'large-radius': 'large-radius', steps: 'iterations', residual: 'residual', slope: 'slope', gap: 'regime-gap', 'radius-there': 'regime-radius',
    'exact-there': 'regime-exact', 'scaled-slope-dot': 'scale-slope-dot', 'scaled-slope-l2': 'scale-slope-l2', 'scaled-radius': 'scale-radius',
    'scaled-dot': 'scale-dot', 'scaled-l2': 'scale-l2', 'tight-n': 'tight-n', 'tight-found': 'tight-found', 'tight-bound': 'tight-bound',
    'tight-ratio': 'tight-ratio', c: 'inverse-c',
  };
  if (name === 'bound') return `bound-${rest}`;
  if (name === 'there') return `regime-${rest}`;
  if (name === 'inverse-l2') return `inverse-l2-${rest}`;
  if (name === 'inverse-dot') return `inverse-dot-${rest}`;
  return simple[name];
}

/** Waits until every place of the text is filled by what is set now; the place that is not is named. */
async function filled(page) {
  const wait = () => page.waitForFunction(
    () => [...document.querySelectorAll('.lesson .slot')].every((slot) => slot.dataset.value && !slot.classList.contains('old')),
    undefined, { timeout: 30_000 },
  );
  await wait().catch(async () => {
    const empty = await page.$$eval('.lesson .slot', (slots) => slots.filter((slot) => !slot.dataset.value || slot.classList.contains('old')).map((slot) => slot.dataset.slot));
    assert.fail(`nothing stands at ${empty}`);
  });
}

/** Compares every number of the text with the one on screen, at one moment; returns how many are on screen. */
async function compareNumbers(page, where) {
  const places = await page.$$eval('.lesson .slot', (slots) => slots.map((slot) => slot.dataset.slot));
  const pairs = places.map((place) => [place, onScreen(place)]).filter(([, id]) => id);
  const read = () => page.evaluate((pairs) => pairs.map(([place, id]) => {
    const screen = document.querySelector(`[data-testid="${id}"]`);
    return { place, text: document.querySelector(`.lesson .slot[data-slot="${place}"]`)?.dataset.value, screen: screen?.dataset.value };
  }), pairs);
  let count = 0;
  for (const { place, text, screen } of await read()) {
    // The row of a curve that is switched off, or of a bound that is in no list, has no number.
    if (!screen) continue;
    count += 1;
    const [a, b] = [Number(text), Number(screen)];
    if (Number.isNaN(a)) assert.equal(text, screen, `${where}: {${place}}`);
    else assert.ok(Math.abs(a - b) <= 1e-12 * Math.abs(b), `${where}: {${place}} is ${text}, on screen ${screen}`);
  }
  return count;
}

const at = (page) => page.locator('#lesson-panel').evaluate((panel) => [panel.dataset.lesson, panel.dataset.step]);

pageTest('every lesson to its end with the keyboard alone, its numbers those on screen', { timeout: 420_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  let compared = 0;
  for (const [number, id] of LESSONS.entries()) {
    // The list is open from the second lesson on: the end of a lesson leads there.
    if (number === 0) {
      await page.keyboard.press('l');
      await page.waitForFunction(() => document.activeElement?.id === 'lesson-heading');
      assert.equal(await page.locator('.lesson-pick').count(), LESSONS.length);
    }
    await page.locator(`.lesson-pick[data-lesson="${id}"]`).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'lesson-heading');
    const steps = Number((await page.getByTestId('lesson-progress').innerText()).split(' ').at(-1));
    for (let step = 0; step < steps; step += 1) {
      const where = `${id}, step ${step + 1}`;
      assert.deepEqual(await at(page), [id, String(step)]);
      await page.waitForFunction((link) => location.hash === link, `#v2&lesson=${id}.${step + 1}`);
      assert.equal(await page.getByTestId('lesson-progress').innerText(), `${step + 1} of ${steps}`);
      assert.match(await page.getByTestId('lesson-said').innerText(), new RegExp(`^Step ${step + 1} of ${steps}: `));
      assert.equal(await page.locator('.problem:not([hidden])').count(), 0, where);
      if (await page.locator('#guess-reveal').count()) {
        await page.focus('#guess-reveal');
        await page.keyboard.press('Enter');
      }
      await filled(page);
      compared += await compareNumbers(page, where);
      await page.keyboard.press('Alt+ArrowRight');
    }
    await page.waitForSelector('.lesson-pick');
  }
  assert.ok(compared > 90, `only ${compared} numbers were compared`);
});

pageTest('back, the controls beside a lesson, and my configuration again', async ({ page }) => {
  await page.fill('#n-number', '48');
  await page.press('#n-number', 'Enter');
  await show(page, 'draws');
  const before = await changed(page, 'spectral');
  await page.click('#lessons-open');
  await page.click('.lesson-pick[data-lesson="mask"]');
  await reaches(page, 'spectral', 12.1275, 5e-5);
  assert.equal(await page.locator('#lesson-back').getAttribute('aria-disabled'), 'true');
  await page.click('#lesson-next');
  await reaches(page, 'spectral', 11.1338, 5e-5);
  await page.click('#lesson-next');
  await reaches(page, 'spectral', 2.0504, 5e-5);
  await page.keyboard.press('Alt+ArrowLeft');
  await reaches(page, 'spectral', 11.1338, 5e-5);
  // The controls are a toggle away; what is changed there is in the text at once, and can be set up again.
  assert.ok(await page.locator('#lesson-again').isHidden());
  await page.click('.sheet-handle');
  await page.selectOption('#mask', 'none');
  await page.click('.sheet-handle');
  await reaches(page, 'spectral', 12.1275, 5e-5);
  await filled(page);
  assert.ok((await compareNumbers(page, 'after a change')) > 1);
  await page.click('#lesson-again');
  await reaches(page, 'spectral', 11.1338, 5e-5);
  // Closing leaves the page as it is.
  await page.click('#lesson-close');
  assert.ok(await page.locator('#lesson-panel').isHidden());
  await page.waitForFunction(() => document.activeElement?.id === 'lessons-open');
  assert.equal(await page.locator('#mask').inputValue(), 'causal');
  await page.click('#lessons-open');
  await page.click('#lesson-restore');
  await reaches(page, 'spectral', before, 1e-9);
  assert.equal(await page.locator('#n-number').inputValue(), '48');
  assert.equal(await page.locator('#plot-draws').getAttribute('aria-pressed'), 'true');
  assert.ok(await page.locator('#lesson-panel').isHidden());
});

pageTest('the name of a step in the address sets the page to it, and what differs from it is told', { hash: '#v2&lesson=mask.2' }, async ({ page, url }) => {
  await reaches(page, 'spectral', 11.1338, 5e-5);
  assert.deepEqual(await at(page), ['mask', '1']);
  await filled(page);
  await page.click('.sheet-handle');
  await page.selectOption('#mask', 'none');
  await reaches(page, 'spectral', 12.1275, 5e-5);
  const link = '#v2&lesson=mask.2&mask=none';
  await page.waitForFunction((link) => location.hash === link, link);
  await page.goto('about:blank');
  await page.goto(url + link);
  await reaches(page, 'spectral', 12.1275, 5e-5);
  assert.deepEqual(await at(page), ['mask', '1']);
});

async function startLesson(page, id) {
  await page.click('#lessons-open');
  await page.click(`.lesson-pick[data-lesson="${id}"]`);
}

const offBy = async (page) => {
  await page.waitForFunction(() => /\d/.test(document.querySelector('[data-testid="guess-words"]').textContent));
  return page.getByTestId('guess-words').innerText();
};

pageTest('a curve is drawn by mouse, then revealed', async ({ page }) => {
  await changed(page, 'spectral');
  await startLesson(page, 'sink');
  // Nothing on screen gives it away.
  assert.ok(await page.locator('[data-testid="spectral"]').isHidden());
  assert.ok(await page.locator('#main-plot').isHidden());
  assert.ok(await page.locator('#attention-map').isHidden());
  const box = await still(page, '#guess-curve');
  await page.mouse.move(box.x + 60, box.y + box.height * 0.8);
  await page.mouse.down();
  for (let share = 0; share <= 1; share += 0.1) await page.mouse.move(box.x + 60 + share * (box.width - 160), box.y + box.height * (0.8 - 0.6 * share));
  await page.mouse.up();
  assert.match(await page.locator('#guess-curve').getAttribute('aria-valuetext'), /^n = 256: L = \d/);
  await page.click('#guess-table summary');
  // A table is made when its fold is open.
  await page.waitForSelector('#guess-table tbody tr');
  const drawn = await page.$$eval('#guess-table tbody tr', (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.equal(drawn.length, 8);
  assert.ok(drawn.every(([, yours, measured]) => Number(yours) !== 1 && measured === ''), JSON.stringify(drawn));
  assert.ok(Number(drawn[0][1]) < Number(drawn[7][1]));
  await page.click('#guess-reveal');
  assert.match(await offBy(page), /^Your curve is furthest off at n = \d+: you drew .+, measured = [\d.]+\. That is [\d.]+ × too (high|low)\.$/);
  const revealed = await page.$$eval('#guess-table tbody tr', (rows) => rows.map((row) => [...row.children].map((cell) => Number(cell.textContent))));
  // The measured column is what the page measures: √(n - 1) here.
  for (const [n, yours, measured, ratio] of revealed) {
    assert.ok(Math.abs(measured - Math.sqrt(n - 1)) < 0.02, `${n}: ${measured}`);
    assert.ok(Math.abs(ratio - yours / measured) < 0.01 * ratio);
  }
  assert.ok(await page.locator('[data-testid="spectral"]').isVisible());
});

pageTest('a curve is drawn by keys, and is right', async ({ page }) => {
  await changed(page, 'spectral');
  await startLesson(page, 'sink');
  await page.focus('#guess-curve');
  await page.keyboard.press('Home');
  for (let handle = 0; handle < 8; handle += 1) {
    const words = await page.locator('#guess-curve').getAttribute('aria-valuetext');
    const n = Number(words.match(/n = (\d+)/)[1]);
    const presses = Math.round(Math.log(Math.sqrt(n - 1)) / Math.log(1.122));
    for (let press = 0; press < presses; press += 1) await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Enter');
  const [times] = (await offBy(page)).match(/[\d.]+(?= × off)/);
  assert.ok(Number(times) >= 1 && Number(times) < 1.1, times);
});

pageTest('a mark is placed by keys and by mouse, then revealed', async ({ page }) => {
  await changed(page, 'spectral');
  await startLesson(page, 'slack');
  await filled(page);
  assert.ok(await page.locator('[data-testid="spectral"]').isHidden());
  await page.focus('#guess-mark');
  await page.keyboard.press('Home');
  const lowest = Number(await page.locator('#guess-mark').getAttribute('aria-valuenow'));
  assert.equal(lowest, Number(await page.locator('#guess-mark').getAttribute('aria-valuemin')));
  for (let press = 0; press < 10; press += 1) await page.keyboard.press('ArrowRight');
  const now = Number(await page.locator('#guess-mark').getAttribute('aria-valuenow'));
  assert.ok(Math.abs(now - lowest - 0.5) < 1e-9);
  await page.keyboard.press('Enter');
  const words = await offBy(page);
  const [, yours, measured, off, side] = words.match(/^You said ([\d.]+), measured = ([\d.]+)\. That is ([\d.]+) × too (high|low)\.$/);
  const spectral = Number(await page.getByTestId('spectral').getAttribute('data-value'));
  assert.ok(Math.abs(measured - spectral) < 1e-3 * spectral);
  const ratio = 10 ** now / spectral;
  assert.equal(side, ratio > 1 ? 'high' : 'low');
  assert.ok(Math.abs(off - Math.max(ratio, 1 / ratio)) < 0.06 * off, `${words} (${ratio})`);
  assert.ok(yours > 0);
  // Again, by mouse.
  await page.click('#guess-reveal');
  assert.ok(await page.locator('[data-testid="spectral"]').isHidden());
  const box = await still(page, '#guess-mark');
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 40);
  await page.mouse.up();
  assert.ok(Number(await page.locator('#guess-mark').getAttribute('aria-valuenow')) > now);
});

pageTest('the teacher’s view is larger, hides the controls, and lessons go on in it', async ({ page }) => {
  await changed(page, 'spectral');
  const size = () => page.locator('[data-testid="spectral"]').evaluate((number) => Number.parseFloat(getComputedStyle(number).fontSize));
  const usual = await size();
  await page.keyboard.press('t');
  assert.ok((await size()) > 1.25 * usual);
  assert.ok(await page.locator('.controls').isHidden());
  assert.ok(await page.getByTestId('frobenius').isHidden());
  assert.ok(await page.locator('#regime-plot').isVisible());
  assert.equal(await page.locator('#teacher-view').getAttribute('aria-pressed'), 'true');
  await startLesson(page, 'mask');
  await page.click('#lesson-next');
  await reaches(page, 'spectral', 11.1338, 5e-5);
  const panel = await page.locator('#lesson-panel').boundingBox();
  const plot = await page.locator('#plots').boundingBox();
  assert.ok(panel.x + panel.width <= plot.x, 'the panel covers the plot');
  assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]), [1440, 1440]);
  await page.click('#teacher-view');
  assert.ok(Math.abs((await size()) - usual) < 0.1);
});

pageTest('the list of keys opens with ?, closes with Escape, and gives the focus back', async ({ page }) => {
  await changed(page, 'spectral');
  await page.focus('#plot-draws');
  await page.keyboard.press('?');
  await page.waitForSelector('#keys[open]');
  assert.ok((await page.locator('#keys dt').count()) > 20);
  for (const key of ['?', 't', 'Alt →', 'Esc']) assert.ok((await page.locator('#keys dt').allInnerTexts()).includes(key), key);
  assert.deepEqual(await seriousFaults(page), []);
  // Under it no other key does anything.
  await page.keyboard.press('t');
  assert.equal(await page.locator('#teacher-view').getAttribute('aria-pressed'), 'false');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('#keys').open && document.activeElement.id === 'plot-draws');
  // What is typed is typed.
  await page.focus('#n-number');
  for (const key of ['?', 't', 'l']) await page.keyboard.press(key);
  assert.equal(await page.locator('#keys').evaluate((keys) => keys.open), false);
  assert.equal(await page.locator('#teacher-view').getAttribute('aria-pressed'), 'false');
  assert.ok(await page.locator('#lesson-panel').isHidden());
  await page.click('#keys-open');
  await page.click('#keys-close');
  await page.waitForFunction(() => document.activeElement.id === 'keys-open');
});

pageTest('on a phone the lesson stands under the plot', { viewport: PHONE, context: { hasTouch: true } }, async ({ page }) => {
  await changed(page, 'spectral');
  await page.tap('#lessons-open');
  await page.tap('.lesson-pick[data-lesson="sink"]');
  const widths = () => page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.deepEqual(await widths(), [390, 390]);
  const box = await still(page, '#guess-curve');
  await page.touchscreen.tap(box.x + box.width * 0.5, box.y + box.height * 0.4);
  assert.match(await page.locator('#guess-curve').getAttribute('aria-valuetext'), /L = (?!1\.0$)/);
  await page.tap('#guess-reveal');
  await offBy(page);
  for (let step = 0; step < 5; step += 1) {
    await page.tap('#lesson-next');
    await filled(page);
    assert.deepEqual(await widths(), [390, 390]);
    const panel = await page.locator('.controls').boundingBox();
    assert.ok(panel.height <= 0.41 * 844, `the sheet is ${panel.height} high`);
  }
  await page.tap('.sheet-handle');
  assert.ok(await page.locator('#radius').isVisible());
  assert.ok(await page.locator('#lesson-panel').isHidden());
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe-core finds nothing in any lesson, ${colorScheme}`, { timeout: 240_000 }, async () => {
    const { page, problems, close } = await openPage({ colorScheme, reducedMotion: 'reduce' });
    try {
      await changed(page, 'spectral');
      await page.click('#lessons-open');
      for (const id of LESSONS) {
        assert.deepEqual(await faults(page), [], 'the list');
        await page.click(`.lesson-pick[data-lesson="${id}"]`);
        // Where something is to be guessed, covered and revealed.
        assert.deepEqual(await faults(page), [], id);
        if (await page.locator('#guess-reveal').count()) await page.click('#guess-reveal');
        await filled(page);
        assert.deepEqual(await faults(page), [], id);
        await page.click('#lesson-list');
      }
      await page.click('.lesson-pick[data-lesson="sink"]');
      await page.keyboard.press('t');
      assert.deepEqual(await faults(page), [], 'the teacher’s view');
      assert.deepEqual(await problems(), []);
    } finally {
      await close();
    }
  });
}
