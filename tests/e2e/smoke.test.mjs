import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adversarial, launch, openPage, pageTest, PHONE, seriousFaults, serveSite } from './browser.mjs';

pageTest('the page starts, under a nested path and its own policy', async ({ page, requests, url }) => {
  assert.equal(await page.title(), 'Lipscope - how smooth is attention?');
  assert.equal(await page.locator('#app .shell').count(), 0, 'the page should replace the static shell');
  assert.ok(requests().some((address) => address.endsWith('_bg.wasm')));
  assert.ok(requests().every((address) => /^(data|blob):/.test(address) || address.startsWith(url)), 'every file lies under the nested path');
});

pageTest('the worker starts under the policy', async ({ page }) => {
  const worker = page.workers()[0] ?? await page.waitForEvent('worker', { timeout: 20_000 });
  assert.match(worker.url(), /worker_loader\.js/);
});

pageTest('on a phone the name of the plot that is shown is in sight', { viewport: PHONE, hash: adversarial('plot=spectrum') }, async ({ page }) => {
  const inSight = (id) => page.waitForFunction((id) => {
    const tab = document.getElementById(id);
    const [row, { left, right }] = [tab.parentElement.getBoundingClientRect(), tab.getBoundingClientRect()];
    return tab.getAttribute('aria-pressed') === 'true' && left > row.left - 1 && right < row.right + 1;
  }, id);
  await inSight('plot-spectrum');
  // Clicks by a script, because the pointer would scroll to the button.
  await page.evaluate(() => document.getElementById('plot-tokens').click());
  await inSight('plot-tokens');
});

pageTest('nothing is wider than a phone', { viewport: PHONE }, async ({ page }) => {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  assert.ok(scroll <= client, `the page is ${scroll} wide in a window of ${client}`);
});

pageTest('axe-core finds no serious fault', async ({ page }) => {
  assert.deepEqual(await seriousFaults(page), []);
});

pageTest('an inline script is refused', async (opened) => {
  await opened.page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.__ran = true';
    document.head.append(script);
  });
  assert.equal(await opened.page.evaluate(() => window.__ran), undefined);
  const problems = await opened.problems();
  assert.ok(problems.some((line) => line.startsWith('content security policy: script-src')), problems.join('\n'));
  // The problem was provoked; a fresh page must be free of problems.
  opened.forgetProblems();
  await opened.page.reload();
});

test('a page that cannot start says why', async () => {
  const { context, page, url, close } = await openPage({ started: false });
  try {
    await context.addInitScript(() => { WebAssembly.validate = () => false; });
    await page.goto(url);
    await page.waitForSelector('html[data-boot=failed]');
    assert.match(await page.getByRole('alert').textContent(), /SIMD.*Use Firefox/);
  } finally {
    await close();
  }
});

test('a lost part of the page is named', async () => {
  const { context, page, url, close } = await openPage({ started: false });
  try {
    await context.route('**/*_bg.wasm', (route) => route.abort());
    await page.goto(url);
    await page.waitForSelector('html[data-boot=failed]');
    assert.match(await page.getByRole('alert').textContent(), /did not load.*reload the page/);
  } finally {
    await close();
  }
});
