// What is loaded before the first picture and after it: benches/README.md, "What is loaded".
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adversarial, openPage, pageTest, waitForStart } from './browser.mjs';
import { changed, show, type } from './reading.mjs';

const LATER = /\/later-[0-9a-f]+\.wasm$/;
const WORKER = /\/worker[^/]*$/;
const REST = /\/worker_rest\.wasm$/;

const lost = (page) => page.locator('.later[role=alert]:visible').first();

// scripts/sizes.mjs checks the size of the first part, in the release build.
pageTest('the later part is asked for after the worker, and comes after the picture', { hash: '' }, async ({ page, requests }) => {
  await changed(page, 'explore-norm');
  await page.waitForFunction(() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/later-')));
  const asked = requests().filter((address) => address.startsWith('http'));
  const first = new Set(asked.slice(0, asked.findIndex((address) => WORKER.test(address))));
  assert.ok([...first].some((address) => /\/app-[0-9a-f]+_bg\.wasm$/.test(address)), `no module in ${[...first].join(', ')}`);
  assert.ok(![...first].some((address) => LATER.test(address)), 'the later part is asked for before the worker');
});

pageTest('a link that needs the later part has it before it is shown', { hash: adversarial('plot=spectrum') }, async ({ page, requests }) => {
  await page.waitForSelector('[data-testid=spectrum-lab]');
  assert.equal(await page.locator('.later').count(), 0);
  assert.ok(requests().some((address) => LATER.test(address)));
});

test('a later part that is lost is named, and can be tried again', async () => {
  const { page, context, url, close, forgetProblems, problems } = await openPage({ started: false });
  try {
    await context.route(LATER, (route) => route.abort());
    await page.goto(url);
    await waitForStart(page);
    await changed(page, 'explore-norm');
    await lost(page).waitFor();
    // The page tries by itself once, a moment after its first picture is whole.
    await page.waitForSelector('[data-testid=sentence][aria-busy=false]');
    await page.waitForTimeout(500);
    await show(page, 'lab');
    await page.locator('.plot .later[role=alert]:visible').waitFor();
    assert.match(await lost(page).innerText(), /did not load\. Check the connection/);
    await context.unroute(LATER);
    forgetProblems();
    await page.locator('.plot .later[role=alert]:visible button').click();
    await page.waitForSelector('[data-testid=gallery]');
    await show(page, 'growth');
    await page.waitForSelector('[data-testid=slack-worked]');
    assert.equal(await page.locator('.later:visible').count(), 0);
    assert.deepEqual(await problems(), []);
  } finally {
    await close();
  }
});

test('a slider that is moved before the engine has come waits for nothing but the engine', async () => {
  const { page, context, url, close, problems } = await openPage({ started: false });
  try {
    const held = [];
    let isHeld = true;
    await context.route(/\/worker_bg\.wasm$/, (route) => (isHeld ? held.push(route) : route.continue()));
    await page.goto(url);
    await page.locator('#opening [lang=en] [data-of=quick-radius]').evaluate((slider) => {
      slider.value = Number(slider.value) + 20;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await page.waitForFunction(() => !document.getElementById('opening'));
    // The address follows when the controls have rested, and needs the later part.
    await page.waitForTimeout(600);
    // What the page itself has asked for: the service worker keeps files at a time of its own.
    const asked = await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.name));
    assert.ok(!asked.some((address) => LATER.test(address)), 'the later part takes the line from the engine');
    isHeld = false;
    await Promise.all(held.map((route) => route.continue()));
    await changed(page, 'explore-norm');
    await page.waitForFunction(() => /\bR=/.test(location.hash));
    assert.deepEqual(await problems(), []);
  } finally {
    await close();
  }
});

pageTest('the rest of the engine is asked for by the first task that needs it', { hash: '' }, async ({ page, requests }) => {
  await page.waitForFunction(() => 'drawn' in document.documentElement.dataset);
  await show(page, 'growth');
  await changed(page, 'growth-gap');
  assert.ok(!requests().some((address) => REST.test(address)), 'the first views need it');
  await show(page, 'spectrum');
  await page.waitForSelector('[data-testid=spectrum-how]:not(:empty)');
  assert.ok(requests().some((address) => REST.test(address)));
});

test('a rest of the engine that is lost is named, and the first tasks go on', async () => {
  const { page, context, url, close, forgetProblems, problems } = await openPage({ started: false });
  try {
    await context.route(REST, (route) => route.abort());
    await page.goto(url);
    await waitForStart(page);
    await changed(page, 'explore-norm');
    await show(page, 'spectrum');
    await page.getByText('A part of the engine cannot be read: it did not load. Check the connection, then reload the page.').first().waitFor();
    forgetProblems();
    await context.unroute(REST);
    await show(page, 'explore');
    await type(page, 'quick-radius-number', '2');
    await changed(page, 'explore-norm');
    // The next run asks again.
    await show(page, 'spectrum');
    await page.waitForSelector('[data-testid=spectrum-how]:not(:empty)');
    assert.deepEqual(await problems(), []);
  } finally {
    await close();
  }
});
