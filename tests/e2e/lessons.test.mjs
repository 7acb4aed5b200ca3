// The lessons: every one to its end with the keyboard, numbers in the text against those on screen, goals, hints and answers,
// predictions by mouse and by keys, leaving, the teacher's view, the list of keys.
import assert from 'node:assert/strict';
import { faults, openPage, pageTest, PHONE, seriousFaults } from './browser.mjs';
import { changed, reaches, reveal, still, value } from './reading.mjs';
import { test } from 'node:test';

const LESSONS = ['lipschitz', 'jacobian', 'sink', 'regime', 'mask', 'layer-norm', 'whole-space', 'inverse', 'slack', 'train', 'own'];

/** Where the number of a place stands on screen, and what of it is the same: its digits or their logarithm. */
function onScreen(place) {
  const [name, rest] = place.split(' ');
  const simple = {
    measured: 'spectral', ratio: 'ratio', radius: 'radius', 'column-sum': 'column-sum', frobenius: 'frobenius', linf: 'linf', l1: 'l1',
    'large-radius': 'large-radius', steps: 'iterations', residual: 'residual', slope: 'slope', gap: 'growth-gap', 'radius-there': 'growth-radius',
    'exact-there': 'growth-exact', 'scaled-slope-dot': 'scale-slope-dot', 'scaled-slope-l2': 'scale-slope-l2', 'scaled-radius': 'scale-radius',
    'scaled-dot': 'scale-dot', 'scaled-l2': 'scale-l2', 'tight-n': 'tight-n', 'tight-found': 'tight-found', 'tight-bound': 'tight-bound',
    'tight-ratio': 'tight-ratio', c: 'inverse-c',
  };
  if (name === 'bound') return `bound-${rest}`;
  if (name === 'there') return `growth-${rest}`;
  if (name === 'inverse-l2') return `inverse-l2-${rest}`;
  if (name === 'inverse-dot') return `inverse-dot-${rest}`;
  return simple[name];
}

/** Waits until every place of the text is filled by what is set now; the place that is not is named. What training says stands in
 *  paragraphs that are hidden until it is there. */
async function filled(page) {
  const wait = () => page.waitForFunction(
    () => [...document.querySelectorAll('.lesson .slot:not([data-slot^="trained-"])')].every((slot) => slot.dataset.value && !slot.classList.contains('old')),
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
      await page.waitForFunction((link) => location.hash === link, `#v3&lesson=${id}.${step + 1}`);
      assert.equal(await page.getByTestId('lesson-progress').innerText(), `${step + 1} of ${steps}`);
      assert.match(await page.getByTestId('lesson-said').innerText(), new RegExp(`^Step ${step + 1} of ${steps}: `));
      assert.equal(await page.locator('.problem:not([hidden])').count(), 0, where);
      for (const press of ['#guess-reveal', '.lesson-choice']) {
        if (!(await page.locator(press).count())) continue;
        await page.locator(press).first().focus();
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
  await page.click('#growth-range-1e6');
  const before = await changed(page, 'spectral');
  await page.click('#lessons-open');
  await page.click('.lesson-pick[data-lesson="mask"]');
  await reaches(page, 'spectral', 12.1275, 5e-5);
  assert.equal(await page.locator('#lesson-back').getAttribute('aria-disabled'), 'true');
  await page.click('#lesson-next');
  await reaches(page, 'spectral', 2.0504, 5e-5);
  await page.click('#lesson-next');
  await reaches(page, 'spectral', 5.3135, 5e-5);
  await page.keyboard.press('Alt+ArrowLeft');
  await reaches(page, 'spectral', 2.0504, 5e-5);
  // The controls are a toggle away; what is changed there is in the text at once, and can be set up again.
  assert.ok(await page.locator('#lesson-again').isHidden());
  await page.click('.sheet-handle');
  await page.selectOption('#mask', 'causal');
  await page.click('.sheet-handle');
  await reaches(page, 'spectral', 5.3135, 5e-5);
  await filled(page);
  assert.ok((await compareNumbers(page, 'after a change')) > 1);
  await page.click('#lesson-again');
  await reaches(page, 'spectral', 2.0504, 5e-5);
  // Leaving asks which configuration to go on with.
  await page.click('#lesson-close');
  await page.waitForFunction(() => document.activeElement?.id === 'lesson-keep');
  await page.click('#lesson-stay');
  assert.ok(await page.locator('.lesson-leaving').isHidden());
  await page.click('#lesson-close');
  await page.click('#lesson-keep');
  assert.ok(await page.locator('#lesson-panel').isHidden());
  await page.waitForFunction(() => document.activeElement?.id === 'lessons-open');
  assert.equal(await page.locator('#n-number').inputValue(), '100');
  await page.click('#lessons-open');
  await page.click('#lesson-restore');
  await reaches(page, 'spectral', before, 1e-9);
  // The other way: mine at once.
  await page.click('#lessons-open');
  await page.click('.lesson-pick[data-lesson="mask"]');
  await reaches(page, 'spectral', 12.1275, 5e-5);
  await page.click('#lesson-close');
  await page.click('#lesson-mine');
  await reaches(page, 'spectral', before, 1e-9);
  assert.equal(await page.locator('#n-number').inputValue(), '48');
  assert.equal(await page.locator('#growth-range-1e6').getAttribute('aria-pressed'), 'true');
  assert.ok(await page.locator('#lesson-panel').isHidden());
});

const goal = (page, id) => page.locator(`.goal[data-goal="${id}"]`);
const reached = (page, id) => page.waitForSelector(`.goal[data-goal="${id}"][data-reached="true"]`, { timeout: 10_000 });

pageTest('tokens are pushed, two goals reached, and the third is found to be impossible', async ({ page }) => {
  await changed(page, 'spectral');
  await startLesson(page, 'lipschitz');
  await filled(page);
  assert.equal(await page.locator('#lesson-next').innerText(), 'Skip');
  const told = page.locator('.lesson-after');
  assert.ok(await told.isHidden());
  await page.focus('#token-stage');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await reached(page, 'move');
  assert.ok(await told.isVisible());
  assert.equal(await page.locator('#lesson-next').innerText(), 'Next');
  await page.click('#lesson-next');
  await filled(page);
  // A token stays in the disc, however far it is pulled.
  await page.focus('#token-stage');
  await page.keyboard.press('Home');
  for (let press = 0; press < 16; press += 1) await page.keyboard.press('Shift+ArrowRight');
  await page.waitForTimeout(600);
  assert.ok((await value(page, 'radius')) <= 1.5 + 1e-9);
  assert.equal(await goal(page, 'four').getAttribute('data-reached'), 'false');
  await goal(page, 'four').locator('.goal-impossible').click();
  assert.ok(await page.getByText('This one can be reached.').isVisible());
  await goal(page, 'ten').locator('.goal-impossible').click();
  await reached(page, 'ten');
  assert.match(await goal(page, 'ten').innerText(), /impossible.*it is proved that L ≤ \d/s);
  await page.click('#lesson-show-all');
  assert.ok(await page.getByTestId('lesson-hint').isVisible());
  // Goals that are reached stay reached: the answer is to the first that is not.
  for (const id of ['two', 'four']) {
    if ((await goal(page, id).getAttribute('data-reached')) === 'false') await page.click('#lesson-answer');
    await reached(page, id);
  }
  await reaches(page, 'spectral', 4.4603, 1e-3);
  assert.ok(await page.locator('#lesson-answer').isHidden());
});

pageTest('a slider in the text reaches a goal; after the third try the answer is offered', async ({ page }) => {
  await changed(page, 'spectral');
  await page.goto(`${page.url().split('#')[0]}#v2&lesson=lipschitz.3`);
  await filled(page);
  const slider = page.locator('#lesson-slider-R');
  const before = Number(await slider.inputValue());
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    assert.ok(await page.locator('#lesson-answer').isHidden(), `after ${attempt - 1}`);
    await slider.fill(String(before + attempt));
    await page.waitForTimeout(1500);
  }
  await page.waitForSelector('#lesson-answer:not([hidden])');
  assert.ok(await page.getByTestId('lesson-hint').isVisible());
  await slider.focus();
  await page.keyboard.press('End');
  await reached(page, 'large');
  await page.keyboard.press('Home');
  await reached(page, 'small');
  assert.equal(await value(page, 'spectral') <= 1, true);
  assert.ok(await page.locator('.lesson-after').isVisible());
});

pageTest('the hint comes after half a minute', async ({ page }) => {
  await page.clock.install();
  await page.goto('about:blank');
  await page.goBack();
  await changed(page, 'spectral');
  await startLesson(page, 'jacobian');
  await filled(page);
  assert.ok(await page.getByTestId('lesson-hint').isHidden());
  await page.clock.fastForward(31_000);
  await page.waitForSelector('[data-testid="lesson-hint"]:not([hidden])');
  assert.ok(await page.locator('#lesson-answer').isHidden());
});

pageTest('an answer is chosen before the page shows it, and answered by name', { hash: '#v2&lesson=mask.2' }, async ({ page }) => {
  await filled(page);
  await reaches(page, 'spectral', 2.0504, 5e-5);
  await page.click('.lesson-choice[data-choice="lower"]');
  await reaches(page, 'spectral', 5.3135, 5e-5);
  await page.waitForFunction(() => /The page says/.test(document.querySelector('[data-testid="guess-words"]').textContent));
  assert.equal(await page.getByTestId('guess-words').innerText(), 'You said: It lowers L again. The page says: It raises L.');
  await reached(page, 'seen');
  assert.ok(await page.locator('.lesson-choice').first().isDisabled());
});

pageTest('a question of one’s own ends in a link to share', { hash: '#v2&lesson=own.2' }, async ({ page, context, url }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await filled(page);
  await page.click('.lesson-press[data-sets="mask=causal"]');
  await reached(page, 'asked');
  await page.click('#lesson-copy');
  await reached(page, 'shared');
  const link = await page.locator('#lesson-link').inputValue();
  assert.ok(link.startsWith(url) && !link.includes('lesson') && link.includes('mask=causal'), link);
  const here = await value(page, 'spectral');
  await page.goto('about:blank');
  await page.goto(link);
  await reaches(page, 'spectral', here, 0);
});

for (const unknown of ['foo.9', 'sink.60']) {
  pageTest(`a link to ${unknown} is answered with a sentence`, { hash: `#v2&lesson=${unknown}&n=12` }, async ({ page }) => {
    await page.waitForSelector('.link-problem .problem:not([hidden])');
    assert.match(await page.locator('.link-problem').innerText(), new RegExp(`“${unknown}”`));
    await page.waitForFunction(() => document.querySelector('[data-testid="n"]').dataset.value === '12');
    assert.equal(await page.locator('.lesson:not([hidden])').count(), 0);
  });
}

pageTest('the name of a step in the address sets the page to it, and what differs from it is told', { hash: '#v2&lesson=mask.2' }, async ({ page, url }) => {
  await reaches(page, 'spectral', 2.0504, 5e-5);
  assert.deepEqual(await at(page), ['mask', '1']);
  await filled(page);
  await page.click('.sheet-handle');
  await page.selectOption('#mask', 'causal');
  await reaches(page, 'spectral', 5.3135, 5e-5);
  const link = '#v3&lesson=mask.2&mask=causal';
  await page.waitForFunction((link) => location.hash === link, link);
  await page.goto('about:blank');
  await page.goto(url + link);
  await reaches(page, 'spectral', 5.3135, 5e-5);
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
  assert.ok(await page.locator('#growth-plot').isHidden());
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
  assert.match(await offBy(page), /^You drew slope −?[\d.]+; the tokens say 0\.5\d+\. Your curve is furthest off at n = \d+: you drew .+, measured = [\d.]+\. That is [\d.]+ × too (high|low)\.$/);
  const revealed = await page.$$eval('#guess-table tbody tr', (rows) => rows.map((row) => [...row.children].map((cell) => Number(cell.textContent))));
  // The measured column is what the page measures: √(n - 1) here.
  for (const [n, yours, measured, ratio] of revealed) {
    assert.ok(Math.abs(measured - Math.sqrt(n - 1)) < 0.02, `${n}: ${measured}`);
    assert.ok(Math.abs(ratio - yours / measured) < 0.01 * ratio);
  }
  assert.ok(await page.locator('[data-testid="spectral"]').isVisible());
});

pageTest('who shows the answer without drawing has skipped the step', async ({ page }) => {
  await changed(page, 'spectral');
  await startLesson(page, 'sink');
  // Enter reveals what was drawn, and nothing is.
  await page.focus('#guess-curve');
  await page.keyboard.press('Enter');
  assert.ok(await page.locator('[data-testid="spectral"]').isHidden());
  assert.equal(await page.locator('#guess-reveal').innerText(), 'Show without guessing');
  await page.click('#guess-reveal');
  assert.match(await page.getByTestId('guess-words').innerText(), /counts as skipped/);
  assert.equal(await page.locator('.goal[data-goal=seen]').getAttribute('data-reached'), 'false');
  assert.equal(await page.locator('#lesson-next').innerText(), 'Skip');
  await page.click('#guess-reveal');
  await page.focus('#guess-curve');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.locator('#guess-reveal').innerText(), 'Reveal');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.goal[data-goal=seen][data-reached=true]');
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
  const [times] = (await offBy(page)).match(/[\d.]+(?= × (?:too|anywhere))/);
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
  assert.ok(await page.locator('#growth-plot').isVisible());
  assert.equal(await page.locator('#teacher-view').getAttribute('aria-pressed'), 'true');
  await startLesson(page, 'mask');
  await reaches(page, 'spectral', 12.1275, 5e-5);
  // A presenter's remote goes through the lesson.
  await page.keyboard.press('PageDown');
  await reaches(page, 'spectral', 2.0504, 5e-5);
  await page.keyboard.press('ArrowRight');
  await reaches(page, 'spectral', 5.3135, 5e-5);
  await page.keyboard.press('PageUp');
  await page.keyboard.press('ArrowLeft');
  await reaches(page, 'spectral', 12.1275, 5e-5);
  const panel = await page.locator('#lesson-panel').boundingBox();
  const plot = await page.locator('#plots').boundingBox();
  assert.ok(panel.x + panel.width <= plot.x, 'the panel covers the plot');
  assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]), [1440, 1440]);
  await page.click('#teacher-view');
  assert.ok(Math.abs((await size()) - usual) < 0.1);
});

pageTest('on a small projector the plot and n, R, mask and normaliser are there', { viewport: { width: 1280, height: 720 }, hash: '#v2&view=teacher&lesson=mask.1' }, async ({ page }) => {
  await reaches(page, 'spectral', 12.1275, 5e-5);
  for (const id of ['#quick-n', '#quick-radius', '#quick-mask-causal', '#quick-norm-layer']) {
    const box = await still(page, id);
    assert.ok(box.y + box.height <= 720 && box.x + box.width <= 1280, `${id} is out of sight`);
  }
  const plot = await page.locator('#growth-plot').boundingBox();
  assert.ok(plot.width > 400 && plot.height > 250 && plot.y + plot.height <= 720, JSON.stringify(plot));
  await page.click('#quick-mask-causal');
  await reaches(page, 'spectral', 11.1338, 5e-5);
  await page.click('#quick-norm-rms');
  await page.waitForFunction(() => /normalization=rms/.test(location.hash));
  await page.click('#quick-norm-none');
  await page.focus('#quick-n');
  // On a slider the page keys are the slider's own.
  await page.keyboard.press('PageUp');
  await page.waitForFunction(() => document.querySelector('#quick-n-number').value !== '100');
  assert.deepEqual(await at(page), ['mask', '0']);
  assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]), [1280, 1280]);
});

pageTest('the list of keys opens with ?, closes with Escape, and gives the focus back', async ({ page }) => {
  await changed(page, 'spectral');
  await page.focus('#growth-range-1e6');
  await page.keyboard.press('?');
  await page.waitForSelector('#keys[open]');
  // What is in it comes with the later part of the page.
  await page.waitForFunction(() => document.querySelectorAll('#keys dt').length > 20);
  for (const key of ['?', 't', 'Alt →', 'Esc']) assert.ok((await page.locator('#keys dt').allInnerTexts()).includes(key), key);
  assert.deepEqual(await seriousFaults(page), []);
  // Under it no other key does anything.
  await page.keyboard.press('t');
  assert.equal(await page.locator('#teacher-view').getAttribute('aria-pressed'), 'false');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('#keys').open && document.activeElement.id === 'growth-range-1e6');
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

/** Drags a finger along places of the window. */
async function dragged(page, context, places) {
  const client = await context.newCDPSession(page);
  const touch = (type, touchPoints) => client.send('Input.dispatchTouchEvent', { type, touchPoints });
  const [[x, y], ...others] = places;
  await touch('touchStart', [{ x, y }]);
  for (const [x, y] of others) await touch('touchMove', [{ x, y }]);
  await touch('touchEnd', []);
}

pageTest('on a phone the lesson stands under the plot', { viewport: PHONE, context: { hasTouch: true, isMobile: true } }, async ({ page, context }) => {
  await changed(page, 'spectral');
  await page.tap('#lessons-open');
  await page.tap('.lesson-pick[data-lesson="sink"]');
  const widths = () => page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.deepEqual(await widths(), [390, 390]);
  const box = await still(page, '#guess-curve');
  assert.equal(await page.locator('#guess-reveal').innerText(), 'Show without guessing');
  await dragged(page, context, [0, 0.25, 0.5, 0.75, 1].map((share) => [box.x + 60 + share * (box.width - 100), box.y + box.height * (0.8 - 0.5 * share)]));
  assert.match(await page.locator('#guess-curve').getAttribute('aria-valuetext'), /^n = 256: L = \d/);
  // A tap straight after a flick only ends the flick: no finger is as fast as that.
  await page.click('#guess-reveal');
  assert.match(await offBy(page), /^You drew slope/);
  await page.waitForSelector('.goal[data-goal=seen][data-reached=true]');
  for (let step = 0; step < 4; step += 1) {
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

pageTest('two models are trained in a lesson, and both are run backwards', { timeout: 600_000, hash: '#v3&lesson=train.1' }, async ({ page }) => {
  const long = { timeout: 280_000 };
  const isReached = (id) => page.waitForSelector(`.goal[data-goal="${id}"][data-reached="true"]`, { state: 'attached', ...long });
  const said = (place) => page.locator(`.lesson .slot[data-slot="${place}"]`).first().getAttribute('data-value').then(Number);
  await page.waitForSelector('#train-run:visible', long);
  const small = { blocks: '2', width: '16', heads: '2', context: '16', batch: '4', steps: '120', every: '20' };
  for (const [name, words] of Object.entries(small)) {
    await reveal(page, `#train-${name}`);
    await page.fill(`#train-${name}`, words);
  }
  await page.click('#train-run');
  await isReached('trained');
  assert.ok((await said('trained-loss dot')) < Math.log(66) && (await said('trained-step dot')) >= 40);
  await page.click('#lesson-next');
  await isReached('grown');
  assert.ok((await said('trained-norm dot')) > (await said('trained-first dot')));
  await page.click('#lesson-next');
  for (const [kind, goal] of [['invertible', 'back'], ['dot', 'tried']]) {
    await page.click(`#train-show-${kind}`);
    await page.waitForSelector('#train-backwards-run:not([disabled])', long);
    await page.click('#train-backwards-run');
    await isReached(goal);
    if (kind === 'invertible') {
      assert.equal(await said('trained-back invertible'), await said('trained-sent invertible'));
      await page.click('#lesson-next');
    }
  }
  assert.ok((await said('trained-sent dot')) > 0);
});
