// A second window for the projector (src/projector): it follows the lecturer's window, is frozen and black on demand.
import assert from 'node:assert/strict';
import { faults, pageTest, waitForStart } from './browser.mjs';
import { changed, reaches } from './reading.mjs';

/** What the page says about the other window. */
const said = (page, words) => page.waitForFunction((words) => new RegExp(words).test(document.querySelector('[data-testid=projector]')?.innerText ?? ''), words, { timeout: 40_000 });

/** Opens the projector's window by an action, and adds its errors to `faultsSeen`. */
async function opened(page, act, faultsSeen) {
  const [projector] = await Promise.all([page.waitForEvent('popup'), act()]);
  projector.on('console', (message) => { if (message.type() === 'error') faultsSeen.push(`console: ${message.text()}`); });
  projector.on('pageerror', (error) => faultsSeen.push(error.stack ?? error.message));
  await waitForStart(projector);
  await said(page, 'projector follows:');
  return projector;
}

/** Waits until a window has a number n in its main controls. */
const hasN = (page, n) => page.waitForFunction((n) => document.querySelector('#quick-n-number')?.value === String(n), n, { timeout: 20_000 });
const type = async (page, n) => {
  await page.fill('#quick-n-number', String(n));
  await page.keyboard.press('Enter');
  await hasN(page, n);
};
const n = (page) => page.inputValue('#quick-n-number');
/** Waits until a message of the last frames would have arrived. */
const aWhile = (page) => page.waitForTimeout(500);
/** Takes the focus out of an input box: there a key would be typed, and not be a key of the page. */
const rest = (page) => page.evaluate(() => document.activeElement.blur());

pageTest('the projector’s window follows, is frozen, catches up with the newest state, and is black', { hash: '#v3&n=50', context: {} }, async ({ page }) => {
  const seen = [];
  await changed(page, 'explore-norm');
  await page.click('#share-open');
  const projector = await opened(page, () => page.click('#projector-open'), seen);
  assert.ok(await page.locator('#share').isHidden(), 'the panel of links stays open over the page');
  await hasN(projector, 50);
  assert.equal(await projector.locator('.page').getAttribute('data-stage'), 'teacher');
  assert.equal(await page.locator('.page').getAttribute('data-stage'), 'full');
  // Edits, other plots and the parts that are shown arrive.
  await type(page, 20);
  await hasN(projector, 20);
  await page.click('#view-growth');
  await projector.waitForSelector('#growth-plot', { state: 'visible' });
  await page.click('#view-explore');
  await projector.waitForSelector('#explore-plot', { state: 'visible' });
  // A dragged slider arrives at its end, and nothing is left to undo in the window that follows.
  const slider = page.locator('#quick-n');
  await slider.focus();
  for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowRight');
  const dragged = await n(page);
  assert.notEqual(dragged, '20');
  await hasN(projector, Number(dragged));
  assert.equal(await projector.locator('#undo').getAttribute('aria-disabled'), 'true');
  await rest(page);

  // Frozen: the lecturer goes on, and the picture stays.
  await page.keyboard.press('.');
  await said(page, `frozen at: .*n = ${dragged}`);
  for (const next of [30, 31, 32]) await type(page, next);
  await aWhile(page);
  assert.equal(await n(projector), dragged);
  // The projector's window loads anew, and is still frozen.
  await projector.reload();
  await waitForStart(projector);
  await said(page, 'frozen');
  await hasN(projector, Number(dragged));
  await aWhile(page);
  assert.equal(await n(projector), dragged);
  // The projector is frozen also after the lecturer's window has loaded anew.
  await page.reload();
  await waitForStart(page);
  await said(page, `frozen at: .*n = ${dragged}`);
  await hasN(page, 32);
  await aWhile(page);
  assert.equal(await n(projector), dragged);
  // And when the projector's window loads anew after that, its opening link holding another n.
  await projector.reload();
  await waitForStart(projector);
  await hasN(projector, Number(dragged));
  await said(page, `frozen at: .*n = ${dragged}`);
  await page.keyboard.press('.');
  await said(page, 'projector follows:');
  await hasN(projector, 32);

  // Black: the projector's window, not this one.
  await page.keyboard.press('b');
  await projector.waitForSelector('.blank', { state: 'visible' });
  await said(page, 'screen is black');
  assert.ok(await page.locator('.blank').isHidden());
  assert.equal(await page.locator('#projector-blank').getAttribute('aria-pressed'), 'true');
  await type(page, 33);
  await rest(page);
  await page.keyboard.press('b');
  await projector.waitForSelector('.blank', { state: 'hidden' });
  await hasN(projector, 33);
  assert.deepEqual(await faults(page), []);

  // A closed window is noticed, and one press opens it again.
  await projector.close();
  await said(page, 'was closed');
  const again = await opened(page, () => page.keyboard.press('w'), seen);
  await hasN(again, 33);
  await page.click('#projector-close');
  await again.waitForEvent('close', { timeout: 5_000 }).catch(() => assert.ok(again.isClosed(), 'the window stays open'));
  assert.ok(await page.locator('.projector-line').isHidden());
  assert.deepEqual(seen, []);
});

pageTest('a drawn prediction is seen in the projector’s window, and its answer only when it is revealed', { hash: '#v3&lesson=sink.1', context: {} }, async ({ page }) => {
  const seen = [];
  await page.waitForSelector('#guess-curve');
  const projector = await opened(page, () => page.keyboard.press('w'), seen);
  await projector.waitForSelector('#lesson-panel[data-lesson=sink][data-step="0"]');
  // The value of the first handle.
  const height = (window) => window.getAttribute('#guess-curve', 'aria-valuenow');
  await projector.waitForSelector('#guess-curve');
  assert.equal(await height(projector), '1');
  await page.focus('#guess-curve');
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowUp');
  const drawn = await height(page);
  assert.ok(Number(drawn) > 1, drawn);
  await projector.waitForFunction((drawn) => document.querySelector('#guess-curve').ariaValueNow === drawn, drawn);
  assert.ok(await projector.evaluate(() => document.querySelector('.page').classList.contains('covered')));
  await page.keyboard.press('Enter');
  await projector.waitForFunction(() => !document.querySelector('.page').classList.contains('covered'));
  await rest(page);
  await page.keyboard.press('Alt+ArrowRight');
  await projector.waitForSelector('#lesson-panel[data-lesson=sink][data-step="1"]');
  assert.deepEqual(seen, []);
});

pageTest('the projector’s verdict is that of the present answer, and its window records nothing', { hash: '#v3&lesson=mask.1', context: {} }, async ({ page }) => {
  const seen = [];
  await reaches(page, 'spectral', 12.1275, 5e-5);
  const projector = await opened(page, () => page.keyboard.press('w'), seen);
  await projector.waitForSelector('#lesson-panel[data-lesson=mask][data-step="0"]');
  const answer = async (window, id) => {
    await window.click(`.lesson-choice[data-choice=${id}]`);
    await window.waitForFunction((id) => document.querySelector(`.lesson-choice[data-choice=${id}]`).ariaPressed === 'true' && document.querySelector('[data-testid="guess-words"]').textContent.includes('L'), id);
  };
  /** Resets the step, and answers anew; `mark` says whether that is right. */
  const answerAgain = async (id, mark) => {
    await page.click('#lesson-again');
    await page.waitForFunction(() => [...document.querySelectorAll('.lesson-choice')].every((choice) => choice.ariaDisabled === 'false'));
    await answer(page, id);
    await page.waitForSelector(`.goal[data-goal=seen][data-mark=${mark}]`);
  };
  const words = (window) => window.getByTestId('guess-words').innerText();
  /** Waits until the projector shows the answer and the verdict of the lecturer's window. */
  const agrees = async (id) => {
    const wanted = await words(page);
    await projector.waitForFunction(([id, wanted]) => document.querySelector(`.lesson-choice[data-choice=${id}]`).ariaPressed === 'true' && document.querySelector('[data-testid="guess-words"]').innerText === wanted, [id, wanted], { timeout: 20_000 });
    const goal = (window) => window.locator('.goal[data-goal=seen]').getAttribute('data-mark');
    assert.equal(await goal(projector), await goal(page));
  };
  await answer(page, 'higher');
  await page.waitForSelector('.goal[data-goal=seen][data-mark=wrong]');
  await agrees('higher');

  // Another answer while the projector is frozen.
  await rest(page);
  await page.keyboard.press('.');
  await said(page, 'frozen at: The mask, step 1,');
  await answerAgain('lower', 'right');
  await rest(page);
  await page.keyboard.press('.');
  await agrees('lower');

  // An answer whose numbers the projector has never had: the settings are others by now.
  await page.keyboard.press('.');
  await said(page, 'frozen at');
  await answerAgain('higher', 'wrong');
  await page.click('.lesson-press[data-sets="mask=none"]');
  await page.waitForFunction(() => /the settings on screen differ/.test(document.querySelector('[data-testid="guess-words"]').textContent));
  await rest(page);
  await page.keyboard.press('.');
  await agrees('higher');

  // What is done in the projector's window is not recorded: else it would bring back what the reader has forgotten.
  const kept = (window) => window.evaluate(() => localStorage.getItem('lipscope-lessons'));
  assert.ok(await kept(page));
  await page.evaluate(() => localStorage.removeItem('lipscope-lessons'));
  await page.click('.lesson-press[data-sets="mask=causal"]');
  await page.click('#lesson-again');
  await projector.waitForFunction(() => [...document.querySelectorAll('.lesson-choice')].every((choice) => choice.ariaDisabled === 'false'));
  await answer(projector, 'lower');
  await projector.waitForSelector('.goal[data-goal=seen][data-mark=right]');
  await aWhile(projector);
  assert.equal(await kept(projector), null);
  assert.deepEqual(seen, []);
});

pageTest('the preview of a frame leaves the projector to its tab', { hash: '#v3&n=50', context: {} }, async ({ page }) => {
  const seen = [];
  await changed(page, 'explore-norm');
  const projector = await opened(page, () => page.keyboard.press('w'), seen);
  const name = () => page.evaluate(() => sessionStorage.getItem('lipscope.projector'));
  const first = await name();
  assert.ok(first);
  await page.click('#share-open');
  await page.click('#share-preview');
  await page.waitForFunction(() => document.querySelector('.share-preview iframe')?.contentDocument?.querySelector('.alone-line'), undefined, { timeout: 30_000 });
  await aWhile(page);
  assert.equal(await name(), first);
  await page.keyboard.press('Escape');
  await page.reload();
  await waitForStart(page);
  await said(page, 'projector follows:');
  await type(page, 23);
  await hasN(projector, 23);
  // The key brings the same window to the front, and opens none.
  await rest(page);
  const others = page.context().pages().length;
  await page.keyboard.press('w');
  await aWhile(page);
  assert.equal(page.context().pages().length, others);
  await type(page, 24);
  await hasN(projector, 24);
  assert.deepEqual(seen, []);
});

pageTest('two lectures on one machine do not mix, and a closed lecture leaves its picture', { hash: '#v3&n=50', context: {} }, async ({ page, context, url }) => {
  const seen = [];
  const first = await opened(page, () => page.keyboard.press('w'), seen);
  const other = await context.newPage();
  await other.goto(`${url}#v3&n=70`);
  await waitForStart(other);
  const second = await opened(other, () => other.keyboard.press('w'), seen);
  await hasN(second, 70);
  await type(page, 20);
  await hasN(first, 20);
  await aWhile(page);
  assert.equal(await n(second), '70');
  // Whatever arrives on the channel is read as a link is, or not at all.
  const name = await first.evaluate(() => window.name);
  await other.evaluate((name) => {
    const channel = new BroadcastChannel(name);
    for (const text of ['', 'lecturer 1\nask', 'lecturer 1\nscene\n%%%&&=\ncurve=x', 'lecturer 1\nscene\nv3&n=1e99&lesson=x.0\n', 'lecturer 1\nblue', 'lecturer 1\nscene\nv3&n=7\nmark=NaN']) channel.postMessage(text);
    channel.postMessage({ link: 'v3' });
    channel.close();
  }, name);
  await hasN(first, 7);
  await said(page, 'follows another window');
  await rest(page);
  await page.keyboard.press('w');
  await said(page, 'projector follows:');
  await hasN(first, 20);
  await other.close();
  await said(second, 'lecturer’s window was closed');
  assert.equal(await n(second), '70');
  assert.deepEqual(seen, []);
});

pageTest('what keeps the projector’s window away is said in a sentence', { hash: '#v3&n=50', context: {} }, async ({ page, context }) => {
  await reaches(page, 'explore-norm', 0, 1e9);
  await page.keyboard.press('.');
  await said(page, 'needs the projector’s window');
  await page.click('#projector-close');
  assert.ok(await page.locator('.projector-line').isHidden());
  await page.evaluate(() => { window.open = () => null; });
  await page.keyboard.press('w');
  await said(page, 'blocked');
  const bare = await context.newPage();
  await bare.addInitScript(() => { delete window.BroadcastChannel; });
  await bare.goto(page.url());
  await waitForStart(bare);
  await bare.keyboard.press('w');
  await said(bare, 'cannot connect two windows');
  await bare.close();
});
