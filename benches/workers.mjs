// Measures how much faster the opening plot is on all cores: node benches/workers.mjs [ROUNDS]
// Two pages of the built site (LIPSCOPE_DIST) take new samples in turn. One is told that the machine has one core, the other
// is told the true number. Timed are the milliseconds from the first order for the sweep or its curves to the sweep's last
// point.
import { availableParallelism } from 'node:os';
import { launch, serveSite, shutDown } from '../tests/e2e/browser.mjs';
import { watchEngine } from '../tests/e2e/engine.mjs';
import { swept } from '../tests/e2e/reading.mjs';
import { record } from './record.mjs';

const rounds = Number(process.argv[2] ?? 15);

async function open(cores) {
  const { url } = await serveSite();
  const page = await (await launch()).newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(watchEngine, cores);
  await page.goto(url);
  await swept(page);
  // The page starts some workers with a delay. After this wait all of them run.
  await page.waitForTimeout(2000);
  return page;
}

/** Takes a new sample. Returns milliseconds, and how many workers measured points. */
async function resample(page) {
  await page.bringToFront();
  await page.evaluate(() => { window.__engine.sweeps = []; });
  await page.click('#new-sample');
  await page.waitForFunction(() => window.__engine.sweeps.some(({ what }) => what === 'ordered'), undefined, { timeout: 60_000 });
  await swept(page);
  return page.evaluate(() => {
    const { sweeps } = window.__engine;
    const points = sweeps.filter(({ what }) => what === 'points');
    return { ms: points.at(-1).at - sweeps[0].at, workers: new Set(points.map(({ worker }) => worker)).size };
  });
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

try {
  const cores = availableParallelism();
  const pages = { one: await open(1), all: await open(cores) };
  const times = { one: [], all: [] };
  let workers = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [name, page] of Object.entries(pages)) {
      const found = await resample(page);
      times[name].push(found.ms);
      if (name === 'all') workers = Math.max(workers, found.workers);
    }
  }
  const [one, all] = [median(times.one), median(times.all)];
  const found = { cores, workers, rounds, one, all, ratio: all / one };
  record('workers', { chromium: (await launch()).version(), ...found });
  console.log(JSON.stringify(found));
} finally {
  await shutDown();
}
