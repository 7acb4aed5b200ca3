// The page in a classroom: the teacher's view, a small projector, the list of keys, progress, answer codes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { pageTest, seriousFaults } from './browser.mjs';
import { at, filled, startLesson } from './lesson.mjs';
import { changed, openMenu, reaches, still } from './reading.mjs';

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
  await openMenu(page);
  await page.click('#teacher-view');
  assert.ok(Math.abs((await size()) - usual) < 0.1);
});

pageTest('on a small projector the plot and n, R, mask and normaliser are there', { viewport: { width: 1280, height: 720 }, hash: '#v3&view=teacher&lesson=mask.1' }, async ({ page }) => {
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
  assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]), [1280, 1280]);
});

pageTest('the list of keys opens with ?, closes with Escape, and gives the focus back', async ({ page }) => {
  await changed(page, 'spectral');
  await page.focus('#growth-range-1e6');
  await page.keyboard.press('?');
  await page.waitForSelector('#keys[open]');
  // The content of the list comes with the later part of the page.
  await page.waitForFunction(() => document.querySelectorAll('#keys dt').length > 20);
  for (const key of ['?', 't', 'Alt →', 'Esc']) assert.ok((await page.locator('#keys dt').allInnerTexts()).includes(key), key);
  const broken = await page.$$eval('#keys kbd', (keys) => {
    const line = Math.min(...keys.map((key) => key.offsetHeight));
    const isWhole = (key) => key.offsetHeight === line && key.getBoundingClientRect().right <= key.closest('dt').nextElementSibling.getBoundingClientRect().left;
    return keys.filter((key) => !isWhole(key)).map((key) => key.textContent);
  });
  assert.deepEqual(broken, []);
  assert.deepEqual(await seriousFaults(page), []);
  // While the list is open, no other key does anything.
  await page.keyboard.press('t');
  assert.equal(await page.locator('#teacher-view').getAttribute('aria-pressed'), 'false');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('#keys').open && document.activeElement.id === 'growth-range-1e6');
  // Typed letters are typed into the box.
  await page.focus('#n-number');
  for (const key of ['?', 't', 'l']) await page.keyboard.press(key);
  assert.equal(await page.locator('#keys').evaluate((keys) => keys.open), false);
  assert.equal(await page.locator('#teacher-view').getAttribute('aria-pressed'), 'false');
  assert.ok(await page.locator('#lesson-panel').isHidden());
  await openMenu(page);
  await page.click('#keys-open');
  await page.click('#keys-close');
  await page.waitForFunction(() => document.activeElement.id === 'keys-open');
});

/** What an answer code holds. */
const held = (code) => JSON.parse(inflateSync(Buffer.from(code.split('.')[1], 'base64url')).toString());

pageTest('two students hand in answer codes, and a lecturer sees their guesses over each other', { context: {}, timeout: 120_000 }, async ({ page, url, requests }) => {
  const visit = async (hash) => {
    await page.goto('about:blank');
    await page.goto(url + hash);
  };
  const codes = [];
  for (const [name, choice, presses] of [['Ann', 'higher', 3], ['=Bo, B.', 'lower', 9]]) {
    await page.evaluate(() => localStorage.clear());
    await visit('#v3&lesson=mask.2');
    await filled(page);
    await page.click(`.lesson-choice[data-choice="${choice}"]`);
    await page.waitForSelector(`.goal[data-mark=${choice === 'higher' ? 'right' : 'wrong'}]`);
    await page.click('#hand-in summary');
    await page.fill('#hand-in-name', name);
    const code = page.locator('#hand-in-code');
    await page.waitForFunction(() => document.querySelector('#hand-in-code').value.length > 40);
    assert.deepEqual(held(await code.inputValue()), { n: name, l: 'mask', s: 1, k: 'v3&lesson=mask.2&mask=causal', r: { 1: { g: ['seen'], a: { c: [choice, 'higher'] } } } });
    assert.equal(await page.getByTestId('hand-in-done').innerText(), `It says: 1 of 5 steps done; right answers: ${choice === 'higher' ? 1 : 0} of 1.`);
    codes.push(await code.inputValue());
    await visit('#v3&lesson=slack.1');
    await filled(page);
    await page.focus('#guess-mark');
    for (let press = 0; press < presses; press += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.goal[data-goal=seen][data-reached=true]');
    await page.click('#hand-in summary');
    await page.fill('#hand-in-name', name);
    await page.waitForFunction(() => document.querySelector('#hand-in-code').value.length > 40);
    const [yours, found] = held(await code.inputValue()).r[0].a.m;
    assert.ok(yours > found && Math.abs(found - 1.47) < 0.01, `${yours}, ${found}`);
    codes.push(await code.inputValue());
  }
  for (const code of codes) assert.ok(code.length < 250, `a code has ${code.length} characters`);

  await visit('');
  await changed(page, 'spectral');
  await page.click('#lessons-open');
  await page.click('#class-open');
  const asked = requests().length;
  await page.fill('#class-paste', [...codes.map((code, at) => (at % 2 ? code : `Mail ${at}: ${code}`)), codes[0].slice(0, -12), 'hello there'].join('\n'));
  await page.waitForSelector('.class-lesson[data-lesson=slack]');
  assert.equal(await page.getByTestId('class-count').innerText(), '4 codes read, 2 lines refused.');
  const faults = await page.getByTestId('class-faults').locator('li').allInnerTexts();
  assert.match(faults[0], /^Line 5: The end of the code is missing/);
  assert.match(faults[1], /^Line 6: “hello there” is not an answer code/);
  const mask = page.locator('.class-lesson[data-lesson=mask]');
  const rows = await mask.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())));
  assert.deepEqual(rows.map((row) => [row[0], row[1], row[2], row[3], row[5]]), [['Ann state and answer', '2. Nearer tokens', '1 of 5', '1 of 1', '✓ It raises L.'], ['=Bo, B. state and answer', '2. Nearer tokens', '1 of 5', '0 of 1', '✗ It lowers L.']]);
  assert.deepEqual(await mask.locator('.class-choices li').evaluateAll((choices) => choices.map(({ dataset }) => [dataset.choice, dataset.count])), [['lower', '1'], ['same', '0'], ['higher', '1']]);
  assert.match(await page.locator('.class-lesson[data-lesson=slack] canvas').getAttribute('aria-label'), /^2 guesses from [\d.]+ to [\d.]+; measured 1\.4\d+\.$/);
  const [download] = await Promise.all([page.waitForEvent('download'), mask.locator('.class-csv').click()]);
  const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
  assert.match(lines[1], /^Ann,2\. Nearer tokens,1 of 5,/);
  // A spreadsheet would take such a name for a formula.
  assert.match(lines[2], /^"'=Bo, B\.",2\. Nearer tokens,1 of 5,/);
  assert.deepEqual(await seriousFaults(page), []);
  // A student's link opens the state that was handed in, with the answer, and nothing of it is noted as the reader's.
  const link = await mask.locator('tbody tr').nth(1).locator('a').getAttribute('href');
  assert.equal(link, '#v3&lesson=mask.2&answer=lower,higher&reached=seen&mask=causal');
  // Nothing was sent. Keys of the page do nothing under the sheet.
  assert.equal(requests().length, asked);
  await page.locator('#class-close').focus();
  await page.keyboard.press('t');
  assert.equal(await page.locator('#teacher-view').getAttribute('aria-pressed'), 'false');
  await page.setViewportSize({ width: 360, height: 800 });
  assert.ok(await page.locator('#class').evaluate((sheet) => sheet.scrollWidth <= sheet.clientWidth));
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('#class').open && document.activeElement.id === 'class-open');
  const kept = await page.evaluate(() => localStorage.getItem('lipscope-lessons'));
  await visit(link);
  await page.waitForSelector('.goal[data-goal=seen][data-mark=wrong]');
  assert.equal(await page.getByTestId('guess-words').innerText(), 'A student has handed in this answer; “you” is that student. You said: It lowers L. The page says: It raises L.');
  assert.equal(await page.locator('.lesson-choice[aria-pressed=true]').getAttribute('data-choice'), 'lower');
  assert.equal(await page.evaluate(() => localStorage.getItem('lipscope-lessons')), kept);
  // The frame for a public page shows the step without the student's answer.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.click('#share-open');
  await page.waitForFunction(() => /lesson=mask\.2/.test(document.querySelector('#share-code').value));
  assert.doesNotMatch(await page.inputValue('#share-code'), /answer=/);
});

pageTest('every step has its own answer code; where a step has no answer, its link is that of the state', { hash: '#v3&lesson=mask.2' }, async ({ page }) => {
  await filled(page);
  await page.click('.lesson-choice[data-choice="higher"]');
  await page.waitForSelector('.goal[data-mark=right]');
  const code = async () => {
    await page.click('#hand-in summary');
    await page.waitForFunction(() => document.querySelector('#hand-in').open && document.querySelector('#hand-in-code').value.length > 40);
    return page.inputValue('#hand-in-code');
  };
  const first = await code();
  await page.click('#lesson-next');
  await page.waitForFunction(() => document.querySelector('#lesson-panel').dataset.step === '2');
  const second = await code();
  assert.deepEqual([held(first), held(second)].map(({ s }) => s), [1, 2]);
  assert.deepEqual(held(second).r[1], held(first).r[1]);
  await page.click('#lesson-list');
  await page.click('#class-open');
  await page.fill('#class-paste', `${first}\n${second}`);
  await page.waitForSelector('.class-lesson[data-lesson=mask]');
  assert.deepEqual(await page.locator('.class-lesson tbody a').allInnerTexts(), ['state and answer', 'state']);
});

pageTest('an assignment of one step says what is asked, opens its answer code at the end, and counts one step', { hash: '#v3&lesson=sink.2&assigned=sink.2', context: {} }, async ({ page, url }) => {
  await filled(page);
  assert.match(await page.getByTestId('assignment').innerText(), /^Assignment: reach the goals of this step, then hand in the answer code/);
  assert.equal(await page.locator('#hand-in').evaluate((fold) => fold.open), false);
  const code = async () => {
    await page.waitForFunction(() => document.querySelector('#hand-in').open && document.querySelector('#hand-in-code').value.length > 40);
    return page.inputValue('#hand-in-code');
  };
  // Who has tried nothing yet hands in no goals.
  await page.click('#hand-in summary');
  const tried = await code();
  assert.equal(await page.getByTestId('hand-in-done').innerText(), 'It says: 0 of 1 step done.');
  await page.click('#hand-in summary');
  await page.evaluate(() => { const step = document.querySelector('#lesson-show-all'); step.click(); });
  await page.click('#lesson-answer');
  await page.waitForSelector('.goal[data-goal=moves][data-reached=true]');
  await page.waitForFunction(() => document.querySelectorAll('.goal[data-reached=true]').length === 2);
  const done = await code();
  assert.match(await page.getByTestId('assignment-done').innerText(), /Hand in the answer code/);
  assert.equal(await page.getByTestId('hand-in-done').innerText(), 'It says: 1 of 1 step done.');
  // The step begins anew: a goal that was reached once counts, and the page says so.
  await page.click('#lesson-again');
  await page.waitForFunction(() => /reached earlier; it counts/.test(document.querySelector('.goal[data-goal=moves]').textContent));
  const after = await code();
  assert.deepEqual(held(after).r, { 1: { g: ['mass', 'moves'] } });
  assert.equal(held(after).t, 1);
  assert.ok(done.length > 0);
  // The table, and the link that it leads to, say the same.
  await page.click('#lesson-list');
  await page.click('#class-open');
  await page.fill('#class-paste', `${tried}\n${after}`);
  await page.waitForSelector('.class-lesson[data-lesson=sink]');
  const rows = await page.locator('.class-lesson tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())));
  assert.deepEqual(rows.map((row) => [row[2], row[5], row[6]]), [['0 of 1', '0 of 2 goals', ''], ['1 of 1', '2 of 2 goals', '']]);
  const link = await page.locator('.class-lesson tbody tr').nth(1).locator('a').getAttribute('href');
  await page.goto('about:blank');
  await page.goto(url + link);
  await filled(page);
  await page.waitForFunction(() => document.querySelectorAll('.goal[data-reached=true]').length === 2);
  assert.match(await page.getByTestId('goals-of-student').innerText(), /A student has handed this in/);
  assert.match(await page.locator('.goal[data-goal=moves]').innerText(), /reached; it counts, although the present state no longer meets it/);
  assert.equal(await page.getByTestId('goals-said').textContent(), '2 of 2 goals done.');
});

pageTest('an answer code opens in sight, on the projector too', { hash: '#v3&view=teacher&lesson=sink.2', viewport: { width: 1280, height: 720 } }, async ({ page }) => {
  await filled(page);
  await page.locator('#hand-in summary').scrollIntoViewIfNeeded();
  await page.click('#hand-in summary');
  await page.waitForFunction(() => {
    const panel = document.querySelector('.lesson-body').getBoundingClientRect();
    const code = document.querySelector('#hand-in-copy').getBoundingClientRect();
    return code.height > 0 && code.bottom <= panel.bottom + 1 && code.top >= panel.top;
  });
});

pageTest('an answer in a link that is none to the step is not taken for a student’s', { hash: '#v3&lesson=mask.2&answer=10,2' }, async ({ page }) => {
  await filled(page);
  await page.click('.lesson-choice[data-choice="lower"]');
  await page.waitForSelector('.goal[data-mark=wrong]');
  assert.match(await page.getByTestId('guess-words').innerText(), /^You said: It lowers L\./);
  await page.waitForFunction(() => /"mask"/.test(localStorage.getItem('lipscope-lessons') ?? ''));
});

pageTest('a student’s curve is drawn at the n at which it was handed in', { hash: '#v3&lesson=sink.1&answer=2,3,1,16,2,3.87,256,8,15.97&longest=1024' }, async ({ page }) => {
  await page.waitForFunction(() => /A student has handed in/.test(document.querySelector('[data-testid="guess-words"]').textContent));
  // It is judged by its slope, at the handles of the code.
  assert.match(await page.getByTestId('guess-words').innerText(), /Your curve has slope 0\.2\d*\. At the n of your handles, the measured slope is 0\.5\d*\./);
  await page.click('#guess-table summary');
  await page.waitForSelector('#guess-table tbody tr');
  const drawn = await page.$$eval('#guess-table tbody tr', (rows) => rows.map((row) => [...row.children].slice(0, 2).map((cell) => Number(cell.textContent))));
  assert.deepEqual(drawn, [[2, 3], [16, 2], [256, 8]]);
});

pageTest('what is done is ticked in the list of lessons, kept in the browser, and forgotten when asked', { context: {} }, async ({ page, url }) => {
  const done = () => page.locator('.lesson-pick[data-lesson=own] [data-testid=lesson-done]').innerText();
  await changed(page, 'spectral');
  await startLesson(page, 'own');
  await page.click('.lesson-choice[data-choice=same]');
  await page.waitForSelector('.goal[data-goal=seen][data-mark=right]');
  await page.click('#lesson-list');
  assert.equal(await done(), '1 of 2 steps done; right answers: 1 of 1');
  await page.goto('about:blank');
  await page.goto(`${url}#v3&lesson=own.2`);
  await filled(page);
  await page.click('.lesson-press[data-sets="mask=causal"]');
  await page.waitForSelector('.goal[data-goal=asked][data-reached=true]');
  await page.click('#lesson-copy');
  await page.waitForSelector('.goal[data-goal=shared][data-reached=true]');
  await page.click('#lesson-list');
  assert.equal(await done(), 'finished; right answers: 1 of 1');
  assert.match(await page.locator('.lesson-pick[data-lesson=own] .lesson-name').innerText(), /✓$/);
  await page.click('#progress-clear');
  assert.equal(await page.locator('#progress-clear').innerText(), 'Really forget it?');
  await page.click('#progress-clear');
  assert.equal(await done(), '');
  assert.ok(await page.locator('#progress-clear').isHidden());
  assert.equal(await page.evaluate(() => localStorage.getItem('lipscope-lessons')), null);
});
