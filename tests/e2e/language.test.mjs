// The page in Chinese, the choice of a language, and a layout from right to left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adversarial, openPage, pageTest, PHONE, seriousFaults, waitForStart } from './browser.mjs';
import { changed, digits, openMenu, paste } from './reading.mjs';

/** Names, keys and words of formulas, which are the same in every language. */
const NAMES = new Set([
  'MATLAB', 'Julia', 'pandas', 'Ablin', 'Alt', 'BibTeX', 'Castin', 'csv', 'CSV', 'Delete', 'End', 'English', 'Enter', 'Epsilon', 'Esc', 'Home', 'json', 'JSON', 'Kim', 'Lanczos', 'exp',
  'Language', 'LayerNorm', 'Lipscope', 'Lipschitz', 'log', 'MHA', 'Mnih', 'npy', 'NumPy', 'Page', 'Papamakarios', 'Peyr', 'PNG', 'PyTorch', 'RMSNorm',
  'Shift', 'softmax', 'SVD', 'SVG', 'tsv',
  // Models and steps of attention.
  'GPT', 'BERT', 'Llama', 'Mistral', 'Gemma', 'Qwen', 'gpt', 'oss', 'NeoX', 'BLOOM', 'MPT', 'Swin', 'ViT', 'off', 'one', 'elu', 'sigmoid', 'softplus', 'ReLU', 'RMS', 'RoPE', 'ALiBi',
  // Tools for figures.
  'Matplotlib', 'pgfplots', 'Vega', 'Lite',
]);

const options = (page, id) => page.$$eval(`#${id} option`, (found) => found.map((option) => option.value));

/** The texts of buttons, labels, headings and options, with their accessible names. */
const said = (page) => page.$$eval('button, label, summary, legend, th, option, h1, h2, h3, h4', (found) => found.map((element) => {
  const copy = element.cloneNode(true);
  copy.querySelectorAll('math, select, [lang="en"]').forEach((other) => other.remove());
  return `${element.getAttribute('aria-label') ?? ''} ${element.tagName === 'OPTION' && element.lang === 'en' ? '' : copy.textContent}`;
}));

pageTest('in Chinese the page is in Chinese, and its numbers are the same', { hash: `?lang=zh${adversarial()}` }, async ({ page }) => {
  assert.equal(await page.getAttribute('html', 'lang'), 'zh-Hans');
  assert.equal(await page.getAttribute('html', 'dir'), 'ltr');
  const measured = await changed(page, 'spectral').then(() => digits(page, 'spectral'));
  const texts = await said(page);
  for (const word of ['掩码', '核', '归一化', '课程', '上下界']) assert.ok(texts.some((text) => text.includes(word)), word);
  const foreign = texts.flatMap((text) => text.match(/[A-Za-z]{3,}/g) ?? []).filter((word) => !NAMES.has(word));
  assert.deepEqual([...new Set(foreign)], []);
  assert.deepEqual(await seriousFaults(page), []);

  const english = await openPage();
  try {
    assert.equal(await english.page.getAttribute('html', 'lang'), 'en');
    await changed(english.page, 'spectral');
    assert.equal(await digits(english.page, 'spectral'), measured);
    for (const id of ['attention', 'mask', 'normalization']) {
      assert.deepEqual(await options(page, id), await options(english.page, id), id);
      const value = await page.inputValue(`#${id}`);
      assert.equal(value, await english.page.inputValue(`#${id}`), id);
      assert.notEqual(value, '', `${id} is blank`);
    }
  } finally {
    await english.close();
  }
});

const CHINESE = /\/chinese-[0-9a-f]+\.wasm$/;

pageTest('a page in English does without the texts in Chinese', { hash: '' }, async ({ page, requests }) => {
  await changed(page, 'explore-norm');
  await page.waitForFunction(() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/later-')));
  assert.ok(!requests().some((address) => CHINESE.test(address)));
});

test('where the texts in Chinese are lost, the page is in English and says so', async () => {
  const { page, context, url, close } = await openPage({ started: false });
  try {
    await context.route(CHINESE, (route) => route.abort());
    await page.goto(`${url}?lang=zh#v3&n=32`);
    await waitForStart(page);
    await changed(page, 'explore-norm');
    assert.equal(await page.getAttribute('html', 'lang'), 'en');
    assert.match(await page.locator('[data-testid=status]').innerText(), /Chinese texts did not load/);
    await context.unroute(CHINESE);
    // The address names the language already: choosing it loads the page again all the same.
    await openMenu(page);
    await page.selectOption('#language', 'zh-Hans');
    await page.waitForSelector('html[lang=zh-Hans]');
  } finally {
    await close();
  }
});

pageTest('in Chinese no blank parts two sentences', { hash: '?lang=zh#v3&n=32' }, async ({ page }) => {
  await page.waitForFunction(() => document.querySelector('[data-testid=sentence]')?.ariaBusy === 'false' && /不超过/.test(document.querySelector('.limits').textContent));
  const said = (await page.locator('.sentence > p').allTextContents()).join('');
  assert.match(said, /。.+。.+。$/);
  assert.doesNotMatch(said, /。\s/);
});

/** Waits until the problem at the place `id` contains `part`, and returns it. */
async function problem(page, id, part) {
  await page.waitForFunction(([id, part]) => {
    const shown = document.querySelector(`[data-testid="${id}-problem"]:not([hidden])`);
    return shown?.textContent.includes(part);
  }, [id, part], { timeout: 10_000 }).catch(async () => {
    assert.fail(`"${part}" should stand at ${id}, not "${await page.getByTestId(`${id}-problem`).textContent()}"`);
  });
  return page.getByTestId(`${id}-problem`).textContent();
}

pageTest('in Chinese the engine says in Chinese what is wrong', { hash: `?lang=zh${adversarial()}`, timeout: 120_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  const weights = '"weights":{"source":"identity","sign":-1}';
  for (const [text, part] of [
    ['1,2\n3,x', '词元第 2 行第 2 列为 "x"，不是有限的数。'],
    ['1,2,3', '请每行放一个词元。'],
    ['{"tokens":', '这不是有效的 JSON（第 1 行第 10 列：'],
    [`{"tokens":{"source":"random","radios":1},${weights}}`, '没有键 “tokens.radios”。'],
    [`{"mask":"casual","tokens":{"source":"random"},${weights}}`, '“mask” 为 "casual"，但必须为 "none" 或 "causal"，或形如 {"kind":"window","width":4} 的对象。'],
    [`{"tokens":{"source":"explicit","rows":[[-1e200],[1e200]]},${weights}}`, '超出 64 位浮点数的范围。'],
  ]) {
    await paste(page, text);
    const said = await problem(page, 'own', part);
    const foreign = said.replace(/“[^”]*”|"[^"]*"/g, '').match(/[A-Za-z]{3,}/g) ?? [];
    assert.deepEqual(foreign.filter((word) => !NAMES.has(word)), [], said);
  }
  await page.evaluate((hash) => { location.hash = hash; }, adversarial('n=99&tokens=ball&mask=diagonal&foo=1'));
  const said = await problem(page, 'link', '“mask”必须是 none 或 causal，而不是“diagonal”。');
  assert.match(said, /“foo”不是此页的字段。/);
  assert.doesNotMatch(said, /。 /);
});

pageTest('another language shows the same scene, and is remembered', { hash: adversarial('n=64&mask=causal') }, async ({ page, url }) => {
  await changed(page, 'spectral');
  const before = await digits(page, 'spectral');
  await openMenu(page);
  await page.selectOption('#language', 'zh-Hans');
  await page.waitForFunction(() => document.documentElement.lang === 'zh-Hans' && document.querySelector('#quick-mask-causal'));
  const address = new URL(page.url());
  assert.match(address.search, /lang=zh-Hans/);
  assert.match(address.hash, /n=64/);
  await page.waitForSelector('#quick-mask-causal[aria-pressed=true]');
  await changed(page, 'spectral');
  assert.equal(await digits(page, 'spectral'), before);

  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.lang === 'zh-Hans');
  await openMenu(page);
  await page.selectOption('#language', 'en');
  await page.waitForFunction(() => document.documentElement.lang === 'en' && document.querySelector('#quick-mask-causal'));
});

for (const [where, viewport] of [['on a desktop', undefined], ['on a phone', PHONE]]) {
  pageTest(`from right to left nothing runs out ${where}`, { hash: `?lang=en-XB${adversarial()}`, viewport }, async ({ page }) => {
    assert.equal(await page.getAttribute('html', 'dir'), 'rtl');
    await changed(page, 'spectral');
    const [scroll, client, left] = await page.evaluate(() => {
      const root = document.documentElement;
      const ends = [...document.querySelectorAll('main, header, aside')].map((part) => part.getBoundingClientRect().left);
      return [root.scrollWidth, root.clientWidth, Math.min(...ends)];
    });
    assert.ok(scroll <= client, `${scroll} wide in a window of ${client}`);
    assert.ok(left >= -1, `a part begins at ${left}`);
    const directions = await page.$$eval('canvas, math, [data-testid="spectral"]', (found) => found.map((element) => getComputedStyle(element).direction));
    assert.ok(directions.length > 1);
    assert.deepEqual([...new Set(directions)], ['ltr']);
  });
}
