// The page in Chinese, the choice of a language, and a layout from right to left.
import assert from 'node:assert/strict';
import { openPage, pageTest, PHONE, seriousFaults } from './browser.mjs';
import { changed, digits } from './reading.mjs';

/** Names, keys and words of formulas, which are the same in every language. */
const NAMES = new Set([
  'Ablin', 'Alt', 'BibTeX', 'Castin', 'csv', 'CSV', 'Delete', 'End', 'English', 'Enter', 'Epsilon', 'Esc', 'Home', 'json', 'JSON', 'Kim', 'Lanczos',
  'Language', 'LayerNorm', 'Lipscope', 'Lipschitz', 'log', 'MHA', 'Mnih', 'npy', 'NumPy', 'Page', 'Papamakarios', 'Peyr', 'PNG', 'PyTorch', 'RMSNorm',
  'Shift', 'softmax', 'SVD', 'SVG', 'tsv',
]);

const options = (page, id) => page.$$eval(`#${id} option`, (found) => found.map((option) => option.value));

/** What buttons, labels, headings and options say, and are called. */
const said = (page) => page.$$eval('button, label, summary, legend, th, option, h1, h2, h3, h4', (found) => found.map((element) => {
  const copy = element.cloneNode(true);
  copy.querySelectorAll('math, select, [lang="en"]').forEach((other) => other.remove());
  return `${element.getAttribute('aria-label') ?? ''} ${element.tagName === 'OPTION' && element.lang === 'en' ? '' : copy.textContent}`;
}));

pageTest('in Chinese the page is in Chinese, and its numbers are the same', { hash: '?lang=zh' }, async ({ page }) => {
  assert.equal(await page.getAttribute('html', 'lang'), 'zh-Hans');
  assert.equal(await page.getAttribute('html', 'dir'), 'ltr');
  const measured = await changed(page, 'spectral').then(() => digits(page, 'spectral'));
  const texts = await said(page);
  for (const word of ['掩码', '核', '归一化', '课程', '界的阶梯']) assert.ok(texts.some((text) => text.includes(word)), word);
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

pageTest('another language shows the same scene, and is remembered', { hash: '#v2&n=64&mask=causal' }, async ({ page, url }) => {
  await changed(page, 'spectral');
  const before = await digits(page, 'spectral');
  await page.selectOption('#language', 'zh-Hans');
  await page.waitForFunction(() => document.documentElement.lang === 'zh-Hans' && document.querySelector('#mask'));
  const address = new URL(page.url());
  assert.match(address.search, /lang=zh-Hans/);
  assert.match(address.hash, /n=64/);
  assert.equal(await page.inputValue('#mask'), 'causal');
  await changed(page, 'spectral');
  assert.equal(await digits(page, 'spectral'), before);

  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.lang === 'zh-Hans');
  await page.selectOption('#language', 'en');
  await page.waitForFunction(() => document.documentElement.lang === 'en' && document.querySelector('#mask'));
});

for (const [where, viewport] of [['on a desktop', undefined], ['on a phone', PHONE]]) {
  pageTest(`from right to left nothing runs out ${where}`, { hash: '?lang=en-XB', viewport }, async ({ page }) => {
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
