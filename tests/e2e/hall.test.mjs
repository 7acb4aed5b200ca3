// The page in a lecture hall: a plot alone in a frame or on the full screen, the teacher's view from the last row, a presenter's
// remote, the black screen, the panel of links.
import assert from 'node:assert/strict';
import { faults, pageTest, waitForStart } from './browser.mjs';
import { clippedTexts, recordTexts } from './clipped.mjs';
import { at } from './lesson.mjs';
import { changed, PLOTS, reaches, settled } from './reading.mjs';

const GALLERY = 'lab';
const FORMS = ['model', 'train'];

/** The pictures in sight: id, width and height of the part that the window shows. */
const pictures = (page) => page.evaluate(() => [...document.querySelectorAll('.explore canvas, .plot canvas')]
  .filter((canvas) => canvas.checkVisibility() && canvas.offsetWidth > 0)
  .map((canvas) => {
    const { left, top, right, bottom } = canvas.getBoundingClientRect();
    return { id: canvas.id, width: Math.max(0, Math.min(right, innerWidth) - Math.max(left, 0)), height: Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0)) };
  })
  .filter(({ width, height }) => width * height > 0));

const area = (all) => all.reduce((sum, { width, height }) => sum + width * height, 0);

/** Whether something other than paper is drawn on a canvas. */
const isDrawn = (page, id) => page.waitForFunction((id) => {
  const canvas = document.getElementById(id);
  if (!canvas?.width) return false;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size > 3;
}, id, { timeout: 30_000 });

for (const [width, height] of [[320, 240], [900, 500], [1920, 1080]]) {
  pageTest(`every plot can be embedded at ${width} x ${height}`, { viewport: { width, height }, hash: '#v3&view=embed' }, async ({ page }) => {
    await recordTexts(page);
    await page.reload();
    await waitForStart(page);
    for (const plot of Object.keys(PLOTS)) {
      await page.evaluate((plot) => { location.hash = `#v3&view=embed&plot=${plot}`; }, plot);
      await page.waitForSelector(plot === 'explore' ? '.page[data-plot=explore]' : '.page[data-plot=other]');
      await page.waitForSelector({ [GALLERY]: '.lab-card', model: '#model-run', train: '#train-run', tokens: '#token-stage', explore: '#explore-plot', growth: '#growth-plot' }[plot] ?? `#${plot}-plot`, { state: 'visible' });
      assert.deepEqual(
        await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight, document.querySelector('main').scrollHeight - document.querySelector('main').clientHeight]),
        [width, height, 0], `${plot}: the frame scrolls`,
      );
      assert.ok(await page.locator('.alone-line a').isVisible(), `${plot}: no way to the page`);
      // No text is cut: neither the words under the plot nor the names of curves far above the axis.
      await page.waitForTimeout(400);
      assert.deepEqual(await clippedTexts(page), [], `${plot}: a text is cut`);
      // The gallery is a list of plots; the forms have no plot before a run.
      if (plot === GALLERY || FORMS.includes(plot)) continue;
      const shown = await pictures(page);
      assert.equal(shown.length, 1, `${plot}: ${JSON.stringify(shown)}`);
      assert.ok(area(shown) >= 0.75 * width * height, `${plot}: ${JSON.stringify(shown)}`);
      await isDrawn(page, shown[0].id);
    }
  });
}

/** What an audience reads. */
const READ_ALOUD = '.teacher-reading, .question, .sentence > p:first-child, .lesson-body h2, .lesson-body > p, .goal-words, .slot, .lesson-source, #growth-gap, .lab-finding';

for (const [width, height] of [[1280, 720], [1920, 1080]]) {
  pageTest(`the last row reads the teacher’s view at ${width} x ${height}`, { viewport: { width, height }, hash: '#v3&view=teacher' }, async ({ page }) => {
    const scenes = ['', 'plot=growth', 'plot=tokens', 'plot=certify', 'plot=compare', 'lesson=sink.1', 'lesson=sink.2', 'lesson=sink.3', 'lesson=sink.5', 'lesson=mask.1', 'lesson=regime.2', 'lesson=whole-space.1'];
    for (const fields of scenes) {
      await page.evaluate((fields) => { location.hash = `#v3&view=teacher&${fields}`; }, fields);
      if (fields.startsWith('lesson')) await page.waitForSelector(`#lesson-panel[data-lesson="${fields.split(/[=.]/)[1]}"][data-step="${Number(fields.split('.')[1]) - 1}"]`);
      else await page.waitForFunction(() => !document.querySelector('.taught'));
      // One picture, or disc and plot of the opening view.
      await page.waitForFunction((count) => [...document.querySelectorAll('.explore canvas, .plot canvas')].filter((canvas) => canvas.offsetWidth > 0).length >= count, fields === '' ? 2 : 1);
      // Layout follows the next frames.
      await page.waitForTimeout(250);
      const shown = await pictures(page);
      const share = area(shown) / (width * height);
      assert.ok(share >= 0.6, `${fields}: the pictures have ${share.toFixed(3)} of the screen: ${JSON.stringify(shown)}`);
      const small = await page.$$eval(READ_ALOUD, (all, least) => all
        .filter((element) => element.checkVisibility() && element.textContent.trim() && Number.parseFloat(getComputedStyle(element).fontSize) < least)
        .map((element) => `${element.className} ${getComputedStyle(element).fontSize}`), 22 * height / 720);
      assert.deepEqual(small, [], fields);
      // Nothing is clipped: words do not run out of their panel, and the main controls are in sight.
      const cut = await page.$$eval('.teacher-reading, .lesson-body, .lesson-head, .lesson-foot, .quick, header', (all) => all
        .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1).map((element) => element.className || element.tagName));
      assert.deepEqual(cut, [], fields);
      const quick = await page.locator('.quick-place').boundingBox();
      if (quick) assert.ok(quick.y + quick.height <= height, `${fields}: the controls are below the screen`);
    }
  });
}

pageTest('formulas, goals, hints and verdicts of a lesson are in sight at 1280 x 720', { viewport: { width: 1280, height: 720 }, hash: '#v3&view=teacher&lesson=sink.1' }, async ({ page }) => {
  const out = (selector) => page.$$eval(selector, (all) => all.filter((element) => element.checkVisibility() && element.textContent.trim()).filter((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    const panel = element.closest('.lesson-body')?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
    return top < panel.top - 1 || bottom > panel.bottom + 9;
  }).map((element) => element.textContent.trim()));
  for (const step of ['sink.3', 'slack.3', 'jacobian.2', 'whole-space.2', 'sink.1']) {
    await page.evaluate((step) => { location.hash = `#v3&view=teacher&lesson=${step}`; }, step);
    await page.waitForSelector(`#lesson-panel[data-lesson="${step.split('.')[0]}"][data-step="${step.split('.')[1] - 1}"]`);
    await page.waitForTimeout(250);
    assert.deepEqual(await page.$$eval('.lesson-formula', (all) => all.filter((formula) => formula.scrollWidth > formula.clientWidth + 1).map((formula) => formula.textContent)), [], step);
    if (await page.locator('.lesson-choice').count() === 0) assert.deepEqual(await out('.goal'), [], step);
  }
  assert.deepEqual(await out('#guess-hint'), []);
  // After an answer, the verdict is in sight without a hand at the panel, and so is the beginning of what it means.
  await page.focus('#guess-curve');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /furthest off/.test(document.querySelector('[data-testid=guess-words]').textContent));
  await page.waitForTimeout(250);
  assert.deepEqual(await out('.guess-words'), []);
});

pageTest('a line at the foot of the page takes its room from the page, and covers no sentence', { hash: '#v3&n=50' }, async ({ page }) => {
  await changed(page, 'explore-norm');
  for (const [width, height] of [[1440, 900], [1280, 720]]) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('.');
    await page.waitForSelector('.projector-line', { state: 'visible' });
    await page.waitForTimeout(250);
    const [sentence, controls, line] = await Promise.all(['.limits', '.quick-place', '.projector-line'].map((part) => page.locator(part).first().boundingBox()));
    assert.ok(sentence.y + sentence.height <= controls.y + 1 && controls.y + controls.height <= line.y + 1, JSON.stringify([width, sentence, controls, line]));
    await page.click('#projector-close');
    await page.waitForSelector('.projector-line', { state: 'hidden' });
  }
});

pageTest('a remote goes through the lesson whatever has the focus, and stops at both ends', { viewport: { width: 1280, height: 720 }, hash: '#v3&view=teacher&lesson=sink.3' }, async ({ page }) => {
  await page.waitForSelector('#lesson-slider-R');
  const step = (key, to) => page.keyboard.press(key).then(() => page.waitForSelector(`#lesson-panel[data-lesson=sink][data-step="${to}"]`));
  // In the third step are a slider of the text, the main sliders, a box and a plot; the remote returns to it each time.
  for (const focused of ['#lesson-slider-R', '#quick-n', '#quick-radius-number', '#growth-plot', '.lesson-body', '#quick-mask-causal']) {
    const before = await page.evaluate(() => document.querySelector('#quick-radius-number').value);
    await page.focus(focused);
    await step('PageDown', 3);
    await step('PageUp', 2);
    await page.waitForFunction((before) => document.querySelector('#quick-radius-number').value === before, before);
    assert.equal(await page.getByTestId('growth-said').textContent(), '', `${focused}: the plot took the key`);
  }
  for (let to = 3; to <= 5; to++) await step('PageDown', to);
  await page.keyboard.press('PageDown');
  assert.deepEqual(await at(page), ['sink', '5']);
  for (let to = 4; to >= 0; to--) await step('PageUp', to);
  // The curve that an audience draws has the focus.
  await page.focus('#guess-curve');
  await page.keyboard.press('PageUp');
  assert.deepEqual(await at(page), ['sink', '0']);
  await step('PageDown', 1);
  // Page keys move the caret in a text of several lines.
  await page.click('#more-controls');
  await page.waitForSelector('#own-text', { state: 'attached' });
  await page.evaluate(() => { for (let fold = document.querySelector('#own-text').closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true; });
  await page.focus('#own-text');
  await page.keyboard.press('PageDown');
  assert.deepEqual(await at(page), ['sink', '1']);
});

pageTest('under an open dialog a remote turns no step, and moves nothing below', { hash: '#v3&view=teacher&lesson=sink.3' }, async ({ page }) => {
  await page.waitForSelector('#lesson-slider-R');
  await page.focus('#growth-plot');
  await page.keyboard.press('?');
  await page.waitForSelector('#keys[open]');
  const below = () => page.evaluate(() => [scrollY, document.querySelector('.lesson-body').scrollTop, document.querySelector('[data-testid=growth-said]').textContent, document.querySelector('#quick-radius-number').value]);
  const before = await below();
  for (const key of ['PageDown', 'PageUp', 'PageUp']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(100);
    assert.deepEqual(await at(page), ['sink', '2'], key);
    assert.deepEqual(await below(), before, key);
  }
  await page.keyboard.press('Escape');
  await page.waitForSelector('#keys:not([open])', { state: 'attached' });
  await page.keyboard.press('PageDown');
  await page.waitForSelector('#lesson-panel[data-lesson=sink][data-step="3"]');
});

pageTest('b and . make the screen black in front of an audience, and the remote brings the page back', { hash: '#v3&lesson=mask.1' }, async ({ page }) => {
  await reaches(page, 'spectral', 12.1275, 5e-5);
  const isBlack = () => page.locator('.blank').isVisible();
  await page.focus('#quick-mask-none');
  await page.keyboard.press('b');
  assert.ok(!(await isBlack()), 'a reader alone has no black screen');
  await page.keyboard.press('t');
  for (const key of ['b', '.']) {
    await page.keyboard.press(key);
    assert.ok(await isBlack(), key);
    assert.deepEqual(await page.evaluate(() => [innerWidth, innerHeight].map((side, i) => (document.elementFromPoint(i ? 5 : side - 5, i ? side - 5 : 5)?.className))), ['blank', 'blank']);
    await page.keyboard.press(key);
    assert.ok(!(await isBlack()), key);
  }
  await page.keyboard.press('b');
  await page.keyboard.press('Escape');
  assert.ok(!(await isBlack()));
  await page.keyboard.press('b');
  await page.keyboard.press('PageDown');
  assert.ok(!(await isBlack()));
  assert.deepEqual(await at(page), ['mask', '1']);
  // A point that is typed is typed.
  await page.focus('#quick-radius-number');
  await page.keyboard.press('.');
  assert.ok(!(await isBlack()));
});

pageTest('f shows the plot alone, and f, Escape or the button lead back', { hash: '' }, async ({ page }) => {
  await changed(page, 'explore-norm');
  const { width, height } = page.viewportSize();
  const isAlone = () => page.locator('.alone-line').isVisible();
  for (const [plot, back] of [['explore', 'f'], ['growth', 'Escape'], ['growth', '#leave-alone']]) {
    await page.click(`#view-${plot}`);
    await page.keyboard.press('f');
    await page.waitForSelector('.alone-line');
    assert.ok(await page.locator('header').isHidden());
    const shown = await pictures(page);
    assert.deepEqual(shown.map(({ id }) => id), [`${plot}-plot`]);
    // The browser may have given the whole screen, which is as large as the window here.
    assert.ok(area(shown) >= 0.9 * width * height, JSON.stringify(shown));
    await isDrawn(page, shown[0].id);
    assert.ok(Number(await page.getByTestId('embed-norm').getAttribute('data-value')) > 1);
    if (back.startsWith('#')) await page.click(back);
    else await page.keyboard.press(back);
    await page.waitForFunction(() => !document.querySelector('.alone-line'));
    assert.ok(!(await isAlone()) && (await page.locator('header').isVisible()));
    await page.waitForFunction(() => document.fullscreenElement === null);
  }
});

pageTest('the panel of links has the state, the step and a frame; what it hides stays in the link and is undone', { hash: '#v3&lesson=mask.2', context: { permissions: ['clipboard-read', 'clipboard-write'] } }, async ({ page, url }) => {
  await reaches(page, 'spectral', 2.0504, 5e-5);
  await page.focus('#share-open');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#share-state');
  const text = (id) => page.inputValue(`#${id}`);
  assert.ok(!(await text('share-state')).includes('lesson') && (await text('share-state')).includes('R=1'), await text('share-state'));
  assert.deepEqual(await page.$$eval('.share-body section:has(#share-state, #share-step) h3', (all) => all.map((h) => h.textContent)), ['The picture as it is now, without the lesson', 'The step of the lesson, as an assignment']);
  assert.match(await page.locator('.share-body section:has(#share-step) .note').first().innerText(), /^Opens step 2 of “The mask” as it begins/);
  // A changed control is in the link of the state, and not in the assignment.
  assert.equal(await text('share-step'), `${url}#v3&lesson=mask.2&assigned=mask.2`);
  await page.selectOption('#share-step-as', 'teacher');
  assert.equal(await text('share-step'), `${url}#v3&view=teacher&lesson=mask.2&assigned=mask.2`);
  // What one link opens says nothing about the other.
  assert.ok(!(await text('share-state')).includes('view='));
  await page.selectOption('#share-step-as', 'full');
  await page.selectOption('#share-step-asks', 'lesson');
  assert.equal(await text('share-step'), `${url}#v3&lesson=mask.1&assigned=mask`);
  assert.match(await page.locator('.share-body section:has(#share-step) .note').first().innerText(), /^Opens “The mask” at its first step: an assignment of all its 5 steps/);
  await page.selectOption('#share-step-asks', 'step');
  // The panel also tells a lecturer about answer codes and about printing.
  assert.match(await page.locator('#share').innerText(), /answer code[^]*On paper[^]*handout/);
  await page.evaluate(() => { window.printed = 0; window.print = () => { window.printed += 1; }; });
  await page.click('#share-print');
  assert.equal(await page.evaluate(() => window.printed), 1);
  // By keyboard: Tab comes from the box to its button.
  await page.focus('#share-step');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const note = page.locator('.share-line:has(#share-step) .note');
  await note.filter({ hasText: 'Copied.' }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${url}#v3&lesson=mask.2&assigned=mask.2`);
  await page.waitForFunction(() => document.querySelector('.share-line:has(#share-step) .note').textContent === '', undefined, { timeout: 8_000 });
  // The code is a frame of the chosen size, and the preview is what it shows.
  await page.selectOption('#share-size', '900x500');
  const code = await text('share-code');
  const frame = await page.evaluate((code) => {
    const { src, width, height, title } = new DOMParser().parseFromString(code, 'text/html').querySelector('iframe');
    return { src, width, height, title };
  }, code);
  assert.deepEqual([frame.width, frame.height], ['900', '500']);
  assert.ok(frame.src.startsWith(url) && frame.src.includes('view=embed') && frame.title.startsWith('Lipscope: '), code);
  await page.click('#share-preview');
  await page.waitForSelector('.share-preview iframe');
  const inside = await page.waitForFunction(() => document.querySelector('.share-preview iframe').contentDocument?.querySelector('.alone-line') && document.querySelector('.share-preview iframe').contentWindow.location.href, undefined, { timeout: 30_000 });
  assert.equal(await inside.jsonValue(), frame.src);
  const box = await page.locator('.share-preview').boundingBox();
  assert.ok(Math.abs(box.height - box.width * 500 / 900) < 4, JSON.stringify(box));
  // Any other size can be typed.
  await page.fill('#share-width', '512');
  await page.fill('#share-height', '300');
  await page.keyboard.press('Tab');
  assert.match(await text('share-code'), /width="512" height="300"/);
  assert.equal(await page.inputValue('#share-size'), 'own');
  await page.fill('#share-width', '3');
  await page.keyboard.press('Tab');
  assert.match(await text('share-code'), /width="512" height="300"/);
  assert.deepEqual(await faults(page), []);
  // The switches act on this page.
  for (const part of ['controls', 'list', 'numbers']) await page.click(`#share-${part}`);
  await page.waitForFunction(() => location.hash.includes('hide=controls,list,numbers'));
  assert.ok((await text('share-state')).includes('hide=controls,list,numbers'));
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement.id === 'share-open');
  await page.waitForSelector('.share-preview iframe', { state: 'detached' });
  for (const part of ['.quick-place', '.growth-list', '.numbers']) assert.ok(await page.locator(part).isHidden(), part);
  await page.keyboard.press('Control+z');
  await page.waitForFunction(() => /hide=controls,list(&|$)/.test(location.hash));
  await page.locator('.numbers').waitFor({ state: 'visible' });
});

pageTest('from the teacher view too, links open the whole page unless the choice beside them says otherwise, and are shown whole', { hash: '#v3&view=teacher&n=50' }, async ({ page, url }) => {
  await changed(page, 'explore-norm');
  if (await page.locator('#share-open').isHidden()) await page.click('#head-more');
  await page.click('#share-open');
  await page.waitForFunction(() => document.querySelector('#share-state')?.value);
  assert.equal(await page.inputValue('#share-state'), `${url}#v3&n=50`);
  assert.equal(await page.inputValue('#share-state-as'), 'full');
  // Of the opening view a frame has the plot alone: said beside the code.
  assert.match(await page.locator('.share-body section:has(#share-code) .note').first().innerText(), /only the plot, without the disc/);
  await page.selectOption('#share-state-as', 'teacher');
  assert.equal(await page.inputValue('#share-state'), `${url}#v3&view=teacher&n=50`);
  const cut = await page.$$eval('.whole-text', (all) => all.filter((box) => box.checkVisibility() && (box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1)).map((box) => `${box.id}: ${box.value}`));
  assert.deepEqual(cut, []);
});

pageTest('hidden parts come back from a link', { hash: '#v3&hide=controls,list&plot=growth' }, async ({ page }) => {
  await settled(page);
  assert.ok((await page.locator('.quick-place').isHidden()) && (await page.locator('.growth-list').isHidden()) && (await page.locator('.numbers').isVisible()));
});
