// Predictions of the lessons: curves and marks drawn by mouse, keys and finger, and what is said of them when they are revealed.
import assert from 'node:assert/strict';
import { pageTest, PHONE } from './browser.mjs';
import { filled, startLesson } from './lesson.mjs';
import { changed, reaches, still } from './reading.mjs';

/** The sentence about a drawing, once the answer is revealed. */
const offBy = async (page) => {
  await page.waitForFunction(() => /\d/.test(document.querySelector('[data-testid="guess-words"]').textContent));
  return page.getByTestId('guess-words').innerText();
};

pageTest('a curve is drawn by mouse, then revealed', async ({ page }) => {
  await changed(page, 'spectral');
  await startLesson(page, 'sink');
  // Nothing on screen gives the answer away.
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
  assert.match(await offBy(page), /^Your curve has slope −?[\d.]+\. At the n of your handles, the measured slope is 0\.5\d+\. (Right: slopes|Slopes).* at most 0\.1.* Your curve is furthest off at n = \d+: you drew .+, measured = [\d.]+\. That is a factor of [\d.]+ too (high|low)\.$/);
  const revealed = await page.$$eval('#guess-table tbody tr', (rows) => rows.map((row) => [...row.children].map((cell) => Number(cell.textContent))));
  // The measured column is what the page measures: √(n - 1) here.
  for (const [n, yours, measured, ratio] of revealed) {
    assert.ok(Math.abs(measured - Math.sqrt(n - 1)) < 0.02, `${n}: ${measured}`);
    assert.ok(Math.abs(ratio - yours / measured) < 0.01 * ratio);
  }
  assert.ok(await page.locator('[data-testid="spectral"]').isVisible());
});

pageTest('a curve like √n is right, at whatever height, and one that falls is off', { hash: '#v3&lesson=sink.1' }, async ({ page }) => {
  const draw = async (curve) => {
    await page.focus('#guess-curve');
    await page.keyboard.press('Home');
    const n = () => page.locator('#guess-curve').getAttribute('aria-valuetext').then((text) => text.match(/^n = (\d+): L = ([\d.]+)/).slice(1).map(Number));
    for (let handle = 0; handle < 8; handle += 1) {
      for (let presses = 0; presses < 300; presses += 1) {
        const [at, value] = await n();
        if (Math.abs(Math.log(curve(at) / value)) < 0.06) break;
        await page.keyboard.press(value < curve(at) ? 'ArrowUp' : 'ArrowDown');
      }
      await page.keyboard.press('ArrowRight');
    }
  };
  await changed(page, 'spectral');
  await draw(Math.sqrt);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.goal[data-goal=seen][data-mark=right]');
  assert.match(await offBy(page), /^Your curve has slope 0\.[45]\d+\. At the n of your handles, the measured slope is 0\.5\d+\. Right: slopes that differ by at most 0\.1 count as equal\./);
  assert.equal(await page.getByTestId('goals-said').innerText(), 'Answered correctly.');
  await page.click('#guess-reveal');
  await draw((n) => 8 / Math.sqrt(n));
  await page.keyboard.press('Enter');
  await page.waitForSelector('.goal[data-goal=seen][data-mark=off]');
});

pageTest('the verdict on a curve stays that of the question, whatever is set afterwards', { hash: '#v3&lesson=sink.1' }, async ({ page }) => {
  await changed(page, 'spectral');
  await page.focus('#guess-curve');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  const said = await offBy(page);
  await page.waitForSelector('.goal[data-goal=seen][data-mark=off]');
  await page.fill('#quick-radius-number', '1');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /the settings on screen differ/.test(document.querySelector('[data-testid="guess-words"]').textContent));
  assert.equal(await page.getByTestId('guess-words').innerText(), `${said} This belongs to the settings of the question; the settings on screen differ.`);
  assert.equal(await page.locator('.goal[data-goal=seen]').getAttribute('data-mark'), 'off');
  assert.equal(await page.getByTestId('goals-said').innerText(), 'Answered incorrectly.');
});

pageTest('an answer is about the question, also where a slider was moved before it; a reset asks again', { hash: '#v3&lesson=mask.1' }, async ({ page }) => {
  await reaches(page, 'spectral', 12.1275, 5e-5);
  // Near tokens would make “it raises L” right.
  await page.fill('#quick-radius-number', '1');
  await page.keyboard.press('Enter');
  await reaches(page, 'spectral', 2.0504, 5e-5);
  await page.click('.lesson-choice[data-choice=higher]');
  await page.waitForSelector('.goal[data-goal=seen][data-mark=wrong]');
  await reaches(page, 'spectral', 11.13, 6e-3);
  await page.click('.lesson-press[data-sets="mask=none"]');
  await page.waitForFunction(() => /the settings on screen differ/.test(document.querySelector('[data-testid="guess-words"]').textContent));
  assert.equal(await page.locator('.goal[data-goal=seen]').getAttribute('data-mark'), 'wrong');
  await page.click('.lesson-press[data-sets="mask=causal"]');
  await page.click('#lesson-again');
  await page.waitForFunction(() => [...document.querySelectorAll('.lesson-choice')].every((choice) => choice.ariaDisabled === 'false'));
  assert.equal(await page.getByTestId('guess-words').innerText(), '');
});

pageTest('half of a stopped search is no answer; the whole one is', { hash: '#v3&lesson=whole-space.5', timeout: 120_000 }, async ({ page }) => {
  await filled(page);
  await page.click('.lesson-choice[data-choice="same"]');
  // As soon as the first points of the new search are there.
  await page.waitForFunction(() => {
    const stop = document.querySelector('#tightness-stop');
    const isRunning = document.querySelector('[data-testid="tightness-progress"]').dataset.phase === 'running';
    const hasPart = isRunning && !document.querySelector('[data-testid="tightness-lab"]').classList.contains('stale');
    if (hasPart) stop.click();
    return hasPart;
  });
  await page.waitForSelector('[data-testid="tightness-progress"][data-phase=stopped]');
  await page.evaluate(() => new Promise((done) => { setTimeout(done, 300); }));
  assert.doesNotMatch(await page.getByTestId('guess-words').innerText(), /The page says/);
  await page.click('#tightness-again');
  await page.waitForFunction(() => /The page says/.test(document.querySelector('[data-testid="guess-words"]').textContent), undefined, { timeout: 60_000 });
  assert.equal(await page.locator('[data-testid="tightness-progress"]').getAttribute('data-phase'), 'done');
});

pageTest('who shows the answer without drawing has skipped the step', async ({ page }) => {
  await changed(page, 'spectral');
  await startLesson(page, 'sink');
  // Enter reveals only a curve that was drawn, and none was drawn yet.
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
  // Each stop is a number of three digits.
  assert.ok(Math.abs(now - lowest - 0.5) < 0.01);
  await page.keyboard.press('Enter');
  const words = await offBy(page);
  const [, yours, measured, off, side] = words.match(/^You said ([\d.]+), measured = ([\d.]+)\. That is a factor of ([\d.]+) too (high|low)\.$/);
  const spectral = Number(await page.getByTestId('spectral').getAttribute('data-value'));
  assert.ok(Math.abs(measured - spectral) < 1e-3 * spectral);
  const ratio = 10 ** now / spectral;
  assert.equal(side, ratio > 1 ? 'high' : 'low');
  assert.ok(Math.abs(off - Math.max(ratio, 1 / ratio)) < 0.06 * off, `${words} (${ratio})`);
  // The words are where the mark stands.
  assert.ok(Math.abs(yours / 10 ** now - 1) < 1e-9, `${yours} is said of ${10 ** now}`);
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
  assert.match(await offBy(page), /^Your curve has slope/);
  await page.waitForSelector('.goal[data-goal=seen][data-reached=true]');
  for (let step = 0; step < 4; step += 1) {
    await page.tap('#lesson-next');
    await filled(page);
    assert.deepEqual(await widths(), [390, 390]);
    const panel = await page.locator('.controls').boundingBox();
    assert.ok(panel.height <= 0.41 * 844, `the sheet is ${panel.height} high`);
    // The goals stay in sight while the text above them scrolls.
    const [goals, foot] = [await page.locator('.goals').boundingBox(), await page.locator('.lesson-foot').boundingBox()];
    assert.ok(goals.y > panel.y && goals.y + goals.height <= foot.y + 1, JSON.stringify({ goals, foot }));
  }
  await page.tap('.sheet-handle');
  assert.ok(await page.locator('#radius').isVisible());
  assert.ok(await page.locator('#lesson-panel').isHidden());
  // The list scrolls under its handle, which leads back, and the plot stays in sight.
  const sheet = await page.locator('.controls').boundingBox();
  assert.ok(sheet.y > 844 * 0.3 && sheet.y + sheet.height <= 845, `the controls are from ${sheet.y} to ${sheet.y + sheet.height}`);
  await page.tap('.sheet-handle');
  assert.ok(await page.locator('#lesson-panel').isVisible());
});
