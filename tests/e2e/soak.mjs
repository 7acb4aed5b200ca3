// Uses the built site for a long time, as a restless reader: `make soak MINUTES=60`.
//
// Actions are drawn by a seed. At rest, every half minute, the page is brought to one same scene and its memory is sampled;
// in between, the numbers on screen are compared with the command line's for the state that the page exports. A trace of the
// browser says how long each task of the main thread took by the clock and in processor time: on a machine that others
// use too, only the processor time is the page's own. A table and a figure of the memory go into docs/reliability.md
// and docs/reliability/.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { adversarial, DESKTOP, launch, measureOnCommandLine, PHONE, ROOT, serveSite, shutDown, waitForStart } from './browser.mjs';
import { changed, drop, exported, openControls, openMenu, paste, PLOTS, show, value } from './reading.mjs';

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' }, report: { type: 'string', default: 'docs/reliability.md' } },
});
const minutes = Number(options.minutes);
const DOCUMENT = resolve(ROOT, options.report);
const FOLDER = DOCUMENT.replace(/\.md$/, '');
const [BEGIN, END] = ['<!-- soak: written by `make soak` -->', '<!-- soak: end -->'];
const SAMPLE_EVERY_MS = 30_000;
/** Memory is judged only after this time: until then caches fill and code is compiled. */
const WARM_UP_MS = Math.min(5, minutes / 3) * 60_000;
const LONG_TASK_MS = 100;
/** The time that an action may take on a busy machine. After it, the next action follows in any case. */
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
  '', '#v3&n=100&mask=causal', '#v3&plot=growth&range=1e6', adversarial('plot=tokens'), '#v3&plot=spectrum&n=40', '#v3&d=3&n=12&plot=certify',
  '#v3&weights=random&heads=2&k=4&d=4', '#v3&attention=l2&weights=kim', '#v3&n=abc&broken', '#nonsense', '#v3&view=embed&n=9', '#v3&plot=lab',
];
/** Files to drop onto the page: good and broken ones, and a folder with a model. */
const FILES = [
  ...['table', 'npy', 'experiment', 'results'].flatMap((door) => readdirSync(`${ROOT}tests/fuzz/corpus/${door}`).map((file) => `${ROOT}tests/fuzz/corpus/${door}/${file}`)),
  `${ROOT}tests/data/models/gpt2`, `${ROOT}README.md`,
];
const TEXTS = ['1,2\n3,4\n-1,0.5\n', '[[1, 0], [0, 1], [-1, 2]]', 'junk,junk\nx,y', '1\n-1\n1\n', '{"tokens":{"source":"skew","n":20}}'];

const type = async (page, id, words) => {
  await page.fill(`#${id}`, words, { timeout: ACTION_MS });
  await page.press(`#${id}`, 'Enter');
};
/** Chooses a language. A change of language loads the page again. */
const speak = async (page, language) => {
  if (await page.evaluate(() => document.documentElement.lang) === language) return;
  await openMenu(page);
  await Promise.all([page.waitForEvent('load'), page.selectOption('#language', language, { timeout: ACTION_MS })]);
  await waitForStart(page);
};
const select = (page, id, all) => page.selectOption(`#${id}`, roll.of(all), { timeout: ACTION_MS });
const ACTIONS = {
  plot: (page) => show(page, roll.of(Object.keys(PLOTS))),
  tokens: (page) => type(page, 'n-number', String(2 + roll.below(200))),
  radius: (page) => type(page, 'radius-number', (0.2 + roll.below(30) / 10).toFixed(1)),
  distribution: (page) => select(page, 'distribution', ['gaussian', 'sphere', 'ball', 'adversarial']),
  weights: (page) => select(page, 'weights', ['identity-minus', 'random']),
  link: (page) => page.evaluate((hash) => { location.hash = hash; }, roll.of(LINKS)),
  lesson: (page) => page.evaluate((hash) => { location.hash = hash; }, `#v3&lesson=${roll.of(LESSONS)}.${1 + roll.below(3)}`),
  back: (page) => page.evaluate(() => history.back()),
  forward: (page) => page.evaluate(() => history.forward()),
  undo: (page) => page.click('#undo', { timeout: ACTION_MS }),
  theme: async (page) => {
    await openMenu(page);
    await page.click(`[data-theme-choice="${roll.of(['light', 'dark', 'system'])}"]`, { timeout: ACTION_MS });
  },
  resize: (page) => page.setViewportSize(roll.of([DESKTOP, PHONE, { width: 820, height: 1180 }])),
  language: (page) => speak(page, roll.of(['en', 'zh-Hans'])),
  paste: (page) => paste(page, roll.of(TEXTS)),
  drop: (page) => drop(page, roll.of(FILES)),
  // Ends only workers that have sent a message: if a worker dies before that, the page reports that its workers do not start.
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

/** Opens the page; calls `tell` with everything that must not happen. */
async function open(tell) {
  const site = await serveSite();
  const context = await (await launch()).newContext({ viewport: DESKTOP, serviceWorkers: 'block', acceptDownloads: true });
  await context.addInitScript(watchPage);
  const page = await context.newPage();
  page.setDefaultTimeout(ACTION_MS);
  page.on('pageerror', (error) => tell(`page error: ${error.stack ?? error.message}`));
  // While the soak has taken the network away, failed requests are expected.
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

/** Starts the workers again if they are down, as a reader does; returns a sentence if they are down though the network was never off. */
async function revive(page, actions) {
  const button = page.locator('[data-testid="status"] button').first();
  if (!await button.isVisible()) return null;
  // The list of keys may lie over it.
  await page.keyboard.press('Escape');
  await button.click();
  return actions.has('offline') ? null : 'the workers did not start though the network was there';
}

/** Brings the page to one same scene and samples its memory. */
async function sample(page, session, seconds) {
  await page.setViewportSize(DESKTOP);
  await speak(page, 'en');
  await page.evaluate(() => { location.hash = '#v3&n=30'; });
  await page.waitForFunction(() => document.querySelector('[data-testid="n"]')?.textContent.trim() === '30', undefined, { timeout: 30_000 });
  await openControls(page);
  // At rest: no element has come or gone for a second.
  await page.evaluate(() => new Promise((resolve) => {
    let timer = setTimeout(resolve, 1000);
    new MutationObserver((changes, observer) => {
      if (!changes.some(({ addedNodes, removedNodes }) => addedNodes.length + removedNodes.length)) return;
      clearTimeout(timer);
      timer = setTimeout(() => { observer.disconnect(); resolve(); }, 1000);
    }).observe(document, { childList: true, subtree: true });
  }));
  // Twice: the second collection frees what finalisers of the first one released.
  for (let round = 0; round < 2; round += 1) {
    await session.send('HeapProfiler.collectGarbage');
    await page.waitForTimeout(200);
  }
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  const [attached, workers] = await page.evaluate(() => {
    const walker = document.createTreeWalker(document);
    let count = 1;
    while (walker.nextNode()) count += 1;
    return [count, window.__workers.size];
  });
  return { seconds, heap: usedSize, attached, detached: nodes - attached, listeners: jsEventListeners, resident: await resident(), workers };
}

/** Begins to trace tasks. The returned function ends that and gives the main thread's tasks over the limit, in ms of clock and processor. */
async function trace(page) {
  const browser = await launch();
  await browser.startTracing(page, { categories: ['toplevel'] });
  return async () => {
    const { traceEvents } = JSON.parse(await browser.stopTracing());
    const main = new Set(traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(({ tid }) => tid));
    const tasks = traceEvents.filter(({ name, tid, dur }) => name === 'ThreadControllerImpl::RunTask' && main.has(tid) && dur > LONG_TASK_MS * 1000);
    return tasks.map(({ dur, tdur }) => ({ clock: dur / 1000, processor: tdur / 1000 }));
  };
}

/** The numbers beside the plot that the command line gives too, by the same names. */
const COMPARED = ['spectral', 'frobenius', 'linf', 'l1', 'n', 'd', 'radius'];

/**
 * Compares the numbers on screen with the command line's, for the experiment that the page exports: how many they were, or a
 * sentence where they differ.
 */
async function compare(page) {
  await page.setViewportSize(DESKTOP);
  await show(page, 'tokens');
  await openControls(page);
  const experiment = await exported(page);
  const { lines, stderr } = await measureOnCommandLine(experiment);
  if (lines.length === 0) return `the command line says ${stderr.trim()}`;
  const [line] = lines;
  // The page may still be measuring: it has half a minute.
  for (const end = Date.now() + 30_000; Date.now() < end; await page.waitForTimeout(200)) {
    if (isSame(await value(page, 'spectral'), line.spectral)) break;
  }
  const shown = await page.evaluate((names) => Object.fromEntries(names
    .map((name) => [name, document.querySelector(`.numbers [data-testid="${name}"]`)?.dataset.value])
    .filter(([, digits]) => digits)), COMPARED);
  const both = Object.entries(shown).filter(([name]) => typeof line[name] === 'number');
  const other = both.find(([name, digits]) => !isSame(Number(digits), line[name]));
  return other ? `${other[0]} is ${other[1]} on the page and ${line[other[0]]} on the command line for ${page.url()}` : both.length;
}

const isSame = (found, expected) => found === expected || Math.abs(found / expected - 1) < 1e-8;

async function soak() {
  const faults = [];
  const latest = [];
  // The names of the actions since the last sample.
  const recent = new Set();
  const began = Date.now();
  // A fault is printed at once and in full, with the last few actions before it; the table has only its beginning.
  const tell = (fault) => {
    const seconds = Math.round((Date.now() - began) / 1000);
    console.error(`after ${seconds} s (${latest.join(', ')}): ${fault}`);
    // The table names a file of a crate by the crate.
    faults.push(`after ${seconds} s: ${fault.replaceAll(/\S*\/registry\/src\/[^/]+\//g, '')}`);
  };
  const counts = {};
  const samples = [];
  const compared = { moments: 0, numbers: 0 };
  let skipped = 0;
  const page = await open(tell);
  const session = await page.context().newCDPSession(page);
  await openControls(page);
  const long = [];
  let traced;
  let isComplete = false;
  let next = began;
  while (Date.now() - began < minutes * 60_000) {
    if (Date.now() >= next) {
      long.push(...await traced?.() ?? []);
      const seconds = Math.round((Date.now() - began) / 1000);
      const down = await revive(page, recent).catch((error) => `the workers cannot be started again: ${error.message.split('\n')[0]}`);
      if (down) tell(down);
      recent.clear();
      const taken = await sample(page, session, seconds).catch((error) => error);
      if (!(taken instanceof Error)) {
        samples.push(taken);
        console.log(Object.entries(taken).map(([what, value]) => `${what} ${value}`).join(', '));
      } else {
        // It did not come to rest: what was done before says why, and a fresh start lets the soak go on.
        const told = await page.evaluate(() => document.querySelector('[data-testid="status"]')?.textContent).catch(() => '');
        tell(`the page did not come to rest; it says “${told}”: ${taken.message.split('\n')[0]}`);
        await page.reload();
        await waitForStart(page);
      }
      next = Date.now() + SAMPLE_EVERY_MS;
      await openControls(page).catch((error) => tell(`the panel cannot be opened: ${error.message.split('\n')[0]}`));
      traced = await trace(page);
    }
    // Memory is judged over one visit: a page that starts anew has forgotten all that it would have held on to.
    const isYoung = Date.now() - began < WARM_UP_MS / 2;
    // A view that was once open stays in the document: from here on all of them are there.
    if (!isYoung && !isComplete) {
      await speak(page, 'en');
      for (const plot of Object.keys(PLOTS)) await show(page, plot);
      isComplete = true;
    }
    const name = roll.of(Object.keys(ACTIONS).filter((name) => isYoung || name !== 'language'));
    counts[name] = (counts[name] ?? 0) + 1;
    latest.push(name);
    recent.add(name);
    if (latest.length > 6) latest.shift();
    // A control that the present scene does not have is no fault.
    await ACTIONS[name](page).catch(() => { skipped += 1; });
    if (roll.below(5) === 0) {
      const found = await compare(page).catch((error) => (/Timeout|waiting for/.test(error.message) ? 0 : error.message));
      if (typeof found === 'string') tell(found);
      else if (found) {
        compared.moments += 1;
        compared.numbers += found;
      }
    }
  }
  long.push(...await traced());
  return { faults, counts, samples, compared, skipped, long, seconds: Math.round((Date.now() - began) / 1000) };
}

/** By how many percent the largest value after the warm-up exceeds the smallest one after it. */
function spread(samples, key) {
  const values = samples.filter(({ seconds }) => seconds * 1000 >= WARM_UP_MS).map((sample) => sample[key]).filter((x) => x > 0);
  return values.length < 2 ? NaN : 100 * (Math.max(...values) / Math.min(...values) - 1);
}

/** By how many percent the median of the last third exceeds that of the first third after the warm-up: a leak shows here. */
function growth(samples, key) {
  const values = samples.filter(({ seconds }) => seconds * 1000 >= WARM_UP_MS).map((sample) => sample[key]).filter((x) => x > 0);
  const third = Math.floor(values.length / 3);
  const median = (part) => part.toSorted((a, b) => a - b)[Math.floor(part.length / 2)];
  return third < 2 ? NaN : 100 * (median(values.slice(-third)) / median(values.slice(0, third)) - 1);
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
  const memory = (key, end) => `largest ${percent(spread(samples, key))} over smallest, last third ${percent(growth(samples, key))} over the first; ${end} at the end`;
  const slow = (clock) => {
    const over = long.map((task) => task[clock]).filter((ms) => ms > LONG_TASK_MS);
    return over.length ? `${over.length}, the longest ${Math.round(Math.max(...over))} ms` : 'none';
  };
  const rows = [
    ['actions', `${actions}, of ${Object.keys(counts).length} kinds; ${skipped} found no such control in the scene they met`],
    ['numbers compared with the command line', `${compared.numbers} at ${compared.moments} moments; one that differs by more than 1e-8 is a fault`],
    ['JavaScript heap at rest, after the warm-up', memory('heap', `${(last.heap / 2 ** 20).toFixed(1)} MiB`)],
    ['nodes of the document at rest', memory('attached', last.attached)],
    ['nodes in memory besides them', memory('detached', last.detached)],
    ['event listeners at rest', memory('listeners', last.listeners)],
    ['memory of the page\'s process', memory('resident', `${Math.round(last.resident / 2 ** 20)} MiB`)],
    ['workers at the end', String(last.workers)],
    [`main-thread tasks over ${LONG_TASK_MS} ms by the clock`, slow('clock')],
    [`main-thread tasks over ${LONG_TASK_MS} ms of processor time`, slow('processor')],
    ['faults', faults.length ? faults.map((fault) => fault.replaceAll('|', '\\|').replaceAll('\n', ' ').slice(0, 200)).join('<br>') : 'none'],
  ];
  const date = new Date().toISOString().slice(0, 10);
  const lines = [
    `\`make soak MINUTES=${minutes} SEED=${options.seed}\`, ${date}, commit ${git}: ${(seconds / 60).toFixed(1)} minutes on ${cpus().length} cores; the warm-up took ${(WARM_UP_MS / 60_000).toFixed(1)} of them.`,
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
// A hidden view keeps the user's content: pasted tables, a model. Nodes outside any document are leaks.
const grows = ['heap', 'detached', 'listeners'].filter((key) => growth(outcome.samples, key) > 5);
if (grows.length) console.error(`more than 5 % more in the last third than in the first: ${grows.join(', ')}`);
process.exitCode = outcome.faults.length || grows.length || outcome.long.some(({ processor }) => processor > LONG_TASK_MS) ? 1 : 0;
