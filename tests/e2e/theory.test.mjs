// The theory as a page of the site: from a bound to its statement, and the page itself.
import assert from 'node:assert/strict';
import { inBothSchemes, pageTest, PHONE, seriousFaults, waitForStart } from './browser.mjs';
import { changed, show } from './reading.mjs';

/** Follows a link that opens a page beside this one; returns the page, with what went wrong on it. */
async function follow({ context }, link) {
  const wrong = [];
  const arrives = context.waitForEvent('page');
  await link.click();
  const there = await arrives;
  there.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  await there.waitForLoadState();
  wrong.push(...await there.evaluate(() => window.__watched.violations));
  return { there, wrong };
}

/** Checks that a page of the theory shows this heading at the top of its window. */
async function showsStatement({ there, wrong }, anchor) {
  assert.equal(new URL(there.url()).hash, `#${anchor}`);
  const heading = there.locator(`[id="${anchor}"]`);
  const { top, height } = await heading.evaluate((heading) => ({ top: heading.getBoundingClientRect().top, height: innerHeight }));
  assert.ok(top >= 0 && top < height / 4, `the heading is at ${top} of ${height}`);
  assert.ok(await there.locator(`[id="${anchor}"] ~ p math`).first().isVisible(), 'no formula follows the heading');
  assert.deepEqual(wrong, []);
  await there.close();
}

const sidewards = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

pageTest('a reader of the opening view comes to the statement of its best bound', { hash: '' }, async (opened) => {
  const { page, requests } = opened;
  await changed(page, 'spectral');
  await page.waitForFunction(() => document.querySelector('.explore-foot a')?.hash === '#sharp');
  assert.ok(!requests().some((address) => /theory|document\.css/.test(address)), 'nothing of it is loaded before');
  const before = page.url();
  await showsStatement(await follow(opened, page.locator('.explore-foot a')), 'sharp');
  assert.equal(page.url(), before);
  // The fold that says why the question matters links to the whole theory.
  await page.click('#why > summary');
  assert.equal(await page.locator('#why a').getAttribute('href'), 'docs/theory.html');
});

pageTest('with the mask the opening view leads to the bound for it', { hash: '#v3&mask=causal' }, async ({ page }) => {
  await page.waitForFunction(() => document.querySelector('.explore-foot a')?.hash === '#sharp_masked');
});

pageTest('every bound of Growth leads to its statement', { hash: '#v3&plot=growth', timeout: 240_000 }, async (opened) => {
  const { page } = opened;
  await page.waitForFunction(() => document.querySelector('#growth-gap a')?.hash === '#sharp');
  assert.equal(await page.locator('.growth-list > .note a').getAttribute('href'), 'docs/theory.html');
  const anchors = [];
  for (const more of await page.locator('.trace:not([hidden]) .trace-more').all()) {
    await more.click();
    const link = page.locator(`[id="${await more.getAttribute('aria-controls')}"] a`);
    if (await link.count()) anchors.push(new URL(await link.evaluate((link) => link.href)).hash.slice(1));
  }
  for (const bound of ['sharp', 'unified', 'castin_general', 'castin_mean_field', 'two_clusters', 'sink', 'fork']) {
    assert.ok(anchors.includes(bound), `${bound} is not among ${anchors}`);
  }
  await showsStatement(await follow(opened, page.locator('#trace-about-unified a')), 'unified');
});

pageTest('the source of a step in a lesson, and the answer to an impossible goal, lead to the theory', { hash: '#v3&lesson=lipschitz.2' }, async (opened) => {
  const { page } = opened;
  const source = page.locator('.lesson-source a[href^="docs/theory.html#"]');
  const anchor = (await source.first().getAttribute('href')).split('#')[1];
  await showsStatement(await follow(opened, source.first()), anchor);
  const goal = page.locator('[data-goal="ten"]');
  await goal.locator('.goal-impossible').click();
  assert.equal(await goal.locator('.note a').getAttribute('href'), 'docs/theory.html#sharp');
});

pageTest('in Chinese the link says that the theory is in English', { hash: '?lang=zh#v3' }, async ({ page }) => {
  await page.waitForFunction(() => document.querySelector('.explore-foot a'));
  assert.match(await page.locator('.explore-foot a').innerText(), /英文/);
});

for (const viewport of [{ width: 1440, height: 900 }, PHONE, { width: 360, height: 640 }]) {
  pageTest(`the theory is readable at ${viewport.width} pixels, in light and in dark`, { viewport, started: false }, async ({ page, url }) => {
    await page.goto(`${url}docs/theory.html`);
    assert.equal(await page.getAttribute('html', 'lang'), 'en');
    assert.ok(await page.locator('math').count() > 1000);
    assert.equal(await sidewards(page), 0);
    // A phone has the elements and colours of the narrowest window.
    assert.deepEqual(viewport.width === 390 ? [] : await inBothSchemes(page, seriousFaults), []);
    const lightPaper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), lightPaper);
    await page.emulateMedia({ colorScheme: 'light', media: 'print' });
    for (const nav of await page.locator('nav').all()) assert.ok(!await nav.isVisible());
    await page.emulateMedia({ media: 'screen' });
    // From the contents, which a narrow window folds, to a section, over the skip link to the text, and back to the explorer.
    const fold = page.locator('.contents > summary');
    assert.equal(await fold.isVisible(), viewport.width < 1024);
    if (viewport.width < 1024) await fold.click();
    await page.click('nav a[href="#kim_l2"]');
    assert.ok(await page.locator('#kim_l2').evaluate((heading) => heading.getBoundingClientRect().top < innerHeight / 4));
    await page.evaluate(() => scrollTo(0, 0));
    await page.focus('.skip');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'document-text');
    await page.click('header a');
    await waitForStart(page);
  });
}

pageTest('the help of the explorer leads to the documents, and these to each other, one after another', { hash: '' }, async (opened) => {
  await changed(opened.page, 'spectral');
  await opened.page.keyboard.press('?');
  const { there, wrong } = await follow(opened, opened.page.locator('#keys a.documents'));
  const titles = [];
  for (;;) {
    const list = there.locator('nav[aria-label="Documents"] a');
    assert.equal(await list.and(there.locator('[aria-current="page"]')).count(), 1);
    assert.equal(await sidewards(there), 0);
    titles.push(await there.locator('h1').innerText());
    const next = there.locator('a[rel="next"]');
    if (!await next.count()) {
      assert.deepEqual(titles, await list.allInnerTexts());
      break;
    }
    await next.click();
    await there.waitForLoadState();
  }
  wrong.push(...await there.evaluate(() => window.__watched.violations));
  assert.deepEqual(wrong, []);
  assert.ok(titles.length > 12);
  // The new pages, as readers with other needs meet them.
  for (const name of ['index', 'tutorial', 'experiment']) {
    await there.goto(new URL(`${name}.html`, there.url()).href);
    assert.deepEqual(await inBothSchemes(there, seriousFaults), [], name);
  }
  await there.close();
});

pageTest('every link of the explorer to a file of the site leads to one', { hash: '' }, async ({ page, url }) => {
  await changed(page, 'spectral');
  const found = new Set();
  for (const tab of ['growth', 'certify', 'gap', 'scaled', 'tightness', 'inverse']) {
    await show(page, tab);
    for (const link of await page.locator('a[href]').all()) found.add(await link.evaluate((link) => link.href));
  }
  const inside = [...found].filter((address) => address.startsWith(url));
  assert.ok(inside.some((address) => address.includes('docs/theory.html')), [...found].join(' '));
  for (const address of inside) {
    const { status, type, text } = await page.evaluate(async (address) => {
      const answer = await fetch(address);
      return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
    }, address);
    assert.equal(status, 200, address);
    const { hash } = new URL(address);
    if (hash && address.includes('.html')) assert.ok(type.includes('html') && text.includes(`id="${hash.slice(1)}"`), address);
  }
});
