// Uses the built site for a long time, as a restless reader: `make soak MINUTES=60`.
//
// Actions are drawn by a seed. At rest, every quarter of a minute, the page is brought to one same scene and its memory is
// sampled; in between, the number on screen is compared with the command line's for the state that the page exports. A table
// and a figure of the memory go into docs/reliability.md and docs/reliability/.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { DESKTOP, launch, measureOnCommandLine, PHONE, ROOT, serveSite, shutDown, waitForStart } from './browser.mjs';
import { changed, exported, openControls, paste, PLOTS, show, value } from './reading.mjs';

const { values: options } = parseArgs({ options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } } });
const minutes = Number(options.minutes);
const FOLDER = `${ROOT}docs/reliability`;
const DOCUMENT = `${ROOT}docs/reliability.md`;
const [BEGIN, END] = ['<!-- soak: written by `make soak` -->', '<!-- soak: end -->'];
const SAMPLE_EVERY_MS = 15_000;
/** Memory is judged from here on: caches fill and code is compiled before. */
const WARM_UP_MS = Math.min(5, minutes / 3) * 60_000;
const LONG_TASK_MS = 100;
/** What an action may take, on a machine that is busy; the next one follows in any case. */
const ACTION_MS = 8_000;

/** mulberry32: the same actions for the same seed. */
function dice(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (n) => Math.floor(next() * n), of: (list) => list[Math.floor(next() * list.length)] };
}

const roll = dice(Number(options.seed));
const LESSONS = ['sink', 'jacobian', 'inverse', 'layer-norm'];
const LINKS = [
  '', '#v3&n=100&mask=causal', '#v3&plot=growth&range=1e6', '#v2&plot=tokens', '#v3&plot=spectrum&n=40', '#v3&d=3&n=12&plot=reach',
  '#v3&weights=random&heads=2&k=4&d=4', '#v3&attention=l2&weights=kim', '#v3&n=abc&broken', '#nonsense', '#v3&view=embed&n=9', '#v3&plot=lab',
];
const TEXTS = ['1,2\n3,4\n-1,0.5\n', '[[1, 0], [0, 1], [-1, 2]]', 'junk,junk\nx,y', '1\n-1\n1\n', '{"tokens":{"source":"skew","n":20}}'];

const type = async (page, id, words) => {
  await page.fill(`#${id}`, words, { timeout: ACTION_MS });
  await page.press(`#${id}`, 'Enter');
};
const select = (page, id, all) => page.selectOption(`#${id}`, roll.of(all), { timeout: ACTION_MS });
const ACTIONS = {
  plot: (page) => show(page, roll.of(Object.keys(PLOTS))),
  tokens: (page) => type(page, 'n-number', String(2 + roll.below(200))),
  radius: (page) => type(page, 'radius-number', (0.2 + roll.below(30) / 10).toFixed(1)),
  distribution: (page) => select(page, 'law', ['gaussian', 'sphere', 'ball', 'adversarial']),
  weights: (page) => select(page, 'weights', ['identity-minus', 'random']),
  link: (page) => page.evaluate((hash) => { location.hash = hash; }, roll.of(LINKS)),
  lesson: (page) => page.evaluate((hash) => { location.hash = hash; }, `#v3&lesson=${roll.of(LESSONS)}.${1 + roll.below(3)}`),
  back: (page) => page.evaluate(() => history.back()),
  forward: (page) => page.evaluate(() => history.forward()),
  undo: (page) => page.click('#undo', { timeout: ACTION_MS }),
  theme: (page) => page.click(`[data-theme-choice="${roll.of(['light', 'dark', 'system'])}"]`, { timeout: ACTION_MS }),
  resize: (page) => page.setViewportSize(roll.of([DESKTOP, PHONE, { width: 820, height: 1180 }])),
  paste: (page) => paste(page, roll.of(TEXTS)),
  // Those that work: one that dies before it has said that it listens is a page whose workers do not start, and it says so.
  kill: (page) => page.evaluate(() => window.__workers.forEach((worker) => {
    if (!worker.hasSpoken) return;
    worker.terminate();
    worker.dispatchEvent(new ErrorEvent('error', { message: 'out of memory', cancelable: true }));
  })),
  offline: async (page) => {
    await page.context().setOffline(true);
    await type(page, 'n-number', '33').catch(() => {});
    await page.context().setOffline(false);
  },
  keys: (page) => page.keyboard.press(roll.of(['Tab', 'ArrowRight', 'ArrowUp', 'Escape', '?', 'End'])),
};

function watchPage() {
  window.__long = [];
  new PerformanceObserver((list) => window.__long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
  const Native = window.Worker;
  window.__workers = new Set();
  window.Worker = class extends Native {
    constructor(...given) {
      super(...given);
      window.__workers.add(this);
      this.addEventListener('message', () => { this.hasSpoken = true; });
    }
    terminate() {
      window.__workers.delete(this);
      super.terminate();
    }
  };
}

/** Opens the page; what must not happen is told. */
async function open(tell) {
  const site = await serveSite();
  const context = await (await launch()).newContext({ viewport: DESKTOP, serviceWorkers: 'block', acceptDownloads: true });
  await context.addInitScript(watchPage);
  const page = await context.newPage();
  page.setDefaultTimeout(ACTION_MS);
  page.on('pageerror', (error) => tell(`page error: ${error.stack ?? error.message}`));
  // A worker that was ended by the soak itself is reported by the page as what it is.
  page.on('console', (message) => message.type() === 'error' && !/ERR_INTERNET_DISCONNECTED/.test(message.text()) && tell(`console: ${message.text()}`));
  page.on('crash', () => tell('the page crashed'));
  await page.goto(site.url);
  await waitForStart(page);
  await changed(page, 'spectral');
  return page;
}

/** Bytes that the page's process holds, workers and WebAssembly included; 0 where the system does not tell. */
async function resident() {
  const session = await (await launch()).newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const pages = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => {
    try {
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) * 1024;
    } catch {
      return 0;
    }
  });
  return Math.max(0, ...pages);
}

/** Brings the page to one same scene and samples its memory. */
async function sample(page, session, seconds) {
  await page.setViewportSize(DESKTOP);
  await page.evaluate(() => { location.hash = '#v3&n=30'; });
  await page.waitForFunction(() => document.querySelector('[data-testid="n"]')?.textContent.trim() === '30', undefined, { timeout: 30_000 });
  await page.waitForTimeout(500);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { seconds, heap: usedSize, nodes, listeners: jsEventListeners, resident: await resident(), workers: await page.evaluate(() => window.__workers.size) };
}

/** Compares the number on screen with the command line's, for the experiment that the page exports; a sentence where they differ. */
async function compare(page) {
  await page.setViewportSize(DESKTOP);
  await show(page, 'tokens');
  await openControls(page);
  const experiment = await exported(page);
  const { lines, stderr } = await measureOnCommandLine(experiment);
  if (lines.length === 0) return `the command line says ${stderr.trim()}`;
  const expected = lines[0].spectral;
  // The page may still be measuring: it has half a minute.
  for (const end = Date.now() + 30_000; Date.now() < end; await page.waitForTimeout(200)) {
    if (Math.abs(await value(page, 'spectral') / expected - 1) < 1e-8) return null;
  }
  return `the page shows ${await value(page, 'spectral')} and the command line says ${expected} for ${page.url()}`;
}

async function soak() {
  const faults = [];
  const latest = [];
  const began = Date.now();
  // A fault names what was done before it, and is told whole as it comes; the table has its beginning.
  const tell = (fault) => {
    const seconds = Math.round((Date.now() - began) / 1000);
    console.error(`after ${seconds} s (${latest.join(', ')}): ${fault}`);
    // The table names a file of a crate by the crate.
    faults.push(`after ${seconds} s: ${fault.replaceAll(/\S*\/registry\/src\/[^/]+\//g, '')}`);
  };
  const counts = {};
  const samples = [];
  let compared = 0;
  let skipped = 0;
  const page = await open(tell);
  const session = await page.context().newCDPSession(page);
  await openControls(page);
  let next = began;
  while (Date.now() - began < minutes * 60_000) {
    if (Date.now() >= next) {
      const seconds = Math.round((Date.now() - began) / 1000);
      const taken = await sample(page, session, seconds).catch((error) => error);
      if (!(taken instanceof Error)) {
        samples.push(taken);
      } else {
        // It did not come to rest: what was done before says why, and a fresh start lets the soak go on.
        const told = await page.evaluate(() => document.querySelector('[data-testid="status"]')?.textContent).catch(() => '');
        tell(`the page did not follow a link; it says “${told}”: ${taken.message.split('\n')[0]}`);
        await page.reload();
        await waitForStart(page);
      }
      next = Date.now() + SAMPLE_EVERY_MS;
      await openControls(page);
    }
    const name = roll.of(Object.keys(ACTIONS));
    counts[name] = (counts[name] ?? 0) + 1;
    latest.push(name);
    if (latest.length > 6) latest.shift();
    // A control that the present scene does not have is no fault.
    await ACTIONS[name](page).catch(() => { skipped += 1; });
    if (roll.below(12) === 0) {
      const problem = await compare(page).catch((error) => (/Timeout|waiting for/.test(error.message) ? undefined : error.message));
      if (problem === null) compared += 1;
      else if (problem) tell(problem);
    }
  }
  const long = (await page.evaluate(() => window.__long)).filter((ms) => ms > LONG_TASK_MS);
  return { faults, counts, samples, compared, skipped, long, seconds: Math.round((Date.now() - began) / 1000) };
}

/** The largest value over the smallest from the end of the warm-up on, as a percentage over it. */
function spread(samples, key) {
  const values = samples.filter(({ seconds }) => seconds * 1000 >= WARM_UP_MS).map((sample) => sample[key]).filter((x) => x > 0);
  return values.length < 2 ? NaN : 100 * (Math.max(...values) / Math.min(...values) - 1);
}

/** Memory over minutes as a picture: the page's heap, and all that its process holds. */
function figure(samples) {
  const [width, height, left, bottom] = [720, 300, 60, 40];
  const end = Math.max(1, ...samples.map(({ seconds }) => seconds));
  const most = Math.max(1, ...samples.map(({ resident, heap }) => Math.max(resident, heap))) / 2 ** 20;
  const x = (seconds) => (left + (seconds / end) * (width - left - 20)).toFixed(1);
  const y = (bytes) => (height - bottom - (bytes / 2 ** 20 / most) * (height - bottom - 30)).toFixed(1);
  const line = (key, colour) => `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${samples.map((sample) => `${x(sample.seconds)},${y(sample[key])}`).join(' ')}"/>`;
  const text = (at, height, words, anchor = 'start') => `<text x="${at}" y="${height}" text-anchor="${anchor}">${words}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img">`,
    '<title>Memory of the page over the soak</title>',
    `<rect width="${width}" height="${height}" fill="#fbfaf7"/>`,
    `<path d="M${left} 30V${height - bottom}H${width - 20}" fill="none" stroke="#8b8c8c"/>`,
    line('resident', '#4a6fa5'), line('heap', '#b5532a'),
    text(left, 20, `<tspan fill="#4a6fa5">all of the page's process, workers included</tspan>   <tspan fill="#b5532a">its JavaScript heap after a collection</tspan>`),
    text(left - 6, 34, `${Math.round(most)} MiB`, 'end'), text(left - 6, height - bottom, '0', 'end'),
    text(left, height - 20, '0'), text(width - 20, height - 20, `${(end / 60).toFixed(1)} minutes`, 'end'),
    '</svg>\n',
  ].join('\n');
}

function report({ faults, counts, samples, compared, skipped, long, seconds }) {
  const git = execFileSync('git', ['describe', '--always', '--abbrev=9', '--exclude=*', '--dirty=+'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const actions = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const percent = (x) => (Number.isNaN(x) ? 'too short to say' : `${x.toFixed(1)} %`);
  const last = samples.at(-1);
  const rows = [
    ['actions', `${actions}, of ${Object.keys(counts).length} kinds; ${skipped} found no such control in the scene they met`],
    ['numbers compared with the command line', `${compared}, all the same to 1e-8`],
    ['JavaScript heap at rest, after the warm-up', `largest ${percent(spread(samples, 'heap'))} over smallest; ${(last.heap / 2 ** 20).toFixed(1)} MiB at the end`],
    ['elements of the document at rest', `largest ${percent(spread(samples, 'nodes'))} over smallest; ${last.nodes} at the end`],
    ['event listeners at rest', `largest ${percent(spread(samples, 'listeners'))} over smallest; ${last.listeners} at the end`],
    ['memory of the page\'s process', `largest ${percent(spread(samples, 'resident'))} over smallest; ${Math.round(last.resident / 2 ** 20)} MiB at the end`],
    ['workers at the end', String(last.workers)],
    [`main-thread tasks over ${LONG_TASK_MS} ms wall`, long.length ? `${long.length}, the longest ${Math.round(Math.max(...long))} ms` : 'none'],
    ['faults', faults.length ? faults.map((fault) => fault.replaceAll('|', '\\|').replaceAll('\n', ' ').slice(0, 200)).join('<br>') : 'none'],
  ];
  const date = new Date().toISOString().slice(0, 10);
  const lines = [
    `${date}, commit ${git}, seed ${options.seed}: ${(seconds / 60).toFixed(1)} minutes on ${cpus().length} cores; the warm-up took ${(WARM_UP_MS / 60_000).toFixed(1)} of them.`,
    '', '| what | found |', '| --- | --- |', ...rows.map(([what, found]) => `| ${what} | ${found} |`),
    '', '![Memory of the page over the soak](reliability/heap.svg)', '',
  ];
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/heap.svg`, figure(samples));
  const document = readFileSync(DOCUMENT, 'utf8');
  const [before, rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${DOCUMENT} lacks the lines ${BEGIN} and ${END}`);
  writeFileSync(DOCUMENT, `${before}${BEGIN}\n${lines.join('\n')}${END}${after}`);
  return rows;
}

let outcome;
try {
  outcome = await soak();
} finally {
  await shutDown();
}
for (const [what, found] of report(outcome)) console.log(`${what}: ${found}`);
const grows = ['heap', 'nodes', 'listeners'].filter((key) => spread(outcome.samples, key) > 5);
if (grows.length) console.error(`not flat within 5 %: ${grows.join(', ')}`);
process.exitCode = outcome.faults.length || grows.length || outcome.long.length ? 1 : 0;
