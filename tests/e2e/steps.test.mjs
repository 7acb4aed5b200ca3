// Attention as it is run today: presets, their picture, each step, their links; and the lab that compares kinds.
import assert from 'node:assert/strict';
import { faults, measureOnCommandLine, pageTest, PHONE, seriousFaults } from './browser.mjs';
import { answered, changed, digits, exported, openControls, reveal, saved, show, type, value } from './reading.mjs';

/** The number on screen is the command line's for the exported experiment. */
async function isOfCommandLine(page) {
  const experiment = await exported(page);
  const { lines: [measured] } = await measureOnCommandLine(experiment);
  const shown = await value(page, 'spectral');
  assert.ok(Math.abs(shown / measured.spectral - 1) < 1e-9, `${shown} is ${measured.spectral}`);
  return experiment;
}

pageTest('a preset sets kernel, mask and steps; the picture says which; the number is the command line’s', { hash: '#v3&n=24&d=4', controls: 'open' }, async ({ page }) => {
  await page.click('.more > summary');
  for (const [preset, has] of [
    ['gemma-2', { softcap: 50, rope: 1e4, mask: 'causal', picture: /cap 50/ }],
    ['gpt-oss', { rope: 1.5e5, picture: /window of 128/ }],
    ['qwen-3', { rope: 1e6, picture: /qk-norm/ }],
    ['linear', { picture: /linear/ }],
  ]) {
    const before = await digits(page, 'spectral');
    await page.selectOption('#attention-preset', preset);
    await changed(page, 'spectral', before);
    assert.match(await page.getByTestId('pipeline').innerText(), has.picture, preset);
    const experiment = await isOfCommandLine(page);
    assert.equal(experiment.score?.rope?.base, has.rope, preset);
    assert.equal(experiment.score?.softcap, has.softcap, preset);
    if (has.mask) assert.equal(experiment.mask, has.mask);
    // A small eps makes the bound on the ball useless, which is said beside it.
    assert.equal(await page.getByTestId('eps-note').isVisible(), preset === 'qwen-3', preset);
  }
  assert.deepEqual(await seriousFaults(page), []);
});

pageTest('each step is a control of its own, goes into the link and comes back from it', { hash: '#v3&n=12&d=2&weights=random&heads=4&k=2', controls: 'open' }, async ({ page }) => {
  await page.click('.more > summary');
  await page.click('.steps > summary');
  const act = async (what) => {
    const before = await digits(page, 'spectral');
    await what();
    await changed(page, 'spectral', before);
  };
  await act(() => page.selectOption('#rope', 'half'));
  await act(() => page.check('#softcap-on'));
  await act(() => type(page, 'softcap-number', '0.5'));
  await act(() => page.selectOption('#mask', 'window'));
  await act(() => type(page, 'mask-size-number', '3'));
  await act(() => page.selectOption('#weighting', 'sink'));
  await act(() => type(page, 'sink-number', '-1'));
  await act(() => type(page, 'heads-per-key-number', '2'));
  await act(() => page.check('#differential-on'));
  const experiment = await isOfCommandLine(page);
  assert.deepEqual(experiment.mask, { kind: 'window', width: 3, causal: true });
  assert.deepEqual([experiment.score.softcap, experiment.weighting.sink], [0.5, -1]);
  assert.deepEqual([experiment.weights.kv_heads, experiment.weights.differential], [2, 0.5]);
  assert.equal(await page.locator('#attention-preset').inputValue(), 'own');
  const shown = await digits(page, 'spectral');
  await page.waitForFunction(() => location.hash.includes('steps='));
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await page.waitForFunction((digits) => document.querySelector('[data-testid=spectral]')?.dataset.value === digits, shown);
  await openControls(page);
  // A step that does not fit the kernel is away, with the reason.
  await page.selectOption('#attention', 'l2');
  await page.waitForFunction(() => !document.querySelector('#rope')?.checkVisibility());
  assert.match(await page.locator('#rope-away').textContent(), /dot-product/);
});

pageTest('a link may name a preset', { hash: '#v3&n=12&d=4&steps=gpt-oss', controls: 'open' }, async ({ page }) => {
  const experiment = await isOfCommandLine(page);
  assert.deepEqual([experiment.mask.width, experiment.weighting.sink, experiment.score.rope.base], [128, 0, 1.5e5]);
});

pageTest('which attention is smoothest: each number is the command line’s', { hash: '' }, async ({ page }) => {
  await answered(page, 'compare', () => show(page, 'compare'));
  const csv = (await saved(page, '#export-compare [data-export=csv]')).trim().split(/\r?\n/).slice(1).map((line) => line.split(','));
  assert.equal(csv.length, 4 * 13);
  const tokens = (n) => ({ source: 'adversarial', n, radius: 1.5 });
  const weights = { source: 'identity', sign: -1 };
  const of = { 'softmax': {}, 'cap 2': { score: { softcap: 2 } }, 'causal window 16': { mask: { kind: 'window', width: 16 } }, 'sink 8': { weighting: { kind: 'softmax', sink: 8 } } };
  for (const [kind, n, sign, norm, output, found, bound, log10] of csv.filter((row) => ['2', '64', '512'].includes(row[1]))) {
    const { lines: [measured] } = await measureOnCommandLine({ ...of[kind], tokens: tokens(Number(n)), weights });
    assert.ok(Math.abs(Number(norm) / measured.spectral - 1) < 1e-6, `${kind}, n = ${n}: ${norm} is ${measured.spectral}`);
    assert.ok(sign === '=' && Number(output) > 0, `${kind}, n = ${n}: ${sign} ${output}`);
    if (found) assert.ok(Number(found) >= Number(norm) * (1 - 1e-9) && Number(found) <= Number(bound) * (1 + 1e-9), `${kind}, n = ${n}`);
    if (log10) assert.ok(Number(bound) >= Number(norm) * (1 - 1e-9) && Math.abs(Math.log10(Number(bound)) - Number(log10)) < 1e-9, `${kind}, n = ${n}`);
  }
  // Past the window, n changes nothing but the number of rows that see as much.
  const last = (kind) => Number(csv.filter((row) => row[0] === kind).at(-1)[3]);
  assert.ok(last('cap 2') < last('softmax') && last('causal window 16') < last('softmax'));
  assert.equal(await page.getByTestId('compare-last').locator('tbody tr').count(), 4);
  // The answer stands on the page, with the size of the output of a sink.
  assert.match(await page.getByTestId('compare-finding').innerText(), /At n = 512, sink 8 is smoothest here.*times as large as the tokens/s);
  // What the lab sets itself is disabled in the bar, with the reason; R counts.
  for (const id of ['quick-random', 'quick-mask-causal', 'quick-norm-layer']) assert.ok(await page.locator(`#${id}`).isDisabled(), id);
  assert.match(await page.locator('#quick-n-away').innerText(), /this lab varies n/);
  await answered(page, 'compare', () => page.fill('#quick-radius-number', '2').then(() => page.keyboard.press('Enter')));
  // A number has a label of its own, which changes no kind.
  await page.click('label[for=compare-cap]');
  assert.ok(await page.locator('#compare-cap').evaluate((box) => box === document.activeElement));
  assert.ok(await page.locator('#compare-kind-cap').isChecked());
  await page.fill('#compare-cap', 'abc');
  await page.keyboard.press('Enter');
  assert.match(await page.locator('#compare-cap-problem').innerText(), /“abc”/);
  await answered(page, 'compare', () => page.fill('#compare-cap', '2.5').then(() => page.keyboard.press('Enter')));
  // A place on one axis is none on the next.
  await page.focus('#compare-plot');
  await page.keyboard.press('Home');
  assert.match(await page.locator('#compare-readout').innerText(), /^n = 2 .*≤/s);
  await answered(page, 'compare', () => page.selectOption('#compare-along', 'R'));
  assert.match(await page.locator('#compare-readout').innerText(), /read values/);
  assert.deepEqual(await seriousFaults(page), []);
});

pageTest('the comparison takes up to six kinds, an axis of its own, and a link says it all', { hash: '#v3&plot=compare&compare=plain,cap&compare-along=cap' }, async ({ page }) => {
  await page.waitForSelector('[data-testid="compare-progress"][data-phase="done"]', { state: 'attached' });
  assert.equal(await page.locator('#compare-along').inputValue(), 'cap');
  await answered(page, 'compare', () => page.check('#compare-kind-relu'));
  await page.waitForFunction(() => location.hash.includes('compare=plain,cap,relu'));
  for (const kind of ['causal', 'window', 'sink']) await answered(page, 'compare', () => page.check(`#compare-kind-${kind}`));
  assert.ok(await page.locator('#compare-kind-l2').isDisabled(), 'six kinds at most');
  await answered(page, 'compare', () => page.selectOption('#compare-along', 'R'));
  assert.match(await page.locator('#compare-readout').innerText(), /read values/);
});

pageTest('a phone shows presets and comparison without a sideways scroll', { hash: '#v3&plot=compare', viewport: PHONE }, async ({ page }) => {
  await page.waitForSelector('[data-testid="compare-progress"][data-phase="done"]', { state: 'attached' });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await reveal(page, '#compare-kind-relu');
  assert.deepEqual(await faults(page), []);
});

pageTest('what a preset does not change at this size stands beside it, with the reason', { hash: '#v3&steps=mistral', controls: 'open' }, async ({ page }) => {
  await page.click('.more > summary');
  const idle = page.getByTestId('idle-steps');
  await idle.waitFor({ state: 'visible' });
  assert.match(await idle.innerText(), /No effect here: the window \(all 64 tokens fit into its 4096\)/);
  for (const [preset, words] of [['gpt-neox', /RoPE \(none of 2 entries is rotated/], ['gemma-2', /the cap of 50 \(no score exceeds 0\.19\d+\)/]]) {
    await page.selectOption('#attention-preset', preset);
    await page.waitForFunction((source) => new RegExp(source).test(document.querySelector('[data-testid=idle-steps]').textContent), words.source);
  }
  await page.selectOption('#attention-preset', 'llama');
  await idle.waitFor({ state: 'hidden' });
});

pageTest('the width of a window stands under the mask, and the switch of masks names it', { hash: '', controls: 'open' }, async ({ page }) => {
  await page.selectOption('#mask', 'window');
  // Not in the folded steps.
  await page.locator('#mask-size-number').waitFor({ state: 'visible' });
  assert.equal(await page.locator('#mask-size-number').inputValue(), '16');
  assert.match(await page.getByTestId('attention-line').textContent(), /window of 16, causal/);
  const pressed = await page.$$eval('[id^=quick-mask]', (all) => all.map((button) => [button.id, button.getAttribute('aria-pressed')]));
  assert.deepEqual(pressed, [['quick-mask-none', 'false'], ['quick-mask-causal', 'false'], ['quick-mask-other', 'true']]);
  assert.ok((await page.locator('.quick-away').allTextContents()).includes('window of 16, causal'));
});

pageTest('heads a key that do not divide the heads are refused in their box, and said where the heads change', { hash: '#v3&n=12&weights=random&heads=6&k=2', controls: 'open' }, async ({ page }) => {
  await page.click('.more > summary');
  await page.click('.steps > summary');
  await type(page, 'heads-per-key-number', '4');
  assert.match(await page.getByTestId('heads-per-key-problem').innerText(), /must divide the number of heads, 6; 4 does not/);
  assert.equal((await exported(page)).weights.kv_heads ?? 6, 6);
  await type(page, 'heads-per-key-number', '3');
  await page.waitForFunction(() => !document.querySelector('#heads-per-key-problem:not([hidden])'));
  await type(page, 'heads-number', '4');
  await page.waitForFunction(() => [...document.querySelectorAll('.ungrouped')].some((line) => line.checkVisibility() && /3 heads per key do not divide 4 heads/.test(line.textContent)));
});
