// Opens the built site in Chromium and records everything that must not happen on it.
//
//   pageTest('reads the spectral norm', { viewport: PHONE }, async ({ page }) => { ... });
//
// Such a test fails upon a page error, a console error, a violation of the content security policy, an answer of 400 or
// more, or a request that leaves the origin, even if its own assertions hold.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { startServer } from './server.mjs';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const DIST = process.env.LIPSCOPE_DIST ?? `${ROOT}dist`;
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/**
 * The most processor time that a test allows a task of the main thread, in ms. The goal is 50 on a machine that does nothing else.
 * On a shared machine the same work took 1.7 times as long an hour later, and the load of other programs must not fail
 * a test.
 */
export const MOST_TASK_MS = 100;

const START_TIMEOUT_MS = 30_000;
const TEST_TIMEOUT_MS = 180_000;
const TIMED = process.env.LIPSCOPE_TIMED;

let browser;
let server;
let shared;

/** The browser of this process; launched at first use. */
export async function launch() {
  browser ??= chromium.launch({
    executablePath: process.env.CHROME_SHELL || process.env.CHROME || '/usr/bin/chromium',
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      '--no-first-run',
      // Pages of one context share a process, and with it what was compiled: see sharedContext.
      '--process-per-site',
      // Any request to another machine fails, and is recorded.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
  return browser;
}

/** The server of this process, which serves dist/ under a nested path. */
export async function serveSite() {
  if (!existsSync(`${DIST}/index.html`)) throw new Error(`${DIST} holds no site. Run: make build`);
  server ??= startServer({ root: DIST });
  return server;
}

/** Ends the browser and the server. Tests need not call it. */
export async function shutDown() {
  await (await browser)?.close();
  await (await server)?.close();
  browser = server = shared = undefined;
}

// Tests cannot see or intercept answers of a service worker, so it is blocked here; offline.test.mjs tests it.
const CONTEXT = { acceptDownloads: true, serviceWorkers: 'block' };

async function newContext(options) {
  const context = await (await launch()).newContext({ ...CONTEXT, ...options });
  await context.addInitScript(watchPage);
  return context;
}

/**
 * The link, with its #, of the adversarial tokens of A = -1 and their bounds over n up to 1e18. `fields`, such as
 * `n=50&mask=causal`, replace fields of the link.
 */
export function adversarial(fields = '') {
  const given = Object.fromEntries(fields.split('&').filter(Boolean).map((field) => field.split(/=(.*)/s)));
  const growth = 'plot' in given ? { axis: 'sqrt' } : { axis: 'log', plot: 'growth', range: '1e18', at: '1e9' };
  const all = { tokens: 'adversarial', R: 3, ...growth, ...given };
  return `#v3&${Object.entries(all).map(([key, text]) => `${key}=${text}`).join('&')}`;
}

/**
 * A context that the tests of a file use one after the other. Each test has a page of its own, and nothing is remembered from
 * the test before. One more page holds the site's modules, so that Chromium compiles them once and not for each test: opening a
 * page takes half as long.
 */
async function sharedContext() {
  shared ??= (async () => {
    const site = await serveSite();
    const context = await newContext();
    const keeper = await context.newPage();
    // Any file of the site that runs no code will do.
    await keeper.goto(`${site.url}icon.svg`);
    const modules = readdirSync(DIST).filter((name) => name.endsWith('.wasm')).map((name) => site.url + name);
    await keeper.evaluate(async (modules) => {
      window.kept = await Promise.all(modules.map((module) => WebAssembly.compileStreaming(fetch(module))));
    }, modules);
    return { context, keeper };
  })();
  const { context, keeper } = await shared;
  await keeper.evaluate(async () => {
    localStorage.clear();
    for (const name of await caches.keys()) await caches.delete(name);
  });
  return context;
}

// Runs in the page before any of its own scripts.
function watchPage() {
  const watched = { violations: [], longTasks: [], since: 0 };
  Object.defineProperty(window, '__watched', { value: watched });
  document.addEventListener('securitypolicyviolation', (event) => {
    watched.violations.push(`${event.effectiveDirective} blocked ${event.blockedURI || 'inline code'} (${event.sourceFile || 'document'}:${event.lineNumber})`);
  });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      if (startTime >= watched.since) watched.longTasks.push({ startTime, duration });
    }
  }).observe({ type: 'longtask', buffered: true });
}

/**
 * Opens the site where nothing is remembered from another page: in a new context, or in the one that tests share.
 *
 * @param {object} [options]
 * @param {{width: number, height: number}} [options.viewport] DESKTOP by default
 * @param {'light' | 'dark'} [options.colorScheme]
 * @param {'reduce' | 'no-preference'} [options.reducedMotion]
 * @param {string} [options.hash] the link's fragment, with its #; by default that of the adversarial tokens (see `adversarial`);
 *   an empty one gives the opening view
 * @param {'open' | 'closed'} [options.controls] whether the panel of all controls is open; by default open on a desktop where the
 *   hash is one of `adversarial`
 * @param {boolean} [options.started] wait until the WebAssembly module has started (the default)
 * @param {object} [options.context] anything else for Playwright's newContext
 * @param {'new' | 'shared'} [within] the context
 */
export async function openPage(options = {}, within = 'new') {
  const { viewport = DESKTOP, colorScheme = 'light', reducedMotion = 'no-preference', hash = adversarial(), started = true } = options;
  const controls = options.controls ?? (started && hash.includes('#v3&tokens=') && !/view=embed|lesson=/.test(hash) && viewport.width >= 720 ? 'open' : 'closed');
  const site = await serveSite();
  const context = within === 'shared' ? await sharedContext() : await newContext({ viewport, colorScheme, reducedMotion, ...options.context });
  const seen = [];
  const requests = [];

  const heard = {
    request: (request) => {
      const { protocol, origin } = new URL(request.url());
      requests.push(request.url());
      if (origin !== site.origin && protocol !== 'data:' && protocol !== 'blob:') seen.push(`a request left the origin: ${request.url()}`);
    },
    requestfailed: (request) => {
      const reason = request.failure()?.errorText;
      if (reason !== 'net::ERR_ABORTED') seen.push(`a request failed: ${request.url()} (${reason})`);
    },
    response: (response) => {
      if (response.status() >= 400) seen.push(`${response.status()} for ${response.url()}`);
    },
  };
  for (const [event, listener] of Object.entries(heard)) context.on(event, listener);

  const page = await context.newPage();
  const close = async () => {
    if (within === 'new') return context.close();
    for (const [event, listener] of Object.entries(heard)) context.off(event, listener);
    await page.close();
  };
  const console_ = (message) => {
    if (message.type() === 'error') seen.push(`console: ${message.text()}`);
  };
  page.on('console', console_);
  page.on('pageerror', (error) => seen.push(`page error: ${error.stack ?? error.message}`));
  page.on('crash', () => seen.push('the page crashed'));
  page.on('worker', (worker) => worker.on('console', console_));

  const watched = (key) => page.evaluate((key) => window.__watched[key], key);

  const opened = {
    page,
    context,
    url: site.url,
    /** Every address that was asked for. */
    requests: () => [...requests],
    /** What happened that must not happen, as sentences. */
    problems: async () => [...seen, ...(await watched('violations')).map((line) => `content security policy: ${line}`)],
    /** Tasks of the main thread over 50 ms since the page opened or resetLongTasks was called. */
    longTasks: () => watched('longTasks'),
    // The browser reports a task some time after it: earlier tasks are excluded by their start.
    resetLongTasks: () => page.evaluate(() => {
      window.__watched.longTasks.length = 0;
      window.__watched.since = performance.now();
    }),
    /** Forgets the problems so far: for a test that provokes one. */
    forgetProblems: () => { seen.length = 0; },
    close,
  };

  try {
    if (within === 'shared') {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion });
    }
    await page.goto(site.url + hash);
    if (started) await waitForStart(page);
    if (controls === 'open') {
      await page.evaluate(() => document.querySelector('#more-controls[aria-expanded=false]')?.click());
      await page.waitForSelector('#preset', { state: 'attached' });
    }
  } catch (error) {
    const problems = await opened.problems().catch(() => seen);
    await close();
    throw new Error([error.message, ...problems].join('\n'), { cause: error });
  }
  return opened;
}

/** Waits until the module runs; fails with the page's own sentence if it cannot. */
export async function waitForStart(page) {
  const boot = await page.waitForFunction(
    () => {
      const { boot } = document.documentElement.dataset;
      // The opening view covers the page until the page shows as much.
      return boot === 'failed' || (boot === 'started' && !document.getElementById('opening')) ? boot : undefined;
    },
    undefined, { timeout: START_TIMEOUT_MS },
  ).then((handle) => handle.jsonValue());
  if (boot === 'failed') throw new Error(`the page did not start: ${await page.locator('#boot-status').textContent()}`);
}

/**
 * Runs a test on an open page, and closes the page at the end. The test fails if the page had problems. Tests share one
 * context; a test that changes its context gets one of its own by `context: {}`. A `timed` test judges how long
 * something takes, so no other test may run beside it: LIPSCOPE_TIMED=only runs the timed tests, LIPSCOPE_TIMED=without
 * the others. A wait that ends too soon gets one more try of the whole test, which its report says.
 */
export function pageTest(name, options, body) {
  if (typeof options === 'function') [options, body] = [{}, options];
  if ((options.timed && TIMED === 'without') || (!options.timed && TIMED === 'only')) return;
  test(name, { timeout: options.timeout ?? TEST_TIMEOUT_MS }, async (t) => {
    const attempt = async () => {
      const opened = await openPage(options, options.context ? 'new' : 'shared');
      try {
        await body(opened, t);
        assert.deepEqual(await opened.problems(), []);
        if (!opened.page.isClosed()) assert.deepEqual(await repeatedIds(opened.page), [], 'ids that stand twice on the page');
      } finally {
        await opened.close();
      }
    };
    // On a machine that does other work as well, a wait can end too soon. What is wrong on the page fails at once.
    await attempt().catch(async (error) => {
      if (options.timed || error?.name !== 'TimeoutError') throw error;
      t.diagnostic(`${name}: tried again, since a wait had ended: ${error.message.split('\n')[0]}`);
      await attempt();
    });
  });
}

/**
 * The tasks of the page's main thread while `body` runs, longest first: {cpu, wall} in milliseconds. If workers take
 * all cores, the wall time of a task depends on the scheduler; its processor time depends on the page alone.
 */
export async function mainThreadTasks(page, body) {
  const traced = await launch();
  await traced.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await body();
  const { traceEvents } = JSON.parse((await traced.stopTracing()).toString('utf8'));
  const mains = new Set(traceEvents
    .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid} ${tid}`));
  return traceEvents
    .filter(({ name, ph, pid, tid }) => ph === 'X' && name.endsWith('RunTask') && mains.has(`${pid} ${tid}`))
    .map(({ dur, tdur }) => ({ cpu: (tdur ?? dur) / 1000, wall: dur / 1000 }))
    .sort((a, b) => b.cpu - a.cpu);
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The faults that axe-core finds, by all its usual rules or by those named, one line an element. */
export async function faults(page, impacts = ['minor', 'moderate', 'serious', 'critical'], rules = null) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(async (rules) => {
    // The rows of a table are alike: a few of them are looked at, in a fraction of the time.
    const further = [...document.querySelectorAll('tbody > tr:nth-child(n + 9)')].filter((row) => !row.hidden);
    for (const row of further) row.hidden = true;
    try {
      return await window.axe.run({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
    } finally {
      for (const row of further) row.hidden = false;
    }
  }, rules);
  return violations
    .filter(({ impact }) => impacts.includes(impact))
    .flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`))
    .concat((await repeatedIds(page)).map((id) => `the id ${id} stands twice`));
}

/** The ids that stand twice on the page: a label would act on the first of the two. */
export const repeatedIds = (page) => page.evaluate(() => {
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))];
});

/** The faults that axe-core rates as serious or critical. */
export const seriousFaults = (page, rules = null) => faults(page, ['serious', 'critical'], rules);

/** The usual rules that look at colours. */
export const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * The faults in the dark and then in the light scheme, for a page that follows the system's scheme. The page is left in
 * the light scheme. The two differ in colours alone, so the light scheme is checked only by the rules about colours.
 */
export async function inBothSchemes(page, find = (page, rules) => faults(page, undefined, rules)) {
  const found = [];
  for (const [colorScheme, rules] of [['dark', null], ['light', OF_COLOURS]]) {
    await page.emulateMedia({ colorScheme });
    // Borders fade from one colour to the other.
    await page.waitForTimeout(200);
    found.push(...(await find(page, rules)).map((fault) => `${colorScheme}: ${fault}`));
  }
  return found;
}

/** What `lipscope measure` says about an experiment: {status, lines, stderr}, with every line of stdout parsed. */
export async function measureOnCommandLine(experiment, options = []) {
  const binary = process.env.LIPSCOPE_BIN ?? `${ROOT}target/debug/lipscope`;
  const child = spawn(binary, ['measure', '-', ...options]);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => { stdout += text; });
  child.stderr.on('data', (text) => { stderr += text; });
  child.stdin.on('error', () => {});
  child.stdin.end(typeof experiment === 'string' ? experiment : JSON.stringify(experiment));
  const status = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { status, lines: stdout.trim().split('\n').filter(Boolean).map((line) => JSON.parse(line)), stderr };
}

// In a test process everything ends with the last test; a script ends it by shutDown().
if (process.env.NODE_TEST_CONTEXT) after(shutDown);
