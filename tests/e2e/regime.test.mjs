// The view over n up to 1e18, the bound ladder and the witnesses, as a person uses them.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mainThreadTasks, measureOnCommandLine, pageTest, PHONE, seriousFaults } from './browser.mjs';
import { changed, digits, exported, paste, reaches, reveal, still, swept, type, value } from './reading.mjs';

/** Types a number into a box and leaves it there. */
/** Waits until a number of the view over n is there, and is near `expected` to the digits shown. */
const reads = (page, id, expected) => reaches(page, `regime-${id}`, expected, expected * 5e-4);

/** A = -1, adversarial tokens, R = 3, read at n = 1e9. */
async function begin(page) {
  await changed(page, 'spectral');
  await page.selectOption('#weights', 'identity-minus');
  await page.selectOption('#law', 'adversarial');
  await type(page, 'radius-number', '3');
  await type(page, 'regime-at-number', '1e9');
  await reads(page, 'unified', 7.109e4);
}

pageTest('a first visit shows the measured number and every bound at n = 1e9', async ({ page }) => {
  assert.ok((await changed(page, 'spectral')) > 0);
  await reads(page, 'unified', 7.109e4);
  assert.ok(await page.locator('#regime-plot').isVisible());
  assert.ok(!(await page.locator('#main-plot').isVisible()));
});

pageTest('at n = 1e9 our bound is within 1.4 of a lower bound; mask, radius and n change what is read', async ({ page }) => {
  await begin(page);
  await reads(page, 'castin_mean_field', 1.838e9);
  await reads(page, 'castin_general', 9.874e5);
  await reads(page, 'exact', 3.486e4);
  await reads(page, 'adversarial', 3.486e4);
  const lower = await value(page, 'regime-two_clusters');
  assert.ok(lower >= 50175 && lower <= 7.109e4, `two clusters ${lower}`);
  assert.ok(Math.abs((await value(page, 'regime-gap')) - 50906.67 / lower) < 1e-3);
  assert.ok(Math.abs(Number(await page.getByTestId('regime-crossover').getAttribute('data-log10')) - 18 / Math.LN10) < 1e-9);
  assert.match(await page.getByTestId('regime-crossover').innerText(), /6\.566/);
  // An n between the curves' own: computed there, not interpolated.
  await type(page, 'regime-at-number', '123457');
  await page.waitForFunction(() => document.querySelector('[data-testid=regime-n]').dataset.value === '123457');
  const unified = 9 + Math.sqrt((1 + 81) * 123457 / (1 + 123456 * Math.exp(-18)));
  await reaches(page, 'regime-unified', unified, 1e-9 * unified);
  await type(page, 'regime-at-number', '1e9');
  // The causal mask: no mean-field bound, no two clusters, no exact norm by clusters.
  await page.click('#regime-mask-causal');
  await page.waitForFunction(() => document.querySelector('[data-testid=regime-castin_mean_field]').dataset.value === '');
  assert.equal(await digits(page, 'regime-two_clusters'), '');
  assert.equal(await digits(page, 'regime-exact'), '');
  assert.equal(await page.locator('#mask').inputValue(), 'causal');
  assert.ok((await changed(page, 'regime-unified', '71089.08483763404')) > (await value(page, 'regime-adversarial')));
  await page.click('#regime-mask-none');
  await reads(page, 'unified', 7.109e4);
  // R by its slider.
  const before = await digits(page, 'regime-unified');
  await page.locator('#radius').focus();
  for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight');
  assert.ok((await changed(page, 'regime-unified', before)) > 7.109e4);
  // R that grows with n.
  await page.click('#regime-radius-grows');
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=regime-radius]').dataset.value) > 5);
});

pageTest('the curves follow a slider, and no task of the page is long', async ({ page }, t) => {
  await begin(page);
  await swept(page);
  const box = await still(page, '#radius');
  const seen = new Set();
  const tasks = await mainThreadTasks(page, async () => {
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
    await page.mouse.down();
    for (let step = 0; step < 30; step++) {
      await page.mouse.move(box.x + box.width * (0.5 + step / 100), box.y + box.height / 2);
      await page.waitForTimeout(30);
      seen.add(await digits(page, 'regime-unified'));
    }
    await page.mouse.up();
    await page.waitForTimeout(300);
  });
  t.diagnostic(`${seen.size} values of 30 positions; longest task ${tasks[0].cpu.toFixed(1)} ms of processor time`);
  assert.ok(seen.size >= 10, `only ${seen.size} values were seen on the way`);
  assert.ok(tasks[0].cpu <= 50, `a task of the main thread takes ${tasks[0].cpu} ms of processor time`);
});

pageTest('witnesses are loaded and measured: two clusters, skew, clusters of one\u2019s own', async ({ page }) => {
  await begin(page);
  await type(page, 'n-number', '4096');
  await reaches(page, 'spectral', 64.06, 0.01);
  await page.click('#load-two_clusters');
  await reaches(page, 'spectral', 172.63, 0.01);
  assert.equal(await page.locator('#law').inputValue(), 'clusters');
  assert.ok(await page.locator('#n-away').isVisible() && await page.locator('#mask-away').isVisible());
  assert.equal(await digits(page, 'method'), 'clusters');
  assert.ok((await value(page, 'mean-field')) > 100);
  const { lines: [expected], stderr } = await measureOnCommandLine(await exported(page));
  assert.ok(Math.abs((await value(page, 'spectral')) / expected.spectral - 1) < 1e-9, stderr);
  await page.click('#load-skew');
  await page.waitForFunction(() => document.querySelector('#law').value === 'skew');
  const skew = await changed(page, 'spectral', String(expected.spectral));
  assert.ok(await page.locator('#weights-away').isVisible() && await page.locator('#d-away').isVisible());
  const { lines: [other] } = await measureOnCommandLine(await exported(page));
  assert.ok(Math.abs(skew / other.spectral - 1) < 1e-9);
  assert.ok((await value(page, 'bound-unified')) / skew < 4);
  // 1e12 tokens at two positions.
  const clusters = { tokens: { source: 'clusters', positions: [[-2], [2]], log_multiplicities: [0, Math.log(1e12)] }, weights: { source: 'identity', sign: -1 } };
  await paste(page, JSON.stringify(clusters));
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=n]').dataset.value) > 9e11);
  assert.ok((await page.locator('#n-number').inputValue()).startsWith('1e12') || (await page.locator('#n-number').inputValue()).startsWith('1.0'));
  await page.selectOption('#preset', { label: 'skew witness, n = 4096, R = 3' });
  await changed(page, 'spectral');
});

pageTest('a million causal tokens', async ({ page }) => {
  await changed(page, 'spectral');
  const before = await digits(page, 'spectral');
  await page.selectOption('#preset', { label: 'a million tokens, causal' });
  await page.waitForFunction(() => document.querySelector('[data-testid=n]').dataset.value === '1000000', undefined, { timeout: 60_000 });
  assert.notEqual(await digits(page, 'spectral'), before);
  assert.equal(await digits(page, 'method'), 'causal_runs');
  assert.ok((await value(page, 'spectral')) >= (await value(page, 'bound-adversarial')) * (1 - 1e-9));
  // A law of chance has room for fewer.
  await page.selectOption('#law', 'ball');
  await page.waitForFunction(() => document.querySelector('#n-number').value === '4096');
});

pageTest('plot and ladder are read by keyboard, and their tables say the same', async ({ page }) => {
  await begin(page);
  await page.focus('#regime-plot');
  await page.keyboard.press('End');
  assert.equal(await page.getByTestId('regime-n').getAttribute('data-value'), '1000000000000000000');
  assert.match(await page.getByTestId('regime-said').textContent(), /unified ≤ 7\.339/);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.getByTestId('regime-n').getAttribute('data-value'), '800000000000000000');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#regime-at-number').inputValue(), '8e17');
  await reveal(page, '#regime-table .twin-table');
  await page.waitForSelector('#regime-table tbody tr');
  assert.ok((await page.locator('#regime-table tbody tr').count()) >= 30);
  await page.focus('#ladder');
  const told = new Set();
  await page.keyboard.press('Home');
  for (let step = 0; step < 10; step++) {
    told.add(await page.getByTestId('story').getAttribute('data-bound'));
    await page.keyboard.press('ArrowDown');
  }
  for (const id of ['castin_mean_field', 'castin_general', 'unified', 'sharp', 'measured', 'sink', 'two_clusters', 'adversarial']) {
    assert.ok(told.has(id), `${id} is not among ${[...told].join(', ')}`);
  }
  // Of the two local bounds the smaller one.
  assert.ok(told.has('local') !== told.has('local_blocks'), [...told].join(', '));
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.match(await page.getByTestId('story').innerText(), /9².*63.*e/s);
  assert.ok(await page.locator('#ladder-story math').count());
  await reveal(page, '#ladder-table .twin-table');
  await page.waitForSelector('#ladder-table tbody tr');
  assert.equal(await page.locator('#ladder-table tbody tr').count(), 10);
});

pageTest('nothing overflows at R = 1000, and curves switched off are not read', async ({ page }) => {
  await begin(page);
  await type(page, 'radius-number', '1000');
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=regime-castin_mean_field]').dataset.log10) > 8e5);
  assert.match(await page.getByTestId('regime-castin_mean_field').innerText(), /10⁸⁶⁸/);
  const numbers = await page.locator('[data-testid^=regime-]').allInnerTexts();
  assert.ok(numbers.every((text) => !/NaN|inf/i.test(text)), numbers.join(' | '));
  assert.match(await page.locator('main').innerText(), /10⁸⁶⁸/);
  await page.uncheck('#trace-castin_mean_field');
  assert.equal(await digits(page, 'regime-castin_mean_field'), '');
  await page.check('#trace-skew');
  assert.ok((await changed(page, 'regime-skew')) > 0);
  await type(page, 'regime-max-number', '1e6');
  assert.equal(await page.locator('#regime-max-number').inputValue(), '1000000');
});

pageTest('a long list is read off the page\u2019s own thread', async ({ page }, t) => {
  await changed(page, 'spectral');
  await swept(page);
  const rows = Array.from({ length: 4000 }, (_, i) => Array.from({ length: 100 }, (_, j) => Math.sin(i * 100 + j).toFixed(8)).join(',')).join('\n');
  await reveal(page, '#own-text');
  // From the disk: a buffer would be unpacked by the test's own script, in the page.
  const file = join(mkdtempSync(join(tmpdir(), 'lipscope-')), 'long.csv');
  writeFileSync(file, rows);
  const tasks = await mainThreadTasks(page, async () => {
    await page.setInputFiles('#own-file', file);
    await page.waitForFunction(() => /4000 × 100/.test(document.querySelector('[data-testid=own-note]').textContent), undefined, { timeout: 60_000 });
    await page.waitForTimeout(300);
  });
  t.diagnostic(`longest task: ${tasks[0].cpu.toFixed(1)} ms of processor time for ${(rows.length / 1e6).toFixed(1)} MB`);
  assert.ok(tasks[0].cpu <= 50, `a task of the main thread takes ${tasks[0].cpu} ms of processor time`);
});

for (const viewport of [PHONE, { width: 360, height: 740 }]) {
  pageTest(`the view over n fits ${viewport.width} px`, { viewport, colorScheme: 'dark' }, async ({ page }) => {
    await changed(page, 'spectral');
    await reads(page, 'unified', 7.109e4);
    const { scroll, client } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth }));
    assert.ok(scroll <= client, `${scroll} > ${client}`);
    await page.click('#more-controls');
    await type(page, 'radius-number', '2');
    await page.waitForFunction(() => Number(document.querySelector('[data-testid=regime-unified]').dataset.value) < 500);
    assert.deepEqual(await seriousFaults(page), []);
  });
}
