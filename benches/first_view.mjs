// Measures how long a visit takes until the first chart: node benches/first_view.mjs [ROUNDS]
// Serves the built site (LIPSCOPE_DIST) on this machine and opens it in a new context each time, so that nothing is
// cached. Reports milliseconds from the start of the navigation. Then it presses arrow keys, which move the marked n along
// the axis, and reports how long the chart takes to be redrawn.
import { launch, serveSite, shutDown } from '../tests/e2e/browser.mjs';
import { record } from './record.mjs';

const rounds = Number(process.argv[2] ?? 7);

/**
 * Runs in the page before the page's own scripts. Notes when the page has started, when it shows the first number, when the
 * chart is first painted without and with its curves, and how long each frame takes that paints the chart.
 */
function watch() {
  const times = { frames: [] };
  Object.defineProperty(window, '__times', { value: times });
  const note = (what) => { times[what] ??= performance.now(); };
  let isPainting = false;
  const { stroke } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.stroke = function (...given) {
    if (this.canvas.id === 'explore-plot') {
      isPainting = true;
      note('axes');
      if (document.querySelector('[data-testid="explore-best"]')?.dataset.value) note('curves');
    }
    return stroke.apply(this, given);
  };
  const { requestAnimationFrame } = window;
  window.requestAnimationFrame = (callback) => requestAnimationFrame((now) => {
    isPainting = false;
    const began = performance.now();
    callback(now);
    if (isPainting) times.frames.push(performance.now() - began);
  });
  new MutationObserver(() => {
    if (document.documentElement.dataset.boot === 'started') note('started');
    if (document.querySelector('[data-testid="explore-norm"]')?.dataset.value) note('number');
  }).observe(document, { subtree: true, childList: true, attributes: true });
}

async function visit() {
  const { url } = await serveSite();
  const context = await (await launch()).newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' });
  try {
    await context.addInitScript(watch);
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForFunction(() => window.__times.curves && window.__times.number, undefined, { timeout: 60_000 });
    await page.waitForTimeout(500);
    return await page.evaluate(async () => {
      const { axes, curves, started, number, frames } = window.__times;
      const shell = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN;
      // Each key moves the marked n, and the plot is redrawn.
      frames.length = 0;
      const plot = document.querySelector('#explore-plot');
      plot.focus();
      for (let step = 0; step < 40; step++) {
        plot.dispatchEvent(new KeyboardEvent('keydown', { key: step % 30 < 15 ? 'ArrowRight' : 'ArrowLeft', bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      frames.sort((a, b) => a - b);
      return { shell, started, axes, curves, number, redraw: frames[frames.length >> 1], redraws: frames.length };
    });
  } finally {
    await context.close();
  }
}

try {
  // The first visit warms up the browser.
  await visit();
  const visits = [];
  for (let round = 0; round < rounds; round++) visits.push(await visit());
  const median = (key) => visits.map((visit) => visit[key]).sort((a, b) => a - b)[rounds >> 1];
  const largest = (key) => Math.max(...visits.map((visit) => visit[key]));
  if (median('redraws') < 20) throw new Error('too few redraws were seen');
  const keys = ['shell', 'axes', 'curves', 'number', 'redraw'];
  const found = Object.fromEntries(keys.map((key) => [key, { median: median(key), largest: largest(key) }]));
  record('first_view', { chromium: (await launch()).version(), visits: rounds, ...found });
  console.log(JSON.stringify(found));
} finally {
  await shutDown();
}
