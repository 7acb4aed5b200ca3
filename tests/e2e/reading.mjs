// Helpers that many page tests share: reading numbers, pasting, saving.
import { readFileSync } from 'node:fs';

/** The full digits behind a number on screen. */
export const value = async (page, id) => Number(await page.getByTestId(id).first().getAttribute('data-value'));

/**
 * Waits until a number has changed from `before` (a string of digits), or has come at all. A number of the panel also waits for the
 * others of the panel: the spectral norm comes before the rest of its measurement.
 */
export async function changed(page, id, before = '') {
  await page.waitForFunction(
    ([id, before]) => {
      const element = document.querySelector(`[data-testid="${id}"]`);
      const now = element?.dataset.value;
      return now && now !== before && !element.closest('.numbers[aria-busy=true]');
    },
    [id, before],
    { timeout: 20_000 },
  );
  return value(page, id);
}

/** Waits until the numbers on screen are those of the controls, and reads the norm. */
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector('[data-testid=spectral]')?.dataset.value
    && document.querySelector('.numbers').getAttribute('aria-busy') === 'false', undefined, { timeout: 30_000 });
  return digits(page, 'spectral');
}

/** Waits until a number on screen is near `expected`. */
export async function reaches(page, id, expected, tolerance) {
  await page.waitForFunction(
    ([id, expected, tolerance]) => {
      const now = Number(document.querySelector(`[data-testid="${id}"]`)?.dataset.value || NaN);
      return Math.abs(now - expected) <= tolerance;
    },
    [id, expected, tolerance],
    { timeout: 20_000 },
  );
}

export const digits = (page, id) => page.getByTestId(id).first().getAttribute('data-value');

/** Sets d to 128 in the open controls, and reads what stands on the page two frames later: the next number takes far longer. */
export const twoFramesAfterAnEdit = (page) => page.evaluate(() => new Promise((resolve) => {
  const box = document.querySelector('#d-number');
  box.focus();
  box.value = '128';
  box.dispatchEvent(new InputEvent('input', { bubbles: true }));
  box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  requestAnimationFrame(() => requestAnimationFrame(() => resolve({
    isBusy: document.querySelector('[data-testid=sentence]')?.ariaBusy === 'true',
    hasNote: document.querySelector('.stale-note')?.checkVisibility() ?? false,
    isGreyed: document.querySelector('.numbers')?.classList.contains('stale') ?? false,
    how: document.querySelector('[data-testid=how]')?.textContent ?? '',
  })));
}));

/** Unfolds whatever holds an element; waits for it where it comes after the first picture. */
export async function reveal(page, selector) {
  await page.waitForSelector(selector, { state: 'attached' });
  await page.evaluate((selector) => {
    for (let fold = document.querySelector(selector).closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  }, selector);
}

export async function paste(page, text) {
  await reveal(page, '#own-text');
  await page.fill('#own-text', text);
  await page.click('#own-apply');
}

export const exported = async (page, button = '#export-download') => JSON.parse(await saved(page, button));

/** Presses a button that saves a file, once it lies still; gives the file's text. */
export async function saved(page, button) {
  return readFileSync(await (await download(page, button)).path(), 'utf8');
}

/** As `saved`, but returns the download itself. */
export async function download(page, button) {
  await reveal(page, button);
  await still(page, button);
  const [started] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return started;
}

/** Where an element lies, once it lies still: numbers that arrive above it move it, and a click would miss it. */
export async function still(page, selector) {
  await page.locator(selector).scrollIntoViewIfNeeded();
  for (let before = ''; ;) {
    const box = await page.locator(selector).boundingBox();
    const now = JSON.stringify(box);
    if (box && now === before) return box;
    before = now;
    await page.waitForTimeout(150);
  }
}

/** Drops files or folders of this machine onto the page, as a hand does. */
export async function drop(page, ...files) {
  const session = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await session.send('Input.dispatchDragEvent', { type, x: 700, y: 300, data: { items: [], files, dragOperationsMask: 1 } });
  }
  await session.detach();
}

/** Types into a field and enters it. */
export async function type(page, id, words) {
  await page.fill(`#${id}`, words);
  await page.press(`#${id}`, 'Enter');
}

/** Calls `act`, and waits until the worker has answered for the view `view`. */
export async function answered(page, view, act) {
  await act();
  // The controls rest a moment before the worker is asked.
  await page.waitForTimeout(250);
  await page.waitForSelector(`[data-testid="${view}-progress"][data-phase="done"]`, { state: 'attached', timeout: 90_000 });
}

/** Opens the panel of all controls, where it is closed. */
export async function openControls(page) {
  await page.evaluate(() => document.querySelector('#more-controls[aria-expanded=false]')?.click());
  await page.waitForSelector('#preset', { state: 'attached' });
}

/** Closes the panel of all controls, if it is open. */
export const closeControls = (page) => page.evaluate(() => document.querySelector('#more-controls[aria-expanded=true]')?.click());

/** Chooses random tokens in a ball and random weights, for which every control applies. */
export async function drawEverything(page) {
  for (const [id, choice] of [['distribution', 'ball'], ['weights', 'random']]) {
    const before = await digits(page, 'spectral');
    await page.selectOption(`#${id}`, choice);
    await changed(page, 'spectral', before);
  }
}

/** Waits until the sweep is over. */
export const swept = (page) => page.waitForSelector('.page[data-sweep="done"]', { timeout: 120_000 });

// For each plot that its view does not open with: the view, and the button that leads to the plot.
export const PLOTS = {
  growth: ['growth'],
  explore: ['explore'], tokens: ['explore', 'explore-tokens'], spectrum: ['explore', 'explore-spectrum'],
  model: ['models'], train: ['models', 'plot-train'],
  lab: ['lab'], compare: ['lab', 'plot-compare'], certify: ['lab', 'plot-certify'], estimators: ['lab', 'plot-estimators'],
  scaled: ['lab', 'plot-scaled'], tightness: ['lab', 'plot-tightness'], gap: ['lab', 'plot-gap'], inverse: ['lab', 'plot-inverse'],
};

/** Goes to a plot by the buttons a reader has. */
export async function show(page, plot) {
  const [view, button] = PLOTS[plot];
  await page.click(`#view-${view}`);
  if (button) await page.click(`#${button}`);
}

/** Opens the menu in the head of the page: papers, teacher's view, theme, keys, language. */
export async function openMenu(page) {
  if ((await page.getAttribute('#head-more', 'aria-expanded')) === 'false') await page.click('#head-more');
  await page.locator('#language').waitFor({ state: 'attached' });
}
