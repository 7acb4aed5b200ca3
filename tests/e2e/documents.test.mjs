// The search of the documents: which section it finds for the queries of readers, and its box, by keyboard and pointer.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DIST, inBothSchemes, launch, pageTest, seriousFaults, serveSite } from './browser.mjs';

// As a module from an address: before version 20.19, Node does not take a file .js for a module.
const ranking = encodeURIComponent(readFileSync(`${DIST}/docs/ranking.js`, 'utf8'));
const { find, makeIndex, marked, snippet } = await import(`data:text/javascript,${ranking}`);

const places = ({ sections }) => sections.map(({ page, anchor }) => `${page}#${anchor}`);

/** Queries of readers, each with the sections of which one must be among the first three. */
const QUERIES = {
  'what is a mean-field bound': ['glossary#mean-field', 'theory#castin_mean_field'],
  install: ['index#install'],
  'how do I install it?': ['index#install'],
  'constant above 1': ['tutorial#a-constant-above-1'],
  'why is my constant larger than 1': ['tutorial#a-constant-above-1'],
  'jacrev out of memory': ['python#where-jacrev-runs-out-of-memory'],
  'power iteration gives another value': ['numerics#where-power-iteration-gives-another-value'],
  castin_general: ['theory#castin_general'],
  'exit status': ['command_line#exit-statuses'],
  'how to cite': ['cite#how-to-cite'],
  'soft cap': ['glossary#soft-cap'],
  masks: ['experiment#masks'],
  Cesaro: ['theory#cesaro', 'numerics#the-norm-of-the-cesàro-matrix'],
};

test('readers find the section that answers them among the first three', () => {
  const index = makeIndex(JSON.parse(readFileSync(`${DIST}/docs/search.json`, 'utf8')));
  for (const [query, answers] of Object.entries(QUERIES)) {
    const first = places(find(index, query)).slice(0, 3);
    assert.ok(first.some((place) => answers.includes(place)), `${query}: ${first}`);
  }
});

test('headings count more than texts, rare words more than frequent ones, and beginnings of words are enough', () => {
  const section = (anchor, heading, text) => ({ page: 'p', title: 'Page', heading, anchor, text });
  const index = makeIndex([
    section('a', 'Tokens', 'Each token has a norm. A norm is a number.'),
    section('b', 'Norms', 'The largest one of all tokens.'),
    section('c', 'Causal masks', 'Tokens before it, as Peyré says, without a norm.'),
    section('d', 'Sinks', 'A token that draws all others. It has a norm.'),
  ]);
  const found = (query) => places(find(index, query)).map((place) => place.slice(2));
  assert.equal(found('norm')[0], 'b');
  assert.equal(found('what is the norm of it?')[0], 'b', 'words of questions');
  assert.equal(found('token sink')[0], 'd', 'the rare word');
  assert.deepEqual(found('caus'), ['c']);
  assert.deepEqual(found('PEYRE'), ['c']);
  assert.deepEqual(found('window'), []);
  assert.deepEqual(found('causal xyzxyz'), ['c'], 'a word that no section has is left out');
  assert.deepEqual(found(' ?! '), []);
  assert.deepEqual(found('Cite'), []);
});

test('a snippet shows the matches, whole words, and where it was cut', () => {
  const isMatch = (word) => ['norm', 'mask'].includes(word);
  const text = `${'before '.repeat(40)}the norm under a mask ${'after '.repeat(40)}`.trim();
  const cut = snippet(text, isMatch);
  assert.match(cut, /^… before .*the norm under a mask after .*after …$/);
  assert.ok(cut.length <= 164, cut);
  assert.equal(snippet('A short text.', isMatch), 'A short text.');
  assert.deepEqual(marked('A Norm, a mask', isMatch), [
    { text: 'A ', isMarked: false }, { text: 'Norm', isMarked: true }, { text: ', a ', isMarked: false }, { text: 'mask', isMarked: true },
  ]);
});

const box = (page) => page.getByRole('combobox', { name: 'Search the documents' });
const options = (page) => page.getByRole('listbox').getByRole('option');
const status = (page) => page.locator('.search [role=status]');
/** The option that the box names as the active one. */
const active = (page) => box(page).evaluate((input) => document.getElementById(input.getAttribute('aria-activedescendant'))?.textContent);
const sidewards = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Types a query and waits for what is found. */
async function query(page, text) {
  await box(page).fill(text);
  await options(page).first().waitFor();
}

pageTest('the keyboard alone searches, chooses and opens a section', { started: false }, async ({ page, url, requests }) => {
  const isLoaded = () => requests().some((address) => address.endsWith('search.json'));
  await page.goto(`${url}docs/theory.html#sharp`);
  await box(page).waitFor();
  const before = await page.evaluate(() => scrollY);
  assert.ok(before > 0 && !isLoaded());
  await page.keyboard.press('/');
  assert.ok(await box(page).evaluate((input) => input === document.activeElement));
  assert.equal(await page.evaluate(() => scrollY), before, 'the text stays where it is');
  const { top, bottom } = await box(page).evaluate((input) => input.getBoundingClientRect().toJSON());
  assert.ok(top >= 0 && bottom < 200, `the box is at ${top}`);
  await page.keyboard.type('what is a mean-field bound');
  await options(page).first().waitFor();
  assert.ok(isLoaded());
  assert.match(await status(page).innerText(), /^(\d+ of )?\d+ results$/);
  assert.equal(await box(page).getAttribute('aria-expanded'), 'true');
  assert.deepEqual(await options(page).first().locator('mark').allInnerTexts().then((all) => all.slice(0, 2)), ['mean', 'field']);

  // Down to the second one, around both ends, and back.
  const texts = await options(page).allTextContents();
  assert.equal(await active(page), undefined);
  for (const [key, at] of [['ArrowDown', 0], ['ArrowDown', 1], ['ArrowUp', 0], ['ArrowUp', texts.length - 1], ['ArrowDown', 0]]) {
    await page.keyboard.press(key);
    assert.equal(await active(page), texts[at], key);
    assert.equal(await options(page).and(page.locator('[aria-selected=true]')).count(), 1);
  }

  // Escape closes the list, then leaves the box.
  await page.keyboard.press('Escape');
  assert.equal(await box(page).getAttribute('aria-expanded'), 'false');
  assert.equal(await options(page).count(), 0, 'the list is hidden');
  await page.keyboard.press('Escape');
  assert.equal(await box(page).inputValue(), '');
  assert.ok(await box(page).evaluate((input) => input !== document.activeElement));

  // Enter opens the chosen section, here on another page.
  await page.keyboard.press('/');
  await page.keyboard.type('exit statuses');
  await options(page).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}docs/command_line.html#exit-statuses`);
  assert.ok(await page.locator('#exit-statuses').evaluate((heading) => heading.getBoundingClientRect().top < innerHeight / 4));

  // A slash in the box is a letter. Without a choice, Enter opens the first section, here on the same page.
  await page.keyboard.press('/');
  await page.keyboard.type('man/pages');
  await options(page).first().waitFor();
  assert.equal(await box(page).inputValue(), 'man/pages');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}docs/command_line.html#version-man-pages-and-completions`);
  assert.ok(await box(page).evaluate((input) => input !== document.activeElement && input.getAttribute('aria-expanded') === 'false'));
});

pageTest('a query that no section answers says so, and a click elsewhere closes the list', { started: false }, async ({ page, url }) => {
  await page.goto(`${url}docs/index.html`);
  await query(page, 'install');
  await page.locator('h1').click();
  assert.equal(await options(page).count(), 0);
  assert.equal(await status(page).innerText(), '');
  await box(page).fill('zzzz');
  await page.waitForFunction(() => document.querySelector('.search [role=status]').textContent === 'No results');
  await query(page, 'install');
  await options(page).first().click();
  await page.waitForURL(/#install$/);
});

for (const width of [1440, 360]) {
  pageTest(`the results fit ${width} pixels, in light and in dark`, { viewport: { width, height: 640 }, started: false }, async ({ page, url }) => {
    await page.goto(`${url}docs/cite.html`);
    await query(page, 'power iteration gives another value');
    await page.keyboard.press('ArrowDown');
    assert.equal(await sidewards(page), 0);
    const { left, right, bottom } = await page.getByRole('listbox').evaluate((list) => list.getBoundingClientRect().toJSON());
    assert.ok(left >= 0 && right <= width && bottom <= 640, `from ${left} to ${right}, down to ${bottom}`);
    assert.deepEqual(await inBothSchemes(page, seriousFaults), []);
  });
}

pageTest('with forced colours the chosen section is seen to be', { context: { forcedColors: 'active', reducedMotion: 'reduce' }, started: false }, async ({ page, url }) => {
  await page.goto(`${url}docs/index.html`);
  await query(page, 'mask');
  await page.keyboard.press('ArrowDown');
  const outlines = await options(page).evaluateAll((all) => all.map((option) => getComputedStyle(option).outlineStyle));
  assert.ok(outlines.length > 2 && outlines[0] === 'solid' && outlines.slice(1).every((style) => style === 'none'), outlines.join(' '));
});

test('an index that does not load is named, and loads when the line is back; without JavaScript there is no box', async () => {
  const { url } = await serveSite();
  const browser = await launch();
  const context = await browser.newContext({ serviceWorkers: 'block' });
  const silent = await browser.newContext({ serviceWorkers: 'block', javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    await context.route('**/search.json', (route) => route.abort());
    await page.goto(`${url}docs/index.html`);
    await box(page).fill('install');
    await status(page).filter({ hasText: 'did not load' }).waitFor();
    await context.unroute('**/search.json');
    await query(page, 'installation');

    const still = await silent.newPage();
    await still.goto(`${url}docs/index.html`);
    assert.ok(await still.locator('h1').isVisible());
    assert.ok(!await still.locator('.search').isVisible());
  } finally {
    await context.close();
    await silent.close();
  }
});
