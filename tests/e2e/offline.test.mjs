// The service worker: the page without a network, and the change from one build to the next. Each test makes the builds
// in its own copy of the site.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIST, faults, launch, ROOT, waitForStart } from './browser.mjs';
import { changed, digits, openControls, show } from './reading.mjs';
import { startServer } from './server.mjs';

const makeOffline = (folder) => execFileSync('node', [`${ROOT}scripts/offline.mjs`, folder]);

/** Another build in the same place: page and boot script both say its number. */
function change(folder, number) {
  const page = join(folder, 'index.html');
  writeFileSync(page, readFileSync(page, 'utf8').replace(/<title>[^<]*/, `<title>Build ${number}`));
  appendFileSync(join(folder, 'boot.js'), `\ndocument.documentElement.dataset.build = '${number}';\n`);
}

function siteTest(name, body) {
  test(name, { timeout: 180_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lipscope-site-'));
    cpSync(DIST, folder, { recursive: true });
    makeOffline(folder);
    const server = await startServer({ root: folder });
    const context = await (await launch()).newContext();
    const errors = [];
    context.on('weberror', (error) => errors.push(error.error().message));
    const visit = async () => {
      const page = await context.newPage();
      page.on('console', (message) => {
        // Without a network the browser cannot look for a newer service worker, and says so.
        if (message.type() === 'error' && !message.text().includes('sw.js')) errors.push(message.text());
      });
      await page.goto(server.url);
      await waitForStart(page);
      return page;
    };
    try {
      await body({ folder, server, context, visit });
      assert.deepEqual(errors, []);
    } finally {
      await context.close();
      await server.close();
      rmSync(folder, { recursive: true });
    }
  });
}

/** Waits until `holds` returns true in the page; it may return a promise. */
async function until(page, holds) {
  const end = Date.now() + 60_000;
  while (!await page.evaluate(holds)) {
    assert.ok(Date.now() < end, `in vain: ${holds}`);
    await page.waitForTimeout(100);
  }
}

/** Waits until a service worker that has a whole build controls the page. */
const controlled = (page) => page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated', undefined, { timeout: 30_000 });
/** Waits until a newer build is fetched and waits. */
const newerWaits = (page) => until(page, async () => Boolean((await navigator.serviceWorker.getRegistration())?.waiting));
const caches = (page) => page.evaluate(() => window.caches.keys());
/** Which build the page and its boot script are of. */
const builds = async (page) => [await page.title(), await page.evaluate(() => document.documentElement.dataset.build)];

/** Presses the button that lets the newer build in, and waits for the page of that build. */
async function letIn(page, number) {
  await page.click('#new-build', { timeout: 60_000 });
  await page.waitForFunction((title) => document.title === title && document.documentElement.dataset.boot === 'started', `Build ${number}`);
  assert.deepEqual(await builds(page), [`Build ${number}`, String(number)]);
}

siteTest('after one visit the page works without a network', async ({ server, context, visit }) => {
  const page = await visit();
  await controlled(page);
  await context.setOffline(true);
  await server.close();
  await page.reload();
  await waitForStart(page);
  const before = await changed(page, 'spectral');
  assert.ok(before > 0);
  await openControls(page);
  await page.selectOption('#distribution', 'sphere');
  await changed(page, 'spectral', String(before));
  // The page also works under any query and opened anew, and a lab's worker starts.
  await page.close();
  const again = await context.newPage();
  await again.goto(`${server.url}?from=home`);
  await changed(again, 'spectral');
  await show(again, 'tightness');
  assert.ok(await digits(again, 'spectral'));
});

siteTest('the theory needs no network either, though nobody has opened it before', async ({ server, context, visit }) => {
  const page = await visit();
  await controlled(page);
  await context.setOffline(true);
  await server.close();
  const again = await context.newPage();
  await again.goto(`${server.url}docs/theory.html#sharp`);
  assert.equal(await again.locator('#sharp').innerText(), 'sharp');
  assert.match(await again.locator('#sharp').evaluate((heading) => getComputedStyle(heading).borderTopStyle + getComputedStyle(document.body).margin), /none0px/);
  await again.getByRole('combobox').fill('mean-field');
  await again.getByRole('option', { name: 'castin_mean_field' }).first().waitFor();
});

siteTest('the worker of models is kept when it is first used, and then needs no network either', async ({ server, context, visit }) => {
  const page = await visit();
  await controlled(page);
  const isAsked = () => server.requests.some(({ path }) => path.includes('model_worker'));
  assert.ok(!isAsked(), 'nobody pays for it before');
  const hasTokens = (page) => page.waitForFunction(
    () => Number(document.querySelector('[data-testid="model-tokens"]')?.dataset.value) > 0, undefined, { timeout: 60_000 });
  await page.reload();
  await waitForStart(page);
  await show(page, 'model');
  await hasTokens(page);
  assert.ok(isAsked());
  await page.close();
  await context.setOffline(true);
  await server.close();
  const again = await context.newPage();
  await again.goto(server.url);
  await waitForStart(again);
  await show(again, 'model');
  await hasTokens(again);
});

siteTest('a newer build comes when its button is pressed, whole, and the old one leaves nothing behind', async ({ folder, visit }) => {
  const first = await visit();
  await controlled(first);
  const old = await caches(first);
  assert.equal(old.length, 1);
  await first.close();
  change(folder, 2);
  makeOffline(folder);
  // This visit fetches it, and is still served from the one build that it began with.
  const second = await visit();
  await newerWaits(second);
  assert.match((await builds(second)).join(), /^Lipscope/);
  // The address stays: it is loaded again.
  await openControls(second);
  await second.selectOption('#distribution', 'sphere');
  await second.waitForFunction(() => location.hash.includes('sphere'));
  assert.deepEqual(await faults(second), []);
  await letIn(second, 2);
  await openControls(second);
  assert.equal(await second.locator('#distribution').inputValue(), 'sphere');
  assert.ok((await changed(second, 'spectral')) > 0);
  const now = await caches(second);
  assert.equal(now.length, 1);
  assert.notDeepEqual(now, old);
  // A reload without the button keeps the whole old build.
  change(folder, 3);
  makeOffline(folder);
  await second.reload();
  await newerWaits(second);
  await second.reload();
  await waitForStart(second);
  assert.deepEqual(await builds(second), ['Build 2', '2']);
  await letIn(second, 3);
});

siteTest('a build that is only half there is not taken', async ({ folder, visit }) => {
  const page = await visit();
  await controlled(page);
  // The new build is made elsewhere: the browser looks for one whenever it likes, and must not find it whole.
  const next = mkdtempSync(join(tmpdir(), 'lipscope-next-'));
  cpSync(folder, next, { recursive: true });
  change(next, 2);
  makeOffline(next);
  const boot = readFileSync(join(next, 'boot.js'));
  // Its list is there, and one of its files is still the old one.
  cpSync(next, folder, { recursive: true, filter: (file) => !file.endsWith('boot.js') });
  rmSync(next, { recursive: true });
  const failed = page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    // The new worker may be installing, or may have failed to install, before the update is over.
    const ended = new Promise((resolve) => {
      const follow = (worker) => worker.addEventListener('statechange', () => resolve(worker.state));
      registration.addEventListener('updatefound', () => follow(registration.installing));
      if (registration.installing) follow(registration.installing);
    });
    await registration.update().catch(() => {});
    return ended;
  });
  assert.equal(await failed, 'redundant');
  await page.reload();
  await waitForStart(page);
  assert.match(await page.title(), /^Lipscope/);
  writeFileSync(join(folder, 'boot.js'), boot);
  await page.reload();
  await newerWaits(page);
  await letIn(page, 2);
});

siteTest('while another page runs on the old build, the new one waits', async ({ folder, visit }) => {
  const one = await visit();
  await controlled(one);
  change(folder, 2);
  makeOffline(folder);
  const two = await visit();
  await newerWaits(two);
  await two.click('#new-build', { timeout: 60_000 });
  await two.waitForSelector('.new-build .others', { state: 'visible' });
  assert.match(await two.title(), /^Lipscope/);
  await one.close();
  await letIn(two, 2);
});

siteTest('a site that is served without a list rids itself of an older one', async ({ folder, visit }) => {
  const page = await visit();
  await controlled(page);
  // Changes the site into one for which scripts/offline.mjs was not run.
  for (const [name, pattern, text] of [['index.html', /data-offline="[^"]*"/, 'data-offline=""'], ['sw.js', /^const BUILD = .*;$/m, 'const BUILD = null;']]) {
    writeFileSync(join(folder, name), readFileSync(join(folder, name), 'utf8').replace(pattern, text));
  }
  change(folder, 2);
  await page.reload();
  await page.waitForFunction(() => document.title === 'Build 2', undefined, { timeout: 30_000 });
  await until(page, async () => (await navigator.serviceWorker.getRegistrations()).length === 0 && (await window.caches.keys()).length === 0);
});

siteTest('it can be installed: the manifest and its icons are there', async ({ server, visit }) => {
  const page = await visit();
  const address = await page.locator('link[rel=manifest]').evaluate((link) => link.href);
  assert.ok(address.startsWith(server.url));
  const manifest = await (await fetch(address)).json();
  assert.equal(new URL(manifest.start_url, address).href, server.url);
  for (const { src, sizes, type } of manifest.icons) {
    const answer = await fetch(new URL(src, address));
    assert.equal(answer.headers.get('content-type'), type, src);
    if (type !== 'image/png') continue;
    const bytes = new DataView(await answer.arrayBuffer());
    assert.equal(`${bytes.getUint32(16)}x${bytes.getUint32(20)}`, sizes, src);
  }
});
