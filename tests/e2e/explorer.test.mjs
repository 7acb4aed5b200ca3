// The explorer as a person uses it: every control, own tokens, exported experiments, broken input.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { changed, digits, drawEverything, exported, paste, reaches, reveal, show, swept, value } from './reading.mjs';
import { inBothSchemes, measureOnCommandLine, openPage, pageTest, PHONE, seriousFaults } from './browser.mjs';
import { test } from 'node:test';

const OPPOSED = [-1, ...Array(99).fill(1)].join('\n');

pageTest('a first visit shows a worked example, computed live', async ({ page }) => {
  const spectral = await changed(page, 'spectral');
  assert.ok(spectral > 0);
  await swept(page);
  assert.ok(Math.abs(await value(page, 'slope')) < 2);
  assert.ok((await value(page, 'bound-castin_general')) >= spectral);
});

pageTest('one against ninety-nine: 2.0504 without a mask, 5.3135 with', async ({ page }) => {
  await changed(page, 'spectral');
  await page.selectOption('#weights', 'identity-minus');
  await paste(page, OPPOSED);
  await reaches(page, 'spectral', 2.0504, 5e-5);
  assert.equal(await page.getByTestId('spectral').innerText(), '2.050');
  assert.equal(await page.getByTestId('n').first().innerText(), '100');
  await page.selectOption('#mask', 'causal');
  await reaches(page, 'spectral', 5.3135, 5e-5);
  // The mean-field bound is for attention without a mask: it is gone.
  assert.equal(await digits(page, 'bound-castin_mean_field'), '');
});

pageTest('every slider, box, choice and button moves the number or says why not', { timeout: 240_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  await drawEverything(page);
  const moves = (what, act) => (async () => {
    const before = await digits(page, 'spectral');
    await act();
    await changed(page, 'spectral', before).catch(() => assert.fail(`${what} does not move the norm`));
  })();
  for (const id of ['n', 'd', 'radius', 'heads', 'head-dim', 'scale']) {
    await moves(`the slider ${id}`, async () => {
      const slider = page.locator(`#${id}`);
      await slider.focus();
      await slider.press('ArrowRight');
      await slider.press('ArrowRight');
      await slider.press('PageUp');
    });
  }
  for (const [id, text] of [['n', '20'], ['d', '3'], ['radius', '1.25'], ['heads', '2'], ['head-dim', '4'], ['scale', '0.7']]) {
    await moves(`the box ${id}`, async () => {
      await page.fill(`#${id}-number`, text);
      await page.press(`#${id}-number`, 'Enter');
    });
  }
  for (const [id, choice] of [['distribution', 'sphere'], ['distribution', 'gaussian'], ['distribution', 'ball'], ['mask', 'causal'], ['attention', 'l2'],
    ['normalization', 'layer'], ['normalization', 'rms'], ['scope', 'composed']]) {
    await moves(`the choice ${id} = ${choice}`, () => page.selectOption(`#${id}`, choice));
  }
  await moves('redraw tokens', () => page.click('#token-seed-redraw'));
  await moves('redraw weights', () => page.click('#weight-seed-redraw'));
  await reveal(page, '#output');
  await moves('the output matrix', () => page.selectOption('#output', 'drawn'));
  await moves('eps', async () => {
    await page.fill('#eps-number', '0.5');
    await page.press('#eps-number', 'Enter');
  });
  // L2 has no published bound here: none is shown.
  assert.equal(await digits(page, 'bound-castin_general'), '');
  await moves('identity weights', () => page.selectOption('#weights', 'identity-plus'));
  await moves('adversarial tokens', () => page.selectOption('#distribution', 'adversarial'));
  assert.ok(await page.locator('#d').count() === 0 && await page.locator('#d-away').isVisible(), 'd is the weights\' under adversarial tokens');
  await show(page, 'growth');
  for (const axis of ['n', 'log', 'sqrt']) await page.selectOption('#x-axis', axis);
  await page.fill('#sweep-max-number', '64');
  await page.press('#sweep-max-number', 'Enter');
  await page.selectOption('#distribution', 'ball');
  await page.fill('#draws-number', '3');
  await page.press('#draws-number', 'Enter');
  await swept(page);
});

pageTest('what the page shows is what the command line measures', { timeout: 240_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  const settings = [
    async () => {},
    () => page.selectOption('#weights', 'random'),
    () => page.selectOption('#mask', 'causal'),
    () => page.selectOption('#normalization', 'layer'),
    () => page.selectOption('#scope', 'composed'),
    () => page.selectOption('#attention', 'l2'),
    async () => {
      await page.fill('#n-number', '200');
      await page.press('#n-number', 'Enter');
    },
  ];
  for (const set of settings) {
    const before = await digits(page, 'spectral');
    await set();
    if (set !== settings[0]) await changed(page, 'spectral', before);
    const { status, lines, stderr } = await measureOnCommandLine(await exported(page));
    assert.equal(status, 0, stderr);
    const [expected] = lines;
    for (const key of ['spectral', 'frobenius', 'linf', 'l1']) {
      const text = await digits(page, key);
      if (expected[key] === null) assert.equal(text, '', key);
      else assert.ok(Math.abs(Number(text) / expected[key] - 1) < 1e-6, `${key}: page ${text}, command line ${expected[key]}`);
    }
    // Bounds on another norm are shown with that norm.
    for (const bound of expected.bounds.filter(({ norm }) => norm === 'spectral')) {
      const shown = await value(page, `bound-${bound.id}`);
      assert.ok(Math.abs(shown / bound.value - 1) < 1e-6, `${bound.id}: page ${shown}, command line ${bound.value}`);
    }
    const measurement = await exported(page, '#export-measurement');
    assert.ok(Math.abs(measurement.spectral / expected.spectral - 1) < 1e-9);
    assert.equal(measurement.method, expected.method);
  }
});

/** A NumPy file, written by hand as its format says. */
function npy(rows) {
  const [n, d] = [rows.length, rows[0].length];
  let header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${n}, ${d}), }`;
  header += ' '.repeat((64 - ((10 + header.length + 1) % 64)) % 64) + '\n';
  const head = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length & 255, header.length >> 8]);
  return Buffer.concat([head, Buffer.from(header), Buffer.from(Float64Array.from(rows.flat()).buffer)]);
}

pageTest('a .npy file is read', async ({ page }) => {
  await changed(page, 'spectral');
  await page.selectOption('#weights', 'identity-minus');
  const before = await digits(page, 'spectral');
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-'));
  const file = join(folder, 'tokens.npy');
  writeFileSync(file, npy([[-2, 0], [2, 0], [1.5, 0.5], [1, -1]]));
  await reveal(page, '#own-file');
  await page.setInputFiles('#own-file', file);
  await changed(page, 'spectral', before);
  assert.equal(await page.getByTestId('n').first().innerText(), '4');
  assert.equal(await page.getByTestId('d').first().innerText(), '2');
  const { lines } = await measureOnCommandLine(await exported(page));
  assert.ok(Math.abs((await value(page, 'spectral')) / lines[0].spectral - 1) < 1e-9);
});

pageTest('whatever is wrong is answered with a sentence, and the last good state stays', { timeout: 240_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  await swept(page);
  const good = await digits(page, 'spectral');
  const problem = page.getByTestId('own-problem');
  const weights = '"weights":{"source":"identity","sign":-1}';
  for (const [text, part] of [
    ['1,2\n3', 'Row 2'],
    ['1,2\n3,x', 'Row 2, column 2'],
    ['1,2\nNaN,4', 'Row 2, column 1'],
    ['1,inf\n3,4', 'Row 1, column 2'],
    ['', 'empty'],
    ['5', 'one token'],
    ['1,2,3', 'own line'],
    ['[[1,2],[3]]', 'Row 2'],
    [`{"tokens":{"source":"random","radios":1},${weights}}`, 'tokens.radios'],
    [`{"tokens":{"source":"random","n":900000,"d":90},${weights}}`, 'n times d'],
    [`{"tokens":{"source":"explicit","rows":[[1],[2]]},"weights":{"source":"explicit","heads":[{"q":[[1]],"k":[[1],[2]],"v":[[1]]}]}}`, 'weights.heads[0].k'],
    [`{"tokens":{"source":"explicit","rows":[[-1e200],[1e200]]},${weights}}`, 'smaller'],
    ['{"tokens":', 'JSON'],
  ]) {
    await paste(page, text);
    await page.waitForFunction(
      (part) => [...document.querySelectorAll('[role=alert]:not([hidden])')].some((alert) => alert.textContent.includes(part)),
      part, { timeout: 10_000 },
    ).catch(async () => assert.fail(`${JSON.stringify(text)} should be answered with "${part}", not "${await problem.textContent()}"`));
    assert.equal(await digits(page, 'spectral'), good, text);
    assert.match(await page.getByTestId('own-note').textContent(), /^The picture and the numbers are still those of: n = /, text);
    assert.ok(!(await problem.textContent()).includes('`'), text);
  }
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-'));
  const junk = join(folder, 'junk.csv');
  writeFileSync(junk, Buffer.from(Array.from({ length: 10_000_000 }, (_, i) => (i * 2654435761) >>> 24)));
  await page.setInputFiles('#own-file', junk);
  await page.waitForFunction(() => document.querySelector('[data-testid=own-problem]').textContent.includes('junk.csv'));
  assert.equal(await digits(page, 'spectral'), good);
  // The last of them were valid tokens that cannot be measured; with a distribution every box is open again.
  await page.selectOption('#distribution', 'ball');
  const ball = await changed(page, 'spectral', good);
  for (const [id, text] of [['n', 'many'], ['n', '1e9'], ['d', '-3'], ['radius', '0'], ['draws', '1.5']]) {
    await page.fill(`#${id}-number`, text);
    await page.press(`#${id}-number`, 'Enter');
    await page.waitForSelector(`[data-testid="${id}-problem"]:not([hidden])`);
    await page.press(`#${id}-number`, 'Escape');
  }
  // The page still works.
  await page.fill('#n-number', '33');
  await page.press('#n-number', 'Enter');
  await changed(page, 'spectral', String(ball));
});

pageTest('what would not fit the memory is refused with the size to lower, and the page goes on', async ({ page }) => {
  await changed(page, 'spectral');
  await drawEverything(page);
  for (const [field, value] of [['d', '8'], ['heads', '16'], ['head-dim', '128'], ['n', '4096']]) {
    await page.fill(`#${field}-number`, value);
    await page.press(`#${field}-number`, 'Enter');
  }
  await page.waitForFunction(() => /would take 3\.\d+ GiB of memory, over the limit of 1 GiB: lower the number of tokens n to at most \d+/.test(document.body.innerText));
  // Nothing is on its way: the page says so neither in words nor to a screen reader.
  await page.waitForSelector('.numbers[aria-busy=false]');
  assert.equal(await page.locator('.numbers[aria-busy=true], .sentence[aria-busy=true]').count(), 0);
  const before = await digits(page, 'spectral');
  await page.fill('#n-number', '24');
  await page.press('#n-number', 'Enter');
  await changed(page, 'spectral', before);
  assert.equal((await page.getByTestId('n').first().innerText()).trim(), '24');
});

pageTest('a huge configuration is overtaken by a small one at once', { timeout: 240_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  await drawEverything(page);
  await page.fill('#n-number', '4096');
  await page.press('#n-number', 'Enter');
  await page.fill('#d-number', '64');
  await page.press('#d-number', 'Enter');
  await page.waitForTimeout(400);
  const before = await digits(page, 'spectral');
  const began = Date.now();
  await page.fill('#d-number', '8');
  await page.press('#d-number', 'Enter');
  await page.fill('#n-number', '16');
  await page.press('#n-number', 'Enter');
  await changed(page, 'spectral', before);
  await page.waitForFunction(() => document.querySelector('[data-testid=n]').textContent.trim() === '16');
  // The earlier measurement, at n = 4096, would take longer than this on any machine here. The limit is generous,
  // because this is no benchmark.
  assert.ok(Date.now() - began < 10_000);
});

test('a worker that dies is restarted, and the page says so', async () => {
  const { context, page, problems, close } = await openPage({ started: false });
  try {
    await context.addInitScript(() => {
      const Native = window.Worker;
      window.__workers = [];
      window.Worker = class extends Native {
        constructor(...given) {
          super(...given);
          window.__workers.push(this);
        }
      };
    });
    await page.reload();
    await page.click('#more-controls');
    await changed(page, 'spectral');
    await swept(page);
    // What a browser does to a worker that runs out of memory.
    const die = () => page.evaluate(() => window.__workers.forEach((worker) => {
      worker.terminate();
      worker.dispatchEvent(new ErrorEvent('error', { message: 'out of memory', cancelable: true }));
    }));
    // The death of workers that have nothing to do changes nothing.
    await die();
    await drawEverything(page);
    // In the middle of a long measurement: the page says what happened, and goes on.
    for (const [field, value] of [['#d-number', '32'], ['#n-number', '3000']]) {
      await page.fill(field, value);
      await page.press(field, 'Enter');
    }
    await page.waitForTimeout(400);
    // The workers that take over die as well, so that the measurement is given up: one dead worker would not be enough
    // for that.
    await die();
    await page.waitForFunction(() => /stopped the worker twice|restarted/.test(document.querySelector('[data-testid=status]').textContent));
    await page.fill('#n-number', '12');
    await page.press('#n-number', 'Enter');
    await page.waitForFunction(() => document.querySelector('[data-testid=n]').textContent.trim() === '12');
    assert.deepEqual(await problems(), []);
  } finally {
    await close();
  }
});

for (const [name, viewport] of [['desktop', undefined], ['phone', PHONE]]) {
  pageTest(`axe-core finds no serious fault (${name})`, { viewport }, async ({ page }) => {
    await changed(page, 'spectral');
    await swept(page);
    assert.deepEqual(await inBothSchemes(page, seriousFaults), []);
  });
}

pageTest('360 px are enough', { viewport: { width: 360, height: 740 } }, async ({ page }) => {
  await changed(page, 'spectral');
  const { scroll, client } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth }));
  assert.ok(scroll <= client, `${scroll} > ${client}`);
});

test('a link gives its experiment back, and half a link a sentence', async () => {
  const experiment = { version: 1, mask: 'causal', tokens: { source: 'explicit', rows: [[-1], [1], [1]] }, weights: { source: 'identity', sign: -1 } };
  const link = `#v3&experiment=${deflateSync(JSON.stringify(experiment)).toString('base64url')}`;
  const whole = await openPage({ hash: link });
  try {
    await changed(whole.page, 'spectral');
    await whole.page.waitForFunction(() => document.querySelector('[data-testid=n]').textContent.trim() === '3');
    const { lines } = await measureOnCommandLine(experiment);
    assert.ok(Math.abs((await value(whole.page, 'spectral')) / lines[0].spectral - 1) < 1e-9);
    assert.deepEqual(await whole.problems(), []);
  } finally {
    await whole.close();
  }
  const half = await openPage({ hash: link.slice(0, link.length / 2) });
  try {
    await half.page.waitForFunction(() => [...document.querySelectorAll('[role=alert]:not([hidden])')].some((a) => a.textContent.includes('link')));
    assert.ok((await changed(half.page, 'spectral')) > 0);
    assert.deepEqual(await half.problems(), []);
  } finally {
    await half.close();
  }
});
