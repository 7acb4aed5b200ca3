// The lab: its gallery, how far a local bound holds, scaled tokens, tightness of the bound, the inverse.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { faults, measureOnCommandLine, pageTest, PHONE, ROOT, seriousFaults } from './browser.mjs';
import { answered, changed, digits, reveal, saved, show, type, value } from './reading.mjs';

const LABS = ['compare', 'certify', 'gap', 'scaled', 'tightness', 'inverse', 'estimators'];

/** Sets the controls to random tokens in a ball, d = 8, and L2-MHA. */
async function drawHeads(page, n, heads) {
  await page.selectOption('#distribution', 'ball');
  await page.selectOption('#weights', 'kim');
  await type(page, 'heads-number', heads);
  await type(page, 'd-number', '8');
  await type(page, 'n-number', n);
}

pageTest('L2-MHA weights set the kernel, and their bounds are in the numbers', async ({ page }) => {
  await page.selectOption('#distribution', 'ball');
  await page.selectOption('#weights', 'kim');
  assert.equal(await page.locator('#attention').inputValue(), 'l2');
  assert.ok(await page.locator('#attention').isHidden() && await page.locator('#attention-away').isVisible());
  assert.ok(await page.getByTestId('kim-note').isVisible());
  await page.waitForFunction(() => Number(document.querySelector('[data-testid="bound-kim_l2"]')?.dataset.value) > 0);
  assert.ok((await value(page, 'bound-kim_l2')) >= (await value(page, 'spectral')));
  // The other bound is on the l_inf norm, and is shown with that norm.
  await page.selectOption('#norm', 'linf');
  await page.waitForFunction(() => Number(document.querySelector('[data-testid="bound-kim_linf"]')?.dataset.value) > 0);
  assert.ok((await value(page, 'bound-kim_linf')) >= (await value(page, 'linf')));
  // The heads divide the dimension d, so d is a multiple of their number.
  await type(page, 'heads-number', '3');
  await page.waitForFunction(() => Number(document.querySelector('[data-testid="d"]').dataset.value) % 3 === 0);
});

pageTest('scaled tokens: the dot product grows like R squared, L2 stays', async ({ page }) => {
  // With one head: the more dimensions a head has, the further its tokens are apart, and the sooner L2 is flat.
  await drawHeads(page, '16', '1');
  await answered(page, 'scaled', () => show(page, 'scaled'));
  assert.ok(Math.abs((await value(page, 'scale-slope-dot')) - 2) <= 0.04, `slope ${await value(page, 'scale-slope-dot')}`);
  assert.ok(Math.abs(await value(page, 'scale-slope-l2')) <= 0.02, `slope ${await value(page, 'scale-slope-l2')}`);
  assert.ok((await value(page, 'scale-dot')) > 1e4 * (await value(page, 'scale-l2')));
  assert.ok(await page.getByTestId('scaled-untied').isHidden());
  await answered(page, 'scaled', () => page.selectOption('#scaled-tokens', 'as-is'));
  assert.ok((await value(page, 'scale-l2')) > 0);
  // If the weights of queries and keys differ, a sentence says so, and a button sets equal ones.
  await answered(page, 'scaled', () => page.selectOption('#weights', 'random'));
  assert.ok(await page.getByTestId('scaled-untied').isVisible());
  await answered(page, 'scaled', () => page.click('#scaled-take-kim'));
  assert.equal(await page.locator('#weights').inputValue(), 'kim');
  // The table has a row for each radius.
  await page.click('#scaled-table summary');
  await page.waitForFunction(() => document.querySelectorAll('#scaled-table tbody tr').length === 33);
  // A norm of which only an upper bound is known has a sign that says so.
  const sign = () => page.getByTestId('scale-dot').locator('xpath=..').locator('.sign').innerText();
  assert.equal(await sign(), '=');
  await answered(page, 'scaled', () => page.selectOption('#norm', 'max_token'));
  assert.equal(await sign(), '≤');
});

pageTest('scaled tokens take a reader’s own, and say why they cannot', async ({ page }) => {
  await reveal(page, '#own-text');
  await page.fill('#own-text', '0.3, 1\n-1, 0.2\n0.5, -0.7\n1, 1');
  await page.click('#own-apply');
  await page.selectOption('#weights', 'identity-plus');
  await answered(page, 'scaled', () => show(page, 'scaled'));
  assert.ok(Math.abs((await value(page, 'scale-slope-dot')) - 2) <= 0.04);
  await page.selectOption('#normalization', 'layer');
  await page.waitForSelector('[data-testid="scaled-progress"][data-phase="failed"]', { state: 'attached' });
  assert.match(await page.getByTestId('scaled-progress').innerText(), /normaliser/i);
});

pageTest('tightness: what is found is under the bound and near it', async ({ page }) => {
  await answered(page, 'tightness', () => show(page, 'tightness'));
  const read = async () => ({ n: await value(page, 'tight-n'), found: await value(page, 'tight-found'), bound: await value(page, 'tight-bound'), ratio: await value(page, 'tight-ratio') });
  await page.focus('#tightness-plot');
  await page.keyboard.press('End');
  const last = await read();
  assert.equal(last.n, 1000);
  assert.ok(last.found >= 7.22 && last.found <= last.bound, JSON.stringify(last));
  assert.ok(Math.abs(last.bound - 18.68) < 0.006);
  assert.ok(Math.abs(last.ratio - last.found / last.bound) < 1e-12);
  for (let at = await read(); at.n !== 10; at = await read()) await page.keyboard.press('ArrowLeft');
  const ten = await read();
  assert.ok(ten.found >= 2.98 && ten.found <= ten.bound && Math.abs(ten.bound - 5.4) < 0.006, JSON.stringify(ten));
  // An invalid number is reported and changes nothing.
  await type(page, 'tightness-restarts', '1.5');
  assert.ok(await page.locator('#tightness-restarts-problem').isVisible());
  await answered(page, 'tightness', () => type(page, 'tightness-restarts', '2'));
  assert.ok(await page.locator('#tightness-restarts-problem').isHidden());
});

pageTest('the search can be stopped and done again', async ({ page }) => {
  await answered(page, 'tightness', () => show(page, 'tightness'));
  await type(page, 'tightness-restarts', '200');
  // Presses the stop button at once, because the search is short.
  await page.waitForFunction(() => {
    const stop = document.querySelector('#tightness-stop');
    if (!stop || stop.hidden) return false;
    stop.click();
    return true;
  });
  await page.waitForSelector('[data-testid="tightness-progress"][data-phase="stopped"]', { state: 'attached' });
  await type(page, 'tightness-restarts', '0');
  await page.waitForSelector('[data-testid="tightness-progress"][data-phase="done"]', { state: 'attached', timeout: 60_000 });
});

pageTest('the inverse of L2-MHA converges for c = 0.5, 0.7, 0.9', { timeout: 240_000 }, async ({ page }) => {
  await drawHeads(page, '64', '8');
  await show(page, 'inverse');
  await answered(page, 'inverse', () => page.selectOption('#inverse-tokens', 'page'));
  for (const c of [0.5, 0.7, 0.9]) {
    await answered(page, 'inverse', () => page.click(`#inverse-c-${100 * c}`));
    assert.equal(await value(page, 'inverse-c'), c);
    assert.equal(await digits(page, 'inverse-l2-outcome'), 'converged');
    assert.ok((await value(page, 'inverse-l2-error')) < 1e-9);
  }
  // n = 64, d = 8, eight heads: L is the bound that the numbers show.
  assert.ok(Math.abs((await value(page, 'inverse-l2-constant')) / (await value(page, 'bound-kim_column')) - 1) < 1e-9);
});

pageTest('the inverse of dot-product attention fails where it must, beside L2-MHA', async ({ page }) => {
  await show(page, 'inverse');
  await answered(page, 'inverse', () => page.click('#inverse-preset'));
  assert.equal(await digits(page, 'inverse-l2-outcome'), 'converged');
  assert.notEqual(await digits(page, 'inverse-dot-outcome'), 'converged');
  assert.ok((await value(page, 'inverse-dot-residual')) > 1);
  // The grid goes forward and back; steps by buttons.
  await answered(page, 'inverse', () => page.selectOption('#inverse-tokens', 'grid'));
  await page.click('#inverse-step');
  const forward = await value(page, 'inverse-frame');
  assert.ok(forward >= 1, `iteration ${forward}`);
  await page.click('#inverse-back');
  assert.equal(await value(page, 'inverse-frame'), forward - 1);
});

pageTest('the lab of scaled tokens opens with weights that show its sentence, and keeps weights that the reader chose', { hash: '#v3&plot=lab', context: {} }, async ({ page }) => {
  await answered(page, 'scaled', () => page.click('#plot-scaled'));
  assert.ok(await page.getByTestId('scaled-untied').isHidden(), 'the lab opens with queries that differ from keys');
  assert.ok((await value(page, 'scale-slope-dot')) > 1.9);
  assert.ok(Math.abs(await value(page, 'scale-slope-l2')) < 0.15, `${await value(page, 'scale-slope-l2')}`);
  await page.keyboard.press('Control+z');
  await page.locator('[data-testid=gallery]').waitFor();
  assert.ok(!page.url().includes('weights='), page.url());
  await page.evaluate(() => { location.hash = '#v3&plot=lab&weights=random'; });
  await page.waitForFunction(() => document.querySelector('[data-testid=gallery]').checkVisibility());
  await answered(page, 'scaled', () => page.click('#plot-scaled'));
  assert.match(page.url(), /weights=random/);
  await page.getByTestId('scaled-untied').waitFor({ state: 'visible' });
});

pageTest('with reduced motion the iterations stand still', { reducedMotion: 'reduce' }, async ({ page }) => {
  await answered(page, 'inverse', () => show(page, 'inverse'));
  await page.waitForTimeout(700);
  assert.equal(await value(page, 'inverse-frame'), 0);
  assert.ok(await page.locator('#inverse-play').isHidden());
  await page.click('#inverse-step');
  assert.equal(await value(page, 'inverse-frame'), 1);
});

/** The faults of these views; those of other parts of the page have tests of their own. */
const faultsHere = seriousFaults;

/** Whether anything is drawn on a canvas. */
const isDrawn = (page, selector) => page.locator(selector).evaluate((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size > 8;
});

pageTest('the gallery: a picture and a sentence each, opened by mouse or keys, and Back', { hash: '', reducedMotion: 'reduce' }, async ({ page }) => {
  await page.click('#view-lab');
  await page.waitForSelector('[data-testid=gallery]');
  assert.match(page.url(), /plot=lab/);
  assert.ok(await page.locator('.quick').isHidden(), 'no controls where there is nothing to control');
  await page.waitForTimeout(500);
  for (const lab of LABS) {
    assert.ok(await isDrawn(page, `#plot-${lab} canvas`), lab);
    assert.match(await page.locator(`#plot-${lab} .lab-sentence`).innerText(), /[.?]$/);
  }
  assert.deepEqual(await faults(page), []);
  await page.focus('#plot-compare');
  for (const lab of LABS) {
    assert.equal(await page.evaluate(() => document.activeElement.id), `plot-${lab}`);
    await answered(page, lab, () => page.keyboard.press('Enter'));
    assert.ok(await page.locator(`#${lab}-plot`).isVisible());
    assert.ok(await page.locator('[data-testid=gallery]').isHidden());
    assert.deepEqual(await faultsHere(page), []);
    await page.goBack();
    await page.locator('[data-testid=gallery]').waitFor();
    await page.focus(`#plot-${lab}`);
    await page.keyboard.press('Tab');
  }
  await page.click('#plot-inverse');
  await page.locator('[data-testid=inverse-lab] .lab-back').click();
  await page.locator('[data-testid=gallery]').waitFor();
});

/** The rows of `lipscope certify` for an experiment. */
function certified(experiment, relative) {
  const binary = process.env.LIPSCOPE_BIN ?? `${ROOT}target/debug/lipscope`;
  const csv = execFileSync(binary, ['certify', '-', '--epsilon', relative.join(',')], { input: JSON.stringify(experiment) });
  return csv.toString().trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
}

pageTest('how far it reaches: the numbers of the command line', { hash: '' }, async ({ page }) => {
  await answered(page, 'certify', () => show(page, 'certify'));
  const csv = (await saved(page, '#export-certify [data-export=csv]')).trim().split(/\r?\n/).slice(1).map((line) => line.split(',').map(Number));
  assert.equal(csv.length, 25);
  const experiment = JSON.parse(await saved(page, '#export-certify [data-export=json]'));
  // The bounds agree to rounding. In the ascent the roundings add up.
  const expected = certified(experiment, csv.map((row) => row[0]));
  assert.equal(expected.length, csv.length);
  csv.forEach((row, at) => row.forEach((x, column) => {
    const tolerance = column < 2 ? 0 : column < 5 ? 1e-12 : 1e-9;
    assert.ok(Math.abs(x / expected[at][column] - 1) <= tolerance, `row ${at}, column ${column}: ${x} is ${expected[at][column]} natively`);
  }));
  // The numbers on screen are the row at eps.
  const onScreen = async () => [await value(page, 'certify-slider'), ...await Promise.all(['certify-epsilon', 'certify-certified', 'certify-local', 'certify-ball', 'certify-found'].map((id) => value(page, id)))];
  assert.deepEqual(await onScreen(), csv.find((row) => row[0] === 0.1));
  const here = await value(page, 'certify-here');
  const { lines: [measured] } = await measureOnCommandLine(experiment);
  assert.ok(Math.abs(here / measured.spectral - 1) < 1e-9, `${here} is ${measured.spectral}`);
  for (const [, , upper, local, ball, found] of csv) assert.ok(here <= found && found <= Math.min(upper, ball) && here <= local);
  assert.match(await page.getByTestId('certify-finding').innerText(), /ε = 0\.1 R.*at most .*found/);
  // The slider moves along these rows, and asks for nothing new.
  await page.focus('#certify-slider');
  await page.keyboard.press('Home');
  assert.deepEqual(await onScreen(), csv[0]);
  assert.equal(await page.getByTestId('certify-progress').getAttribute('data-phase'), 'done');
  // Any other eps is one more row.
  await answered(page, 'certify', () => type(page, 'certify-eps', '0.033'));
  assert.equal(await value(page, 'certify-slider'), 0.033);
  assert.match(page.url(), /certify-eps=0\.033/);
  await page.focus('#certify-plot');
  await page.keyboard.press('End');
  assert.equal(await value(page, 'certify-found'), csv.at(-1)[5]);
});

pageTest('how far it reaches: discs around the tokens, which can be moved', { hash: '#v3&n=12' }, async ({ page }) => {
  await answered(page, 'certify', () => show(page, 'certify'));
  assert.ok(await isDrawn(page, '#certify-plane'));
  const before = await digits(page, 'certify-certified');
  // A token is moved by keys, and the bounds follow it.
  await page.focus('#certify-plane');
  await page.keyboard.press('n');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowUp');
  await changed(page, 'certify-certified', before);
  // In other dimensions there are no discs, and a line says in which there are.
  await answered(page, 'certify', () => page.goto(page.url().replace(/#.*/, '#v3&n=12&d=3&plot=certify')));
  assert.ok(await page.locator('#certify-plane').isHidden());
  assert.match(await page.locator('.certify-plane figcaption').innerText(), /set d = 2/);
  // Input without such a bound is refused, with the change to make.
  await page.goto(page.url().replace(/#.*/, '#v3&n=12&attention=l2&plot=certify'));
  await page.waitForSelector('[data-testid="certify-progress"][data-phase="failed"]', { state: 'attached' });
  assert.match(await page.getByTestId('certify-progress').innerText(), /no certified bound/);
});

pageTest('controls that do not apply are away, with a line that brings them back', { hash: '#v3', controls: 'open' }, async ({ page }) => {
  await answered(page, 'estimators', () => show(page, 'estimators'));
  assert.ok(await page.locator('.quick').isHidden() && await page.locator('#controls').isHidden());
  assert.match(await page.locator('[data-testid=estimators-lab] .lab-note').innerText(), /choose the example/);
  await answered(page, 'estimators', () => page.selectOption('#estimators-trial', 'page'));
  assert.ok(await page.locator('.quick').isVisible());
  await answered(page, 'inverse', () => show(page, 'inverse'));
  assert.ok(await page.locator('#inverse-n').isVisible());
  await answered(page, 'inverse', () => page.selectOption('#inverse-tokens', 'page'));
  assert.ok(await page.locator('#inverse-n').isHidden() && await page.locator('#inverse-radius').isHidden());
  assert.ok(await page.getByText('choose tokens that are random in a ball').isVisible());
  // Definitions unfold in place.
  await page.click('#inverse-terms summary');
  assert.match(await page.locator('#inverse-terms').innerText(), /the distance of the iterate from the original tokens/);
});

for (const viewport of [PHONE, { width: 360, height: 740 }]) {
  pageTest(`the views fit ${viewport.width} px`, { viewport, reducedMotion: 'reduce' }, async ({ page }) => {
    await show(page, 'lab');
    await page.waitForSelector('[data-testid=gallery]');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), 'gallery');
    assert.deepEqual(await faultsHere(page), []);
    for (const view of ['certify', 'gap', 'scaled', 'tightness', 'inverse']) {
      await answered(page, view, () => show(page, view));
      const [scroll, client] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(scroll <= client, `${view}: ${scroll} in ${client}`);
      assert.ok((await page.locator(`#${view}-plot`).boundingBox()).height >= 200);
      assert.deepEqual(await faultsHere(page), []);
    }
  });
}

/** The cells of `lipscope gap` for an experiment, as arrays of text: radius, n, lower, its name, upper, its name, ratio, what is missing. */
function gapOnCommandLine(experiment, more = []) {
  const binary = process.env.LIPSCOPE_BIN ?? `${ROOT}target/debug/lipscope`;
  const csv = execFileSync(binary, ['gap', '-', ...more], { input: JSON.stringify(experiment), stdio: ['pipe', 'pipe', 'ignore'] });
  return csv.toString().trim().split('\n').slice(1).map((line) => line.split(','));
}

pageTest('how tight is what we know: the map has the digits of the command line', { hash: '#v3&weights=identity-plus' }, async ({ page }) => {
  await answered(page, 'gap', () => show(page, 'gap'));
  // A name with a comma stands in quotation marks.
  const cells = (line) => line.match(/("[^"]*"|[^,]*)(,|$)/g).map((cell) => cell.replace(/,$/, ''));
  const csv = (await saved(page, '#export-gap [data-export=csv]')).trim().split(/\r?\n/).slice(1).map(cells);
  const experiment = JSON.parse(await saved(page, '#export-gap [data-export=json]'));
  const native = gapOnCommandLine(experiment);
  assert.equal(csv.length, 27 * 16);
  assert.equal(native.length, csv.length);
  csv.forEach((row, at) => [0, 1, 2, 4, 6].forEach((column) => {
    assert.ok(Math.abs(row[column] / native[at][column] - 1) <= 1e-12, `row ${at}, column ${column}: ${row[column]} is ${native[at][column]} natively`);
  }));
  const onScreen = async () => Object.fromEntries(await Promise.all(['radius', 'n', 'lower', 'upper', 'ratio'].map(async (id) => [id, await value(page, `gap-${id}`)])));
  const cellOf = ([radius, n, lower, , upper, , ratio]) => Object.fromEntries(Object.entries({ radius, n, lower, upper, ratio }).map(([id, text]) => [id, Number(text)]));
  // Where nobody points, the numbers are those of the largest ratio.
  const widest = csv.reduce((best, row) => (Number(row[6]) > Number(best[6]) ? row : best));
  assert.deepEqual(await onScreen(), cellOf(widest));
  assert.match(await page.getByTestId('gap-finding').innerText(), /a factor of at most 5\.667, at n = 50, R = 4\./);
  // The keys go from the corner with the largest R and the fewest tokens.
  await page.focus('#gap-plot');
  await page.keyboard.press('Home');
  assert.deepEqual(await onScreen(), cellOf(csv.find((row) => row[0] === '4' && row[1] === '2')));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  const here = csv.find((row) => row[0] === '3.4' && row[1] === '5');
  assert.deepEqual(await onScreen(), cellOf(here));
  const [one] = gapOnCommandLine(experiment, ['-n', '5', '-R', '3.4']);
  const shown = await onScreen();
  assert.ok(Math.abs(shown.ratio / Number(one[6]) - 1) <= 1e-12, `${shown.ratio} is ${one[6]}`);
  assert.match(await page.locator('#gap-readout').innerText(), /n = 5, R = 3\.4 .*≤ .*≥ .* factor [\d.]+/);
  await page.keyboard.press('Escape');
  assert.deepEqual(await onScreen(), cellOf(widest));
  await page.click('#gap-table summary');
  await page.waitForFunction(() => document.querySelectorAll('#gap-table tbody tr').length === 432);
});

pageTest('a cell of the map under the pointer is read, and cells without a bound say why', { hash: '#v3&plot=gap' }, async ({ page }) => {
  await page.waitForSelector('[data-testid="gap-progress"][data-phase="done"]', { state: 'attached', timeout: 60_000 });
  const canvas = page.locator('#gap-plot');
  const { width, height } = await canvas.boundingBox();
  await canvas.hover({ position: { x: width - 20, y: 0.5 * height } });
  assert.equal(await value(page, 'gap-n'), 1e9);
  assert.match(await page.locator('#gap-readout').innerText(), /n = 10⁹/);
  // Without a lower bound no cell has a ratio; the sentence has the reason.
  await page.goto(page.url().replace(/#.*/, '#v3&plot=gap&normalization=layer'));
  await page.waitForFunction(() => /No cell has both bounds: no lower bound \(not proved with this normaliser\)/.test(document.querySelector('[data-testid=gap-finding]').textContent));
  await page.focus('#gap-plot');
  await page.keyboard.press('Home');
  assert.match(await page.locator('#gap-readout').innerText(), /n = 2, R = 4 .*≤ .*no lower bound/);
  assert.equal(await digits(page, 'gap-ratio'), '');
});

pageTest('the map can be stopped and computed again', { hash: '#v3&plot=gap&weights=random&d=64&heads=8&k=8' }, async ({ page }) => {
  // Presses the stop button at once, because the work is short.
  await page.waitForFunction(() => {
    const stop = document.querySelector('#gap-stop');
    if (!stop || stop.hidden) return false;
    stop.click();
    return true;
  });
  await page.waitForSelector('[data-testid="gap-progress"][data-phase="stopped"]', { state: 'attached' });
  await page.click('#gap-again');
  await page.waitForSelector('[data-testid="gap-progress"][data-phase="done"]', { state: 'attached', timeout: 60_000 });
  assert.ok((await value(page, 'gap-ratio')) > 1);
});
