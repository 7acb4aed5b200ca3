// The address follows what is shown, and what is shown follows the address: links, back and forward, broken links, embedding.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adversarial, measureOnCommandLine, openPage, pageTest, seriousFaults, serveSite, launch } from './browser.mjs';
import { changed, digits, exported, openControls, openMenu, paste, reveal, settled, show, type, value } from './reading.mjs';

const PROBLEM = 'link-problem';
const fragment = (page) => page.evaluate(() => location.hash);
const entries = (page) => page.evaluate(() => history.length);
const state = (page) => page.evaluate(() => ({
  n: document.querySelector('#n-number').value,
  distribution: document.querySelector('#distribution').value,
  mask: document.querySelector('#mask').value,
}));

const says = (page, expected) => page.waitForFunction((expected) => location.hash === expected, expected, { timeout: 10_000 });

/** Goes to another fragment of the page that is open, as a link on it would. */
async function follow(page, link) {
  await page.evaluate((link) => { location.hash = link; }, link);
  // The page hears of the new fragment in a task of its own.
  await page.waitForTimeout(60);
}

const OPENING = { hash: '', controls: 'open' };

pageTest('the address follows the controls: every gesture is one entry, and can be gone back', OPENING, async ({ page }) => {
  await settled(page);
  assert.equal(await fragment(page), '');
  const before = await entries(page);
  // Both edits in one task: on a busy machine, edits from outside could come so far apart that they count as two gestures.
  await page.evaluate(() => {
    for (const words of ['128', '100']) {
      const box = document.querySelector('#n-number');
      box.value = words;
      box.dispatchEvent(new Event('input', { bubbles: true }));
      box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    }
  });
  await says(page, '#v3&n=100');
  assert.equal(await entries(page), before + 1, 'edits of one control in a row are one gesture');
  await page.selectOption('#mask', 'causal');
  await says(page, '#v3&n=100&mask=causal');
  await page.selectOption('#distribution', 'sphere');
  await says(page, '#v3&tokens=sphere&n=100&mask=causal');
  await show(page, 'growth');
  await says(page, '#v3&plot=growth&tokens=sphere&n=100&mask=causal');
  assert.equal(await entries(page), before + 4);
  const sphere = await settled(page);
  await page.goBack();
  await says(page, '#v3&tokens=sphere&n=100&mask=causal');
  await page.goBack();
  await says(page, '#v3&n=100&mask=causal');
  await page.goBack();
  await says(page, '#v3&n=100');
  await page.waitForFunction(() => document.querySelector('#distribution').value === 'ball');
  assert.deepEqual(await state(page), { n: '100', distribution: 'ball', mask: 'none' });
  assert.notEqual(await settled(page), sphere);
  await page.goBack();
  await says(page, '');
  for (let step = 0; step < 4; step += 1) await page.goForward();
  await says(page, '#v3&plot=growth&tokens=sphere&n=100&mask=causal');
  await page.waitForFunction(() => document.querySelector('#distribution').value === 'sphere');
  assert.equal(await settled(page), sphere);
  // Following the address writes nothing into it.
  await page.waitForTimeout(700);
  assert.equal(await entries(page), before + 4);
  await page.reload();
  assert.equal(await settled(page), sphere);
});

pageTest('an edit of another control before the first rests is a gesture of its own', OPENING, async ({ page }) => {
  await settled(page);
  await type(page, 'n-number', '77');
  await page.selectOption('#mask', 'causal');
  await says(page, '#v3&n=77&mask=causal');
  await page.goBack();
  await says(page, '#v3&n=77');
  await page.waitForFunction(() => document.querySelector('#n-number').value === '77');
});

pageTest('Ctrl+Z and the buttons undo one gesture each, and stop at the first', OPENING, async ({ page, url }) => {
  await settled(page);
  assert.equal(await page.locator('#undo[aria-disabled=true], #redo[aria-disabled=true]').count(), 2);
  await page.selectOption('#mask', 'causal');
  await says(page, '#v3&n=12&mask=causal');
  await page.selectOption('#normalization', 'rms');
  await says(page, '#v3&n=12&mask=causal&normalization=rms');
  await page.focus('#mask');
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('Control+z');
  await says(page, '#v3&n=12&mask=causal');
  await page.click('#undo');
  await says(page, '');
  assert.deepEqual(await state(page), { n: '12', distribution: 'ball', mask: 'none' });
  await page.waitForSelector('#undo[aria-disabled=true]');
  // Nothing of ours lies before it: the page stays.
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+Shift+Z');
  await says(page, '#v3&n=12&mask=causal');
  await page.click('#redo');
  await says(page, '#v3&n=12&mask=causal&normalization=rms');
  await page.waitForSelector('#redo[aria-disabled=true]');
  assert.ok(page.url().startsWith(url));
});

pageTest('the bare address is a first visit', { hash: adversarial('n=99&mask=causal&plot=growth&range=measured'), controls: 'open' }, async ({ page }) => {
  await settled(page);
  assert.deepEqual(await state(page), { n: '99', distribution: 'adversarial', mask: 'causal' });
  await follow(page, '');
  await page.waitForFunction(() => document.querySelector('#n-number').value === '12');
  assert.deepEqual(await state(page), { n: '12', distribution: 'ball', mask: 'none' });
  assert.ok(await page.locator('#explore-plot').isVisible());
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#n-number').value === '99');
});

// Random numbers that are the same in every run.
function dice(seed) {
  let now = seed >>> 0;
  return (n) => {
    now = (Math.imul(now, 1664525) + 1013904223) >>> 0;
    return Math.floor((now / 2 ** 32) * n);
  };
}

function randomLink(roll) {
  const of = (...all) => all[roll(all.length)];
  const fields = [
    `tokens=${of('gaussian', 'sphere', 'ball', 'adversarial', 'skew')}`,
    `n=${2 + roll(120)}`,
    `R=${((1 + roll(600)) / 128).toString()}`,
    roll(2) && `seed=${roll(1e6)}`,
    roll(2) && `d=${1 + roll(6)}`,
    `weights=${of('random', 'identity-plus', 'identity-minus')}`,
    roll(2) && `heads=${1 + roll(3)}`,
    roll(2) && `k=${1 + roll(6)}`,
    roll(2) && `weight-seed=${roll(1e6)}`,
    roll(2) && `output=${of('absent', 'drawn')}`,
    roll(2) && `mask=${of('none', 'causal')}`,
    roll(3) === 0 && `normalization=${of('layer', 'rms')}`,
    roll(2) && `scope=${of('inputs', 'composed')}`,
    'plot=growth',
    `range=${of('1e18', 'measured')}`,
  ];
  return ['v3', ...fields.filter(Boolean)].join('&');
}

/**
 * Opens links one after the other in a page that stays. Returns for each: the norm on screen, the state of the
 * controls, and, where `lengths` has an n, the link that the page writes once n is set to it, with the norm then.
 * Chromium allows a page twenty addresses a second, so that each takes at least 55 ms.
 */
const opened = (page, links, lengths = []) => page.evaluate(async ({ links, lengths, problem }) => {
  const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
  const until = async (holds, what) => {
    const end = performance.now() + 20_000;
    while (!holds()) {
      if (performance.now() > end) throw new Error(what);
      await pause(4);
    }
  };
  const find = (id) => document.querySelector(`[data-testid=${id}]`);
  const isSettled = () => find('spectral')?.dataset.value && document.querySelector('.numbers').getAttribute('aria-busy') === 'false';
  const told = () => [...document.querySelectorAll('#distribution, #weights, #mask, #normalization, #token-seed')].map((control) => control.value).join(' ');
  const found = [];
  for (const [at, link] of links.entries()) {
    const begun = performance.now();
    location.hash = link;
    // The page hears of the new fragment in a task of its own.
    await pause(40);
    if (!find(problem).hidden) {
      found.push(undefined);
      continue;
    }
    await until(isSettled, link);
    const shown = { first: find('spectral').dataset.value, told: told() };
    if (lengths[at]) {
      const box = document.querySelector('#n-number');
      box.focus();
      box.value = String(lengths[at]);
      box.dispatchEvent(new InputEvent('input', { bubbles: true }));
      // Without the Enter key the number would count only after a rest.
      box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
      await until(() => location.hash.includes(`n=${lengths[at]}`), `${link}: n is not in ${location.hash}`);
      await until(() => find('n').dataset.value === String(lengths[at]) && isSettled(), link);
      Object.assign(shown, { link: location.hash, digits: find('spectral').dataset.value, told: told() });
      box.blur();
    }
    found.push(shown);
    await pause(Math.max(0, (lengths[at] ? 110 : 55) - (performance.now() - begun)));
  }
  return found;
}, { links, lengths, problem: PROBLEM });

// Thousands more are read and written natively (tests/page/links.rs): these are measured too.
test('thirty random states travel in links, digit for digit', { timeout: 480_000 }, async () => {
  const [one, other] = [await openPage(), await openPage()];
  try {
    await settled(one.page);
    await settled(other.page);
    const roll = dice(7);
    const links = Array.from({ length: 40 }, (_, at) => [randomLink(roll), 123 + (at % 50)]);
    // Each page writes a half of them, and reads what the other one has written: in another order, so that nothing can be left
    // over from the state before.
    const write = async ({ page }, half) => (await opened(page, half.map(([link]) => link), half.map(([, n]) => n))).filter(Boolean);
    const read = async ({ page }, half) => {
      const turned = half.toReversed();
      const found = await opened(page, turned.map(({ link }) => link));
      for (const [at, { link, digits: expected, told }] of turned.entries()) {
        assert.deepEqual([found[at]?.first, found[at]?.told], [expected, told], link);
      }
    };
    const halves = await Promise.all([write(one, links.slice(0, 20)), write(other, links.slice(20))]);
    const written = halves.flat();
    assert.ok(written.length >= 32, `only ${written.length} of the links hold`);
    await Promise.all([read(other, halves[0]), read(one, halves[1])]);
    // A new page reads some of them too, and the command line measures the same.
    for (const { link, digits: expected } of written.filter((_, at) => at % 8 === 0)) {
      await other.page.goto('about:blank');
      await other.page.goto(other.url + link);
      await other.page.waitForSelector('html[data-boot=started]');
      await openControls(other.page);
      assert.equal(await settled(other.page), expected, link);
      const { lines } = await measureOnCommandLine(await exported(other.page));
      assert.ok(Math.abs(Number(expected) / lines[0].spectral - 1) < 1e-9, link);
    }
    assert.deepEqual([...await one.problems(), ...await other.problems()], []);
  } finally {
    await one.close();
    await other.close();
  }
});

pageTest('a wrong field is named, and the rest is taken', { hash: adversarial('n=99&mask=diagonal&colour=red') }, async ({ page }) => {
  await page.waitForFunction(() => document.querySelector('#n-number')?.value === '99');
  const sentence = await page.getByTestId(PROBLEM).textContent();
  assert.match(sentence, /“mask” must be none or causal, not “diagonal”\./);
  assert.match(sentence, /“colour” is not a field of this page\..*Everything else in the link was loaded\./);
  // The next edit takes the sentence away.
  await type(page, 'n-number', '50');
  await page.waitForFunction(() => document.querySelector('[data-testid=link-problem]').hidden);
});

// Thousands more are read natively (tests/page/links.rs).
pageTest('a hundred broken links break nothing', { timeout: 240_000 }, async ({ page }) => {
  await settled(page);
  await paste(page, '1,2\n-1,0.5\n0.25,-2');
  await page.waitForFunction(() => location.hash.includes('token-data='));
  const good = [await fragment(page), adversarial('plot=growth&range=measured&tokens=ball&n=100&R=2.5&mask=causal&weights=random&heads=2&k=3'), '#v3&view=full&lesson=sink.2&at=1000&curves=unified,exact'];
  const words = ['NaN', '-1', '1e308', '', '∞', '9'.repeat(300), '%00', '%', '__proto__', '<b>', 'own', '0'];
  const roll = dice(11);
  const broken = Array.from({ length: 120 }, (_, at) => {
    const link = good[roll(good.length)];
    const [here, there] = [1 + roll(link.length - 1), 1 + roll(link.length - 1)].sort((a, b) => a - b);
    const letter = String.fromCharCode(33 + roll(90));
    return [
      link.slice(0, here),
      link.slice(0, here) + letter + link.slice(here + 1),
      link.slice(0, here) + link.slice(there),
      link.slice(0, here) + words[roll(words.length)] + link.slice(here),
      link.replace(/=[^&]*/, `=${words[roll(words.length)]}`),
      link.replace('v3', ['v2', 'v0', 'V3', ''][roll(4)]),
    ][at % 6];
  });
  const told = await page.evaluate(async (broken) => {
    let told = 0;
    for (const link of broken) {
      location.hash = link;
      await new Promise((resolve) => { setTimeout(resolve, 8); });
      const sentence = document.querySelector('[data-testid=link-problem]');
      if (sentence && !sentence.hidden && sentence.textContent.trim().endsWith('.')) told += 1;
    }
    return told;
  }, broken);
  assert.ok(told >= 60, `only ${told} of ${broken.length} were told of`);
  await follow(page, 'v3&n=33');
  await page.waitForFunction(() => document.querySelector('#n-number').value === '33');
  assert.ok(Number(await settled(page)) > 0);
});

/** Tokens that would make a link longer than the 16,000 characters that it may have. */
const TOO_LONG = Array.from({ length: 600 }, (_, i) => [Math.sin(i + 1), Math.cos(3 * i), Math.sin(i * i)].join(',')).join('\n');

pageTest('tokens too long for the address stay in reach of back and forward', async ({ page }) => {
  await settled(page);
  await paste(page, TOO_LONG);
  await page.waitForFunction(() => document.querySelector('#distribution').value === 'own');
  const own = await settled(page);
  await page.waitForFunction(() => location.hash === '');
  await reveal(page, '[data-testid=address-note]');
  assert.ok(await page.getByTestId('address-note').isVisible());
  await page.selectOption('#distribution', 'sphere');
  await page.waitForFunction(() => location.hash.includes('tokens=sphere'));
  assert.ok(await page.getByTestId('address-note').isHidden());
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#distribution').value === 'own');
  assert.equal(await settled(page), own);
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#distribution').value === 'adversarial');
});

pageTest('twenty gestures on tokens too long for the address are undone one by one; after a reload the page says what is gone', OPENING, async ({ page }) => {
  await settled(page);
  await paste(page, TOO_LONG);
  await page.waitForFunction(() => document.querySelector('#distribution').value === 'own');
  const values = [await settled(page)];
  for (let at = 0; at < 20; at += 1) {
    // One control after the other, so that each edit is a gesture of its own.
    if (at % 2) await page.selectOption('#weights', at % 4 === 1 ? 'identity-plus' : 'identity-minus');
    else await page.selectOption('#mask', at % 4 ? 'none' : 'causal');
    values.push(await settled(page));
  }
  for (const expected of values.toReversed().slice(1)) {
    await page.click('#undo');
    await page.waitForFunction((expected) => document.querySelector('[data-testid=spectral]').dataset.value === expected
      && document.querySelector('.numbers').getAttribute('aria-busy') === 'false', expected);
    assert.equal(await page.inputValue('#distribution'), 'own');
  }
  await page.reload();
  await page.waitForFunction((id) => /no longer has them/.test(document.querySelector(`[data-testid=${id}]`)?.textContent ?? ''), PROBLEM);
});

pageTest('the link that skips to the plot leaves address and undo as they are', OPENING, async ({ page }) => {
  await settled(page);
  await type(page, 'n-number', '100');
  await says(page, '#v3&n=100');
  await page.focus('.skip');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  assert.equal(await fragment(page), '#v3&n=100');
  await page.click('#undo');
  await says(page, '');
});

pageTest('a view that is opened by keyboard keeps the focus in the main part', { hash: '' }, async ({ page }) => {
  await settled(page);
  await page.focus('#explore-tokens');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'main');
});

pageTest('a link that cannot be measured gives the worst tokens back as such', { hash: '#v3&tokens=worst&n=32' }, async ({ page }) => {
  const before = await settled(page);
  await follow(page, '#v3&n=32&R=1e200');
  await page.waitForFunction(() => /overflow 64-bit numbers/.test(document.body.innerText));
  await page.waitForFunction(() => document.querySelector('#quick-worst').getAttribute('aria-pressed') === 'true');
  assert.equal(await settled(page), before);
  // The link still holds the word `worst`, so another n has other tokens.
  await page.fill('#quick-n-number', '33');
  await page.press('#quick-n-number', 'Enter');
  await page.waitForFunction(() => document.querySelector('[data-testid=n]').dataset.value === '33');
});

pageTest('pasted tokens and weights travel in the link', async ({ page, context }) => {
  const experiment = {
    tokens: { source: 'explicit', rows: [[1, 2.0625], [0.1, -0.7], [1 / 3, 1]] },
    weights: { source: 'explicit', heads: [{ q: [[1, 0.5]], k: [[0.25, -1]], v: [[1, 0], [0, 1]] }] },
  };
  await settled(page);
  await paste(page, JSON.stringify(experiment));
  await page.waitForFunction(() => location.hash.includes('weight-data='));
  const link = await fragment(page);
  assert.ok(link.length < 600, link);
  const shown = await settled(page);
  const second = await context.newPage();
  await second.goto((await serveSite()).url + link);
  await second.waitForSelector('html[data-boot=started]');
  assert.equal(await settled(second), shown);
  await openControls(second);
  assert.deepEqual((await exported(second)).tokens.rows, experiment.tokens.rows);
  await second.close();
});

pageTest('a theme in a link is shown and not remembered', { hash: '#v3&theme=dark' }, async ({ page }) => {
  await page.waitForSelector('html[data-theme=dark]');
  assert.equal(await page.evaluate(() => localStorage.getItem('lipscope-theme')), null);
  await openMenu(page);
  await page.click('[data-theme-choice=light]');
  await page.waitForSelector('html[data-theme=light]');
  assert.equal(await page.evaluate(() => localStorage.getItem('lipscope-theme')), 'light');
  await says(page, '#v3');
});

test('inside another page there are the plot, the number, and the way to the whole page', async () => {
  const site = await serveSite();
  const context = await (await launch()).newContext({ viewport: { width: 700, height: 500 } });
  try {
    const page = await context.newPage();
    const seen = [];
    page.on('console', (message) => { if (message.type() === 'error') seen.push(message.text()); });
    page.on('pageerror', (error) => seen.push(error.message));
    for (const plot of ['growth', 'tokens', 'tightness', 'inverse']) {
      await page.route('**/host.html', (route) => route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><title>host</title><iframe src="./${adversarial(`view=embed&plot=${plot}&n=50`).replaceAll('&', '&amp;')}" width="400" height="300" style="border:0" title="Lipscope"></iframe>`,
      }));
      await page.goto(`${site.url}host.html`);
      const frame = page.frames().find((frame) => frame !== page.mainFrame()) ?? await page.waitForEvent('frameattached');
      // These plots have tokens of their own, so that no number of other tokens stands under them.
      const ownName = { tightness: 'How tight a bound is', inverse: 'Inverting attention' }[plot];
      await frame.waitForSelector(ownName ? '[data-testid=embed-norm]' : '[data-testid=embed-norm][data-value]:not([data-value=""])', { timeout: 30_000 });
      await frame.waitForFunction(() => [...document.querySelectorAll('.plot-stage canvas')].some((canvas) => canvas.offsetWidth > 350));
      const sizes = await frame.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        high: document.documentElement.scrollHeight,
        shown: [...document.querySelectorAll('header, .controls, .numbers, .smalls, .plot-head')].filter((e) => e.getClientRects().length).length,
        canvas: [...document.querySelectorAll('.plot-stage canvas')].map((e) => e.getBoundingClientRect()).filter((r) => r.width > 0).map((r) => [r.width, r.height]),
      }));
      assert.ok(sizes.wide <= 400 && sizes.high <= 300, `${plot}: ${JSON.stringify(sizes)}`);
      assert.equal(sizes.shown, 0, plot);
      assert.equal(sizes.canvas.length, 1, `${plot}: ${JSON.stringify(sizes)}`);
      assert.ok(sizes.canvas[0][0] > 350 && sizes.canvas[0][1] > 200, JSON.stringify(sizes));
      if (ownName) assert.match(await frame.getByTestId('embed-norm').textContent(), new RegExp(ownName));
      else assert.match(await frame.getByTestId('embed-norm').textContent(), /L [=≥].* at n = 50, R = 3/);
      const link = frame.getByRole('link', { name: 'Open in Lipscope' });
      assert.equal(await link.getAttribute('target'), '_blank');
      assert.equal(await link.getAttribute('rel'), 'noopener');
      const href = await link.getAttribute('href');
      assert.ok(href.startsWith(site.url) && href.includes('n=50') && !href.includes('embed'), href);
      const number = await frame.getByTestId('embed-norm').getAttribute('data-value');
      if (plot !== 'growth') continue;
      const [whole] = await Promise.all([context.waitForEvent('page'), link.click()]);
      await whole.waitForSelector('html[data-boot=started]');
      assert.equal(await settled(whole), number);
      assert.ok(await whole.locator('header').isVisible());
      await whole.close();
    }
    assert.deepEqual(seen, []);
  } finally {
    await context.close();
  }
});

pageTest('axe-core finds no serious fault in an embedded page', { hash: adversarial('view=embed'), viewport: { width: 400, height: 300 } }, async ({ page }) => {
  await changed(page, 'spectral');
  assert.deepEqual(await seriousFaults(page), []);
  assert.ok((await value(page, 'embed-norm')) > 0);
});
