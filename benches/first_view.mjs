// Measures a first visit as a reader has it: node benches/first_view.mjs [VISITS]
// Serves the built site (LIPSCOPE_DIST) compressed, over a slow line and over none, and opens it in a new context each time, so that
// nothing is cached. Reports, from the start of the navigation: when the picture of the opening view is painted; when a slider that
// the reader moves at that moment is answered by a number of the new state; the bytes until then. Beside it, in the same run, the
// document alone, without any program: no page with this content can be painted earlier.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, shutDown } from '../tests/e2e/browser.mjs';
import { ENCODERS, SLOW, compressed, serve } from './line.mjs';
import { record } from './record.mjs';

const visits = Number(process.argv[2] ?? 15);
const site = process.env.LIPSCOPE_DIST ?? join(import.meta.dirname, '../dist');
const WAYS = [
  { id: 'slow_br', encoding: 'br', line: SLOW }, { id: 'slow_gzip', encoding: 'gzip', line: SLOW }, { id: 'fast', encoding: 'br', line: null },
];

/**
 * Runs in the page before the page's own scripts. The sentence is the last text of the opening view, so with it the picture is
 * painted. Then the slider of R is moved, in the document.
 */
function watch() {
  const times = {};
  Object.defineProperty(window, '__times', { value: times });
  const shown = () => document.querySelector('#app [data-testid=explore-norm]');
  const follow = (before) => {
    // The program's number of the old state differs from the document's in its last digit.
    const isNew = Math.abs(shown()?.dataset.value / before - 1) > 1e-6;
    const isAnswered = isNew && !document.getElementById('opening') && !document.querySelector('#app .headline.stale');
    if (isAnswered) times.answered = performance.now();
    else requestAnimationFrame(() => follow(before));
  };
  new PerformanceObserver((list, observer) => {
    const sentence = list.getEntries().find(({ element }) => element?.closest('.sentence'));
    if (!sentence) return;
    observer.disconnect();
    times.picture = sentence.startTime;
    times.begun = performance.getEntriesByType('navigation')[0].responseStart;
    const slider = document.querySelector('#opening [lang=en] [data-of=quick-radius]');
    if (!slider) return;
    const before = document.querySelector('#opening .headline strong').dataset.value;
    slider.value = Number(slider.value) + 20;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    follow(before);
  }).observe({ type: 'largest-contentful-paint', buffered: true });
}

/** Opens the page in a context, and waits until what is measured has come. */
async function times(context, server, last) {
  const page = await context.newPage();
  await page.goto(server.url, { waitUntil: 'commit' });
  await page.waitForFunction((what) => window.__times?.[what], last, { timeout: 60_000 });
  const found = await page.evaluate(() => window.__times);
  await page.close();
  return found;
}

/** A first visit; with `isAgain` also the time of the picture of a second one, from the first byte that the browser has kept. */
async function visit(server, hasProgram, isAgain = false) {
  const context = await (await launch()).newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' });
  try {
    await context.addInitScript(watch);
    server.bytes();
    const first = await times(context, server, hasProgram ? 'answered' : 'picture');
    const bytes = server.bytes();
    if (!isAgain) return { bytes, ...first };
    const { picture, begun } = await times(context, server, 'picture');
    return { bytes, ...first, again: picture - begun };
  } finally {
    await context.close();
  }
}

/** The files with a document that starts no program. */
const alone = (encoding) => {
  const html = readFileSync(join(site, 'index.html'), 'utf8').replace(/<script defer[^>]*><\/script>/, '').replace(/<link rel="(module)?preload"[^>]*>/g, '');
  return new Map([['index.html', ENCODERS[encoding](Buffer.from(html))]]);
};

try {
  const found = {};
  for (const { id, encoding, line } of WAYS) {
    const servers = { page: await serve(compressed(site, encoding), encoding, line), alone: await serve(alone(encoding), encoding, line) };
    // The first visit warms up the browser.
    await visit(servers.page, true);
    const all = { page: [], alone: [] };
    for (let at = 0; at < visits; at++) {
      all.page.push(await visit(servers.page, true, true));
      all.alone.push(await visit(servers.alone, false));
    }
    const of = (list, key) => {
      const sorted = list.map((visit) => visit[key]).sort((a, b) => a - b);
      return { median: sorted[visits >> 1], largest: sorted.at(-1) };
    };
    found[id] = {
      picture: of(all.page, 'picture'), alone: of(all.alone, 'picture'), answered: of(all.page, 'answered'), again: of(all.page, 'again'), bytes: of(all.page, 'bytes').median,
      document: of(all.alone, 'bytes').median,
    };
    for (const server of Object.values(servers)) await server.close();
  }
  record('first_view', { chromium: (await launch()).version(), visits, ...found });
  console.log(JSON.stringify(found));
} finally {
  await shutDown();
}
