// What comes before the first picture, and what after it: docs/performance.md, "What is loaded".
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { DIST, openPage, pageTest, waitForStart } from './browser.mjs';
import { changed } from './reading.mjs';

const FIRST_VIEW_BYTES = 300_000;
const LATER = /\/later-[0-9a-f]+\.wasm$/;
const WORKER = /\/worker[^/]*$/;

const packed = (address) => {
  const path = new URL(address).pathname.split('/').pop() || 'index.html';
  return brotliCompressSync(readFileSync(join(DIST, path))).length;
};
const lost = (page) => page.locator('.later[role=alert]:visible').first();

pageTest('before the worker is asked for there are at most 300 KB; the rest comes after the picture', async ({ page, requests }) => {
  await changed(page, 'regime-unified');
  await page.waitForFunction(() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/later-')));
  const asked = requests().filter((address) => address.startsWith('http'));
  const first = new Set(asked.slice(0, asked.findIndex((address) => WORKER.test(address))));
  const bytes = [...first].reduce((sum, address) => sum + packed(address), 0);
  assert.ok(bytes > 100_000 && bytes <= FIRST_VIEW_BYTES, `${bytes} bytes of brotli in ${[...first].join(', ')}`);
  assert.ok(![...first].some((address) => LATER.test(address)), 'the later part is asked for before the worker');
});

pageTest('a link that needs the later part has it before it is shown', { hash: '#v2&plot=spectrum' }, async ({ page, requests }) => {
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
    await changed(page, 'regime-unified');
    await lost(page).waitFor();
    await page.click('#plot-court');
    await page.locator('.plot .later[role=alert]:visible').waitFor();
    assert.match(await lost(page).innerText(), /did not load\. Check the connection/);
    await context.unroute(LATER);
    forgetProblems();
    await page.locator('.plot .later[role=alert]:visible button').click();
    await page.waitForSelector('[data-testid=court-lab]');
    await page.waitForSelector('[data-testid=story-worked]');
    assert.equal(await page.locator('.later:visible').count(), 0);
    assert.deepEqual(await problems(), []);
  } finally {
    await close();
  }
});
