// Writes two pages from the records in docs/performance/: benches/README.md, the log, from benches/README.template.md, and
// docs/performance.md, the summary, from benches/performance.template.md. Measures nothing.
//   node benches/table.mjs [--check]
// With --check it writes nothing and fails if a page is not what it would write: no number there is typed by hand.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as GOALS from './goals.mjs';
import { RECORDS } from './record.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** The pages: a name for messages, the file, and its template. With LIPSCOPE_RECORDS they are written beside the records. */
const page = (name, template) => ({
  name,
  path: process.env.LIPSCOPE_RECORDS ? `${RECORDS}/${basename(name)}` : here(`../${name}`),
  from: `benches/${template}`,
  template: readFileSync(here(template), 'utf8'),
});
const LOG = page('benches/README.md', 'README.template.md');
const PAGES = [LOG, page('docs/performance.md', 'performance.template.md')];
const settings = JSON.parse(readFileSync(here('settings.json'), 'utf8'));

// ---- records ---------------------------------------------------------------------------------------------------------

/** Thrown by a table that lacks a record. */
class Missing extends Error {
  constructor(command) {
    super(command);
    this.command = command;
  }
}

/** The commands that measure lines of docs/performance/times.tsv; `make times` measures the others. */
const TIME_COMMANDS = {
  'serve, fresh machine': 'make times PARTS=serve-fresh',
  'test, warm target': 'make test && make times PARTS=test',
  'test, empty target': 'make times PARTS=test-empty',
  'test, fresh machine': 'make times PARTS=test-fresh',
};
const loaded = new Map();

/** A record by its name. Some runs leave out a key: with `key`, a record without this key counts as missing. */
function record(name, key) {
  if (!loaded.has(name)) {
    const path = `${RECORDS}/${name}.json`;
    loaded.set(name, existsSync(path) ? { ...JSON.parse(readFileSync(path, 'utf8')), part: name } : null);
  }
  const found = loaded.get(name);
  if (!found || (key && found[key] === undefined)) throw new Missing(`make bench PARTS=${name}`);
  return found;
}

/** The lines of docs/performance/times.tsv, those with a goal first: {what, verdict, seconds, date, commit, machine}. */
function timeLines() {
  const path = `${RECORDS}/times.tsv`;
  if (!existsSync(path)) return [];
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\n').map((line) => line.split('\t'));
  const rows = lines.map((cells) => Object.fromEntries(head.map((key, at) => [key, key === 'seconds' ? Number(cells[at]) : cells[at]])));
  const order = Object.keys(GOALS.TIMES);
  const rank = ({ what }) => (order.includes(what) ? order.indexOf(what) : order.length);
  return rows.sort((a, b) => rank(a) - rank(b));
}
const times = timeLines();

/** Date and commit of the numbers, for a row of the goals (`origin`); with machine and command, for the line above a table (`source`). */
const origin = ({ date, commit, load }) => `${date}, \`${commit}\`${load ? ', busy machine' : ''}`;
const source = (...named) => `*${named.map(([words, found]) => `${words}: ${origin(found)}${found.load ? ` (load ${found.load.toFixed(1)})` : ''}; ${found.machine}; ${command(found)}`).join('. ')}.*`;
const command = ({ part, seconds: took }) => `\`make bench PARTS=${part}\`${took === undefined ? '' : `, ${took.toFixed(0)} s`}`;

// ---- words -----------------------------------------------------------------------------------------------------------

const ms = (x) => (x === undefined ? '' : x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x >= 0.1 ? x.toFixed(2) : x.toFixed(4));
const ratio = (x) => (Number.isFinite(x) ? `${x >= 10 ? x.toFixed(0) : x.toFixed(1)} x` : '');
const kb = (bytes) => (bytes / 1e3).toFixed(1);
const seconds = (x) => (x >= 10 ? x.toFixed(0) : x.toFixed(1));
const precise = (x) => x.toPrecision(3);
const exponent = (x) => x.toExponential();
const row = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n');
const shapeOf = (name) => `(${name.match(/\d+/g).join(', ')})`;
const productOf = ([m, n, k, transposed]) => `(${m} x ${k})${transposed ? ', transposed,' : ''} (${k} x ${n})`;
const SHAPE = '(n, d, heads, k)';

// ---- tables against PyTorch ------------------------------------------------------------------------------------------

/** A peer's time in ms for a measurement, by the ids of its runs: {power, arpack}. */
const peers = (power, arpack) => (theirs) => ({ power: theirs[power].seconds * 1e3, arpack: theirs[arpack].seconds * 1e3 });
const [loosely, tightly] = [peers('measure_loose', 'arpack_loose'), peers('measure', 'arpack')];
const [value, residual] = [`value to ${exponent(settings.value_error)}`, `residual ${exponent(settings.tolerance)}`];

/** A row's words, its id in the records, and the times of the peers for it in ms. A single product has no ARPACK. */
const WHAT = [
  ['J v', 'apply', (theirs) => ({ power: theirs.apply * 1e3 })],
  ['J^T u', 'apply_transpose', (theirs) => ({ power: theirs.apply_transpose * 1e3 })],
  [`measurement, ${value}`, 'measure_loose', loosely],
  [`measurement, ${residual}`, 'measure', tightly],
  [`measurement from a file, ${value}`, 'file_loose', loosely],
  [`measurement from a file, ${residual}`, 'file', tightly],
  [`window of a model, ${value}`, 'window_loose', loosely],
  [`window of a model, ${residual}`, 'window', tightly],
];

/** Names of experiments, smallest first. */
const bySize = (names) => names.sort((a, b) => {
  const size = (name) => { const [n, d] = name.match(/\d+/g).map(Number); return n * d; };
  return size(a) - size(b);
});

/** The names of the experiments of a record, smallest first. */
const experiments = (found) => bySize(Object.keys(found.experiments));

/** The record of the peers, with ARPACK. */
const peerRecord = () => record('torch', 'scipy');

/** Times in ms of the peers, of the faster one of them, and of Lipscope. */
function timesOf(name, id) {
  const { power, arpack } = WHAT.find(([, known]) => known === id)[2](peerRecord().experiments[name]);
  return {
    power,
    arpack,
    peer: Math.min(power, arpack ?? Infinity),
    native: record('native').experiments[name][id],
    browser: record('browser', 'experiments').experiments[name][id]?.median,
  };
}

function ratios() {
  const named = [['PyTorch and ARPACK', peerRecord()], ['native', record('native')], ['browser', record('browser', 'experiments')]];
  const rows = experiments(peerRecord()).flatMap((name) => WHAT.map(([label, id]) => {
    const { power, arpack, peer, native, browser } = timesOf(name, id);
    return [shapeOf(name), label, ms(power), ms(arpack), ms(native), ms(browser), ratio(peer / native), ratio(peer / browser)];
  }));
  return `${source(...named)}\n\n${table([SHAPE, 'what', 'PyTorch, ms', 'ARPACK, ms', 'native, ms', 'browser, ms', 'native', 'browser'], rows)}`;
}

function steps() {
  const [torch, native] = [peerRecord(), record('native')];
  const count = ({ method, iterations }) => (method === 'lanczos' ? iterations : 'SVD');
  const rows = experiments(torch).map((name) => {
    const { measure, measure_loose: loose, arpack, arpack_loose: looseArpack } = torch.experiments[name];
    const { reference: ours } = native.experiments[name];
    return [
      shapeOf(name), loose.steps, looseArpack.steps, count(ours.measure_loose), measure.steps, arpack.steps, count(ours.measure),
    ];
  });
  const head = [settings.value_error, settings.tolerance].flatMap((goal) => ['power', 'ARPACK', 'Lipscope'].map((who) => `${who}, ${exponent(goal)}`));
  return `${source(['PyTorch and ARPACK', torch], ['Lipscope', native])}\n\n${table([SHAPE, ...head], rows)}`;
}

/** The share of the rate of products at which J v or J^T u runs: its operations over its time, over the rate of its largest product. */
function shareOfRate(name, id) {
  const of = record('native');
  const [n, d, heads, k] = name.match(/\d+/g).map(Number);
  const operations = 2 * n * d * 3 * heads * k + heads * 8 * n * n * k;
  const wanted = settings.largest_product[name][id];
  const product = of.products.find(({ shape }) => wanted.every((length, at) => shape[at] === length));
  return operations / (1e6 * of.experiments[name][id]) / product.engine;
}

/** Attention of today's models: the peers, Lipscope, and Lipscope's time over that of plain attention at the same size. */
function variants() {
  const found = record('variants');
  const { kinds, inputs } = settings.variants;
  const rows = Object.keys(inputs).flatMap((input) => kinds.map((kind) => {
    const { ours, theirs } = found.experiments[`${kind}-${input}`];
    const { ours: plain } = found.experiments[`plain-${input}`];
    const [power, arpack] = [theirs.power.seconds * 1e3, theirs.arpack.seconds * 1e3];
    const [, n, d, heads, k] = input.match(/n(\d+)-d(\d+)-h(\d+)-k(\d+)/);
    const shape = `(${n}, ${d}, ${heads}${Number(heads) > inputs[input] ? ` on ${inputs[input]}` : ''}, ${k})`;
    return [
      shape, kind, ms(theirs.apply * 1e3), ms(ours.apply), ms(theirs.apply_transpose * 1e3), ms(ours.apply_transpose),
      ms(power), ms(arpack), ms(ours.norm), ratio(Math.min(power, arpack) / ours.norm), (ours.apply / plain.apply).toFixed(2),
    ];
  }));
  const head = [SHAPE, 'attention', 'J v, PyTorch, ms', 'J v', 'J^T u, PyTorch', 'J^T u', 'norm, PyTorch', 'norm, ARPACK', 'norm, Lipscope', 'faster by', 'J v over plain'];
  return `${source([`PyTorch ${found.torch}, ARPACK and native`, found])}\n\n${table(head, rows)}`;
}

function cores() {
  const found = record('cores');
  const rows = Object.entries(found.experiments).map(([name, { torch = [], lipscope }]) => [
    shapeOf(name), ...[0, 1].map((at) => (torch[at] === undefined ? '' : precise(torch[at]))), ...lipscope.map(precise),
    `${(lipscope[0] / lipscope[1]).toFixed(2)} x`,
  ]);
  const head = [SHAPE, 'PyTorch, 1 thread', `PyTorch, ${found.threads}`, 'Lipscope, 1 thread', `Lipscope, ${found.threads}`, 'gain'];
  return `${source([`PyTorch ${found.torch} and Lipscope`, found])}\n\n${table(head, rows)}`;
}

function largest() {
  const found = record('cores');
  const { d, head_dim: k, bytes, lipscope, torch, run } = found.largest;
  const measured = run ? `${seconds(run.seconds)} s, ${run.iterations} steps, residual ${run.relative_residual.toExponential(1)}` : '';
  return `${source(['Both', found])}\n\n${table(['(d, heads, k)', 'memory', 'Lipscope, n', 'Lipscope there, on all cores', 'PyTorch, n'], [[`(${d}, 1, ${k})`, `${(bytes / 2 ** 30).toFixed(0)} GiB`, lipscope, measured, torch]])}`;
}

function bounds() {
  const { name, repeats, norm, all, ...found } = record('bounds');
  const head = [SHAPE, 'the norm, s', 'the norm and all bounds, s', 'ratio'];
  return `${source([`The fastest of ${repeats}, in turns`, found])}\n\n${table(head, [[shapeOf(name), precise(norm), precise(all), (all / norm).toFixed(2)]])}`;
}

function python() {
  const { shape, repeats, python: call, command, ...found } = record('python');
  const head = [SHAPE, 'lipscope.measure, s', 'lipscope measure, s', 'ratio'];
  return `${source([`The fastest of ${repeats}, in turns`, found])}\n\n${table(head, [[`(${shape.join(', ')})`, precise(call), precise(command), (call / command).toFixed(2)]])}`;
}

// ---- tables of the engine --------------------------------------------------------------------------------------------

function productsNative() {
  const found = record('native');
  const rows = found.products.map(({ shape, engine, nalgebra }) => [productOf(shape), engine?.toFixed(1) ?? '', nalgebra?.toFixed(1) ?? '']);
  return `${source(['Native', found])}\n\n${table(['shape', 'engine (faer)', 'nalgebra'], rows)}`;
}

function productsBrowser() {
  const found = record('browser', 'products');
  const kernels = Object.keys(found.products[0].f64);
  const rows = found.products.map((row) => [productOf(row.shape), ...kernels.map((kernel) => `${row.f64[kernel].toFixed(1)} / ${row.f32[kernel].toFixed(1)}`)]);
  return `${source([`Chromium ${found.chromium}`, found])}\n\n${table(['shape', ...kernels], rows)}`;
}

function limit() {
  const found = record('browser', 'limit');
  return `${source([`Chromium ${found.chromium}`, found])}\n\n${table(['size', 'dense SVD, ms', 'Lanczos, ms'], found.limit.map(({ size, svd, lanczos }) => [size, ms(svd), ms(lanczos)]))}`;
}

function large() {
  const found = record('browser', 'large');
  const { d } = settings.large;
  const rows = found.large.map(({ n, milliseconds, iterations, relative_residual: residual, bytes }) => [
    `(${n}, ${d})`, precise(milliseconds / 1e3), iterations, residual.toExponential(1), (bytes / 1e6).toFixed(0),
  ]);
  return `${source([`Chromium ${found.chromium}`, found])}\n\n${table(['(n, d)', 'time, s', 'steps', 'residual', 'memory, MB'], rows)}`;
}

function memory() {
  const found = record('browser', 'memory');
  const { n, d } = settings.memory;
  const { bytes, iterations, milliseconds } = found.memory;
  const rows = [[`(${n}, ${d})`, (bytes / 1e6).toFixed(0), iterations, seconds(milliseconds / 1e3)]];
  return `${source([`Chromium ${found.chromium}`, found])}\n\n${table(['(n, d)', 'memory, MB', 'steps', 'time, s'], rows)}`;
}

// ---- tables of the page ----------------------------------------------------------------------------------------------

function sizes() {
  const found = record('sizes');
  const sums = found.sums.map(({ what, brotli, budget }) => [`**${what}**`, '', `**${kb(brotli)}**`, budget ?? '']);
  const files = found.files.map(({ name, plain, brotli }) => [`\`${name}\``, kb(plain), kb(brotli), '']);
  return `${source(['Release build', found])}\n\n${table(['', 'plain, KB', 'brotli, KB', 'budget'], [...sums, ...files])}`;
}

/** Whether the template of the log has a line that says why a crate is larger than its budget. */
const isExplained = (crate) => new RegExp(`^- \\*\\*\`${crate}\`\\.\\*\\* `, 'm').test(LOG.template);

const isOver = ({ crate, bytes }) => bytes > 1e3 * GOALS.CRATES[crate];

function crates() {
  const found = record('sizes', 'crates');
  const mark = (text, of) => (isOver(of) ? `**${text}**` : text);
  const rows = found.crates.map((of) => [mark(`\`${of.crate}\``, of), mark(kb(of.bytes), of), GOALS.CRATES[of.crate]]);
  return `${source(['Release build', found])}\n\n${table(['crate', 'plain, KB', 'budget'], rows)}`;
}

/** Words for the cases of the slider: view, way of moving, and what runs beside. */
const VIEWS = { explore: 'the opening view', growth: 'the view over n' };
const WAYS = { isolated: 'isolated', series: 'in a series' };
const LOADS = { alone: 'otherwise idle', busy: 'one core busy' };
/** A load where no column says that it is the machine's. */
const machineWords = (load) => (load === 'alone' ? `machine ${LOADS[load]}` : LOADS[load]);

function slider() {
  const found = record('slider', 'cases');
  const rows = found.cases.map(({ view, n, d, way, load, order, reply, text, frame }) => [
    VIEWS[view], `(${n}, ${d})`, WAYS[way], LOADS[load], ms(order.median), ms(reply.median), `**${ms(text.median)}**`, ms(text.p95), ms(frame.median),
  ]);
  const count = (key) => found.cases.reduce((sum, one) => sum + one[key], 0);
  const words = `${count('moves')} slider steps with a new number, ${count('timeouts')} without.`;
  const columns = ['view', '(n, d)', 'steps', 'machine', 'request', 'reply', 'text', 'text, 95th percentile', 'frame'];
  return `${source([`Chromium ${found.chromium}`, found])}\n\n${words}\n\n${table(columns, rows)}`;
}

function growth() {
  const found = record('growth');
  const rows = [['R', 'radius'], ['the scale of A', 'scale']].flatMap(([words, key]) => {
    const { text, drawn } = found[key];
    return [
      [`${words}, ms until the bound at n has changed`, ms(text.median), ms(text.p95)],
      [`${words}, frames until the curves are drawn`, drawn.median.toFixed(0), drawn.p95.toFixed(0)],
    ];
  });
  const head = `${found.radius.moves} and ${found.scale.moves} movements`;
  return `${source([`Chromium ${found.chromium}`, found])}\n\n${table([head, 'median', '95th percentile'], rows)}`;
}

function drag() {
  const found = record('drag');
  const rows = [
    ['frames from the movement to the token at its new place', 'place'],
    ['frames from the movement to constant, bounds and attention matrix', 'numbers'],
    ['frames from the token to its numbers', 'apart'],
  ].map(([words, key]) => [words, found[key].median.toFixed(0), found[key].p95.toFixed(0)]);
  rows.push(['ms from the movement until the frame after that', ms(found.ms.median), ms(found.ms.p95)]);
  const words = `Token and numbers were painted in one frame in ${found.apart.same} of ${found.moves} movements; ${found.unanswered} more were not answered.`;
  return `${source([`Chromium ${found.chromium}`, found])}\n\n${words}\n\n${table([`${found.n} tokens`, 'median', '95th percentile'], rows)}`;
}

function workers() {
  const found = record('workers');
  const rows = [[`one worker`, ms(found.one), ''], [`${found.workers} workers on ${found.cores} cores`, ms(found.all), found.ratio.toFixed(2)]];
  return `${source([`Chromium ${found.chromium}`, found])}\n\n${table([`${found.rounds} samples each`, 'median, ms', 'relative to one worker'], rows)}`;
}

/** The lines of a first visit. */
const FIRST_VIEWS = { slow_br: '4 Mbit/s with 150 ms, brotli', slow_gzip: '4 Mbit/s with 150 ms, gzip', fast: 'unthrottled' };

function firstView() {
  const found = record('first_view');
  const rows = Object.entries(FIRST_VIEWS).map(([id, words]) => {
    const { picture, alone, again, answered, bytes, document } = found[id];
    return [words, ms(picture.median), ms(picture.largest), ms(alone.median), ms(again.median), ms(answered.median), ms(answered.largest), kb(document), kb(bytes)];
  });
  const columns = ['connection', 'picture, ms', 'largest', 'the document alone, ms', 'picture of a second visit, ms', 'slider answered, ms', 'largest', 'document, KB', 'until the answer, KB'];
  return `${source([`Chromium ${found.chromium}, ${found.visits} visits each, nothing cached`, found])}\n\n${table(columns, rows)}`;
}

function train() {
  const found = record('train');
  const { blocks, width, context, batch } = found;
  const rows = [[`d = ${width}, ${blocks} blocks, T = ${context}, ${batch} windows`, ms(found.native), ms(found.browser), `${found.ratio.toFixed(2)} x`]];
  return `${source([`Chromium ${found.chromium} and the command line`, found])}\n\n${table(['a step of', 'native, one thread, ms', 'browser, ms', 'ratio'], rows)}`;
}

// ---- the summary -----------------------------------------------------------------------------------------------------

/** The line above a table of the summary: dates and commits. The commands stand at the end of the page. */
function brief(...named) {
  const machines = [...new Set(named.map(([, { machine }]) => machine))];
  const parts = named.map(([words, found]) => `${words}: ${origin(found)}${machines.length > 1 ? `, ${found.machine}` : ''}`);
  return `*${[...parts, ...(machines.length > 1 ? [] : machines)].join('; ')}.*`;
}

/** The norm of a layer to within the value error: the peers, Lipscope, and the ratios. */
function norms() {
  const named = [['PyTorch, ARPACK', peerRecord()], ['Lipscope', record('native')], ['Chromium', record('browser', 'experiments')]];
  const rows = experiments(peerRecord()).map((name) => {
    const { power, arpack, peer, native, browser } = timesOf(name, 'window_loose');
    return [shapeOf(name), ms(power), ms(arpack), ms(native), ms(browser), ratio(peer / native), ratio(peer / browser)];
  });
  return `${brief(...named)}\n\n${table([SHAPE, 'PyTorch, ms', 'ARPACK, ms', 'Lipscope, ms', 'in Chromium, ms', 'ratio', 'in Chromium'], rows)}`;
}

/** The smallest and the largest of numbers, in words. */
const range = (numbers, words) => `${words(Math.min(...numbers))} to ${words(Math.max(...numbers))}`;

/** The ratios to the faster peer over all experiments. */
const ratioRange = (runner, ...ids) => range(experiments(peerRecord()).flatMap((name) => ids.map((id) => {
  const of = timesOf(name, id);
  return of.peer / of[runner];
})), ratio);

/** Large experiments on one thread and on all of them. */
function threads() {
  const found = record('cores');
  const rows = Object.entries(found.experiments).filter(([name]) => !settings.cores.small.includes(name)).map(([name, { torch = [], lipscope }]) => [
    shapeOf(name), ...[0, 1].map((at) => (torch[at] === undefined ? '' : precise(torch[at]))), ...lipscope.map(precise),
    `${(lipscope[0] / lipscope[1]).toFixed(2)} x`,
  ]);
  const head = [SHAPE, 'PyTorch, 1 thread, s', `${found.threads} threads, s`, 'Lipscope, 1 thread, s', `${found.threads} threads, s`, 'gain'];
  return `${brief(['PyTorch, Lipscope', found])}\n\n${table(head, rows)}`;
}

/** A first visit: the picture, the document alone, and the answer to a slider. */
function visits() {
  const found = record('first_view');
  const rows = Object.entries(FIRST_VIEWS).filter(([id]) => id !== 'slow_gzip').map(([id, words]) => {
    const { picture, alone, answered } = found[id];
    return [words, ...[picture, alone, answered].map(({ median }) => ms(median))];
  });
  return `${brief([`Medians of ${found.visits} visits`, found])}\n\n${table(['connection', 'picture, ms', 'document alone, ms', 'slider answered, ms'], rows)}`;
}

/** The medians of a slider's step to the number on screen, from the fastest size to the slowest. */
function sliderRanges() {
  const found = record('slider', 'cases');
  const medians = (view, way, load) => range(found.cases.filter((one) => one.view === view && one.way === way && one.load === load).map(({ text }) => text.median), ms);
  const rows = Object.entries(VIEWS).flatMap(([view, words]) => Object.entries(WAYS).map(([way, how]) => [words, how, ...Object.keys(LOADS).map((load) => medians(view, way, load))]));
  return `${brief(['Chromium', found])}\n\n${table(['view', 'steps', ...Object.keys(LOADS).map((load) => `${machineWords(load)}, ms`)], rows)}`;
}

// ---- build and test times --------------------------------------------------------------------------------------------

function buildTimes() {
  if (times.length === 0) throw new Missing('make times');
  const rows = times.map(({ what, verdict, seconds: found, ...rest }) => [what, verdict, seconds(found), GOALS.TIMES[what] ?? '', origin(rest), rest.machine]);
  return table(['what', 'verdict', 'seconds', 'goal', 'date, commit', 'machine'], rows);
}

// ---- goals -----------------------------------------------------------------------------------------------------------

const LAYER = 'n100-d768-h12-k64';
const WINDOW = 'n98-d768-h12-k64';

/** Seconds of an experiment on one thread and on all of them, with the record that tells them. */
function onCores(name) {
  const of = record('cores');
  const { lipscope } = of.experiments[name] ?? {};
  if (!lipscope) throw new Missing('make bench PARTS=cores');
  const [one, all] = lipscope;
  return { one, all, of };
}

/** A goal: its words, the goal in words, and a function of what was found: {found, isMet, of}. */
const goals = [
  ...bySize(readdirSync(here('inputs')).map((file) => file.replace('.json', ''))).flatMap((name) => [['J v', 'apply'], ['J^T u', 'apply_transpose']].map(([words, id]) => [
    `${words}, native, at ${shapeOf(name)}`, `at least ${GOALS.PRODUCT} x PyTorch`, () => {
      const { peer, native } = timesOf(name, id);
      return { found: ratio(peer / native), isMet: peer / native >= GOALS.PRODUCT, of: record('native') };
    },
  ])),
  ...Object.keys(settings.largest_product).flatMap((name) => [['J v', 'apply'], ['J^T u', 'apply_transpose']].map(([words, id]) => [
    `${words}, native, at ${shapeOf(name)}, relative to the rate of its largest product`, `at least ${GOALS.RATE}`, () => {
      const found = shareOfRate(name, id);
      return { found: found.toFixed(2), isMet: found >= GOALS.RATE, of: record('native') };
    },
  ])),
  ...[
    [LAYER, 'a whole measurement', `to a residual of ${exponent(settings.tolerance)}`, 'measure'],
    [LAYER, 'a whole measurement', `to ${exponent(settings.value_error)} of the value`, 'measure_loose'],
    [WINDOW, 'the norm of a window of a model', `to ${exponent(settings.value_error)} of the value`, 'window_loose'],
  ].flatMap(([name, what, words, id]) => Object.entries(GOALS.RATIOS).map(([runner, goal]) => [
    `${what}, ${runner}, at ${shapeOf(name)}, ${words}`,
    `at least ${goal} x the faster peer`,
    () => {
      const of = timesOf(name, id);
      const found = of.peer / of[runner];
      return { found: ratio(found), isMet: found >= goal, of: record(runner) };
    },
  ])),
  [`a whole measurement from a file, native, at ${shapeOf(WINDOW)}, to ${exponent(settings.value_error)} of the value`, `at least ${GOALS.FILE} x the faster peer`, () => {
    const { peer, native } = timesOf(WINDOW, 'file_loose');
    if (native === undefined) throw new Missing('make bench PARTS=native');
    return { found: ratio(peer / native), isMet: peer / native >= GOALS.FILE, of: record('native') };
  }],
  ...Object.keys(settings.variants.inputs).map((input) => [
    `the norm of each attention of today's models at ${shapeOf(input)}, to ${exponent(settings.value_error)} of the value, smallest ratio`,
    `at least ${GOALS.VARIANTS} x the faster peer`, () => {
      const of = record('variants');
      const ratios = settings.variants.kinds.map((kind) => {
        const { ours, theirs } = of.experiments[`${kind}-${input}`];
        return { kind, by: Math.min(theirs.power.seconds, theirs.arpack.seconds) * 1e3 / ours.norm };
      });
      const { kind, by } = ratios.reduce((a, b) => (a.by < b.by ? a : b));
      return { found: `${ratio(by)}, ${kind}`, isMet: by >= GOALS.VARIANTS, of };
    },
  ]),
  ...Object.keys(LOADS).flatMap((load) => Object.entries(WAYS).flatMap(([way, moved]) => ['median', 'p95'].map((key) => {
    const machine = machineWords(load);
    const most = GOALS.SLIDER[key] * (load === 'busy' ? GOALS.SLIDER.busy : 1);
    return [`one slider step to the new number, ${moved}, ${machine}, ${key === 'median' ? 'median' : '95th percentile'}, slowest case`, `${most} ms`, () => {
      const of = record('slider', 'cases');
      const slowest = of.cases.filter((one) => one.load === load && one.way === way).reduce((a, b) => (a.text[key] > b.text[key] ? a : b));
      const { view, n, d, text } = slowest;
      return { found: `${ms(text[key])} ms, ${VIEWS[view]}, (${n}, ${d})`, isMet: text[key] <= most, of };
    }];
  }))),
  ...[['radius', 'R'], ['scale', 'A']].map(([key, words]) => [
    `curves over n redrawn after a step of ${words}, median`,
    `${GOALS.GROWTH} frame`,
    () => {
      const of = record('growth');
      const frames = of[key].drawn.median;
      return { found: `${frames} ${frames === 1 ? 'frame' : 'frames'}`, isMet: frames <= GOALS.GROWTH, of };
    },
  ]),
  ['the opening plot on all cores, relative to one worker', `at most ${GOALS.WORKERS}`, () => {
    const of = record('workers');
    return { found: of.ratio.toFixed(2), isMet: of.ratio <= GOALS.WORKERS, of };
  }],
  ...settings.cores.large.map(({ n, d, heads, head_dim: k }) => `n${n}-d${d}-h${heads}-k${k}`).map((name) => [
    `speed-up by all cores, native, at ${shapeOf(name)}`, `at least ${GOALS.CORES} x`, () => {
      const { one, all, of } = onCores(name);
      const found = one / all;
      return { found: `${found.toFixed(2)} x`, isMet: found >= GOALS.CORES, of };
    },
  ]),
  ...settings.cores.small.map((name) => [
    `time on all cores relative to one, native, at ${shapeOf(name)}`, `at most ${GOALS.SMALL}`, () => {
      const { one, all, of } = onCores(name);
      const found = all / one;
      return { found: found.toFixed(2), isMet: found <= GOALS.SMALL, of };
    },
  ]),
  ...Object.entries(FIRST_VIEWS).flatMap(([id, words]) => {
    const goal = GOALS.FIRST_VIEW[id];
    const of = () => record('first_view');
    return [['picture', 'first visit, picture painted'], ['answered', 'first visit, slider answered']].map(([key, what]) => [
      `${what}, ${words}, median`, `${goal[key]} ms`, () => ({ found: `${ms(of()[id][key].median)} ms`, isMet: of()[id][key].median <= goal[key], of: of() }),
    ]);
  }),
  ['first visit, picture painted, relative to the document alone, 4 Mbit/s, brotli', `at most ${GOALS.OVER_DOCUMENT}`, () => {
    const of = record('first_view');
    const found = of.slow_br.picture.median / of.slow_br.alone.median;
    return { found: found.toFixed(2), isMet: found <= GOALS.OVER_DOCUMENT, of };
  }],
  ['second visit, picture painted, from the first byte out of the cache, 4 Mbit/s, brotli, median', `${GOALS.AGAIN} ms`, () => {
    const of = record('first_view');
    const found = of.slow_br.again.median;
    return { found: `${ms(found)} ms`, isMet: found <= GOALS.AGAIN, of };
  }],
  ['index.html with its styles and the opening view, brotli', `${GOALS.DOCUMENT} KB`, () => {
    const of = record('sizes');
    const sum = of.sums.find(({ id }) => id === 'document');
    if (!sum) throw new Missing('make bench PARTS=sizes');
    return { found: `${kb(sum.brotli)} KB`, isMet: !sum.over, of };
  }],
  [`the norm and all bounds relative to the norm alone, at ${shapeOf(WINDOW)}`, `at most ${GOALS.BOUNDS}`, () => {
    const of = record('bounds');
    const found = of.all / of.norm;
    return { found: found.toFixed(2), isMet: found <= GOALS.BOUNDS, of };
  }],
  ['a call from Python relative to the command line, at (98, 768, 12, 64)', `at most ${GOALS.PYTHON}`, () => {
    const of = record('python');
    const found = of.python / of.command;
    return { found: found.toFixed(2), isMet: found <= GOALS.PYTHON, of };
  }],
  ...Object.entries(GOALS.LARGE).map(([n, goal]) => [
    `a measurement in the browser at (n, d) = (${n}, ${settings.large.d}), to a residual of ${exponent(settings.large.tolerance)}`,
    `${goal} s`,
    () => {
      const of = record('browser', 'large');
      const { milliseconds } = of.large.find((row) => row.n === Number(n));
      return { found: `${precise(milliseconds / 1e3)} s`, isMet: milliseconds <= 1e3 * goal, of };
    },
  ]),
  [`memory of a worker at (n, d) = (${settings.memory.n}, ${settings.memory.d})`, `under ${GOALS.MEMORY} MB`, () => {
    const of = record('browser', 'memory');
    const found = of.memory.bytes / 1e6;
    return { found: `${found.toFixed(0)} MB`, isMet: found < GOALS.MEMORY, of };
  }],
  ['a step of training in the browser relative to one native thread', `at most ${GOALS.TRAIN} x`, () => {
    const of = record('train');
    return { found: `${of.ratio.toFixed(2)} x`, isMet: of.ratio <= GOALS.TRAIN, of };
  }],
  ...[
    ['first_picture', 'loaded before the first picture, brotli'], ['wasm', 'WebAssembly without that of models, brotli'],
    ['models', 'loaded when models are looked at, brotli'], ['train', 'loaded when models are trained, brotli'],
  ].map(([id, words]) => [
    words, `${GOALS.SIZES[id]} KB`, () => {
      const of = record('sizes');
      const sum = of.sums.find((sum) => sum.id === id);
      if (!sum) throw new Missing('make bench PARTS=sizes');
      const { brotli } = sum;
      return { found: `${kb(brotli)} KB`, isMet: brotli <= 1e3 * GOALS.SIZES[id], of };
    },
  ]),
  ['crates of the first module within their budgets', `${Object.keys(GOALS.CRATES).length} groups`, () => {
    const of = record('sizes', 'crates');
    const within = of.crates.filter((crate) => !isOver(crate)).length;
    return { found: `${within} groups`, isMet: within === of.crates.length, of };
  }],
  ...Object.entries(GOALS.TIMES).map(([what, goal]) => [what.replace(/^\w+/, (target) => `\`make ${target}\``), `${goal} s`, () => {
    const of = times.find((line) => line.what === what);
    if (!of) throw new Missing(TIME_COMMANDS[what] ?? 'make times');
    const isOk = of.verdict === 'ok';
    return { found: `${seconds(of.seconds)} s${isOk ? '' : `, ${of.verdict}`}`, isMet: isOk && of.seconds <= goal, of };
  }]),
];

/** Missed goals first, then those met, then those without a record. */
function goalTable() {
  const rows = goals.map(([words, goal, look]) => {
    try {
      const { found, isMet, of } = look();
      return { rank: isMet ? 1 : 0, cells: [isMet ? 'met' : '**MISSED**', words, found, goal, origin(of)] };
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      return { rank: 2, cells: ['not measured', words, '', goal, `\`${error.command}\``] };
    }
  }).sort((a, b) => a.rank - b.rank);
  const count = (rank) => rows.filter((row) => row.rank === rank).length;
  return `${count(0)} missed, ${count(1)} met, ${count(2)} not measured.\n\n${table(['', 'what', 'measured', 'goal', 'date, commit'], rows.map(({ cells }) => cells))}`;
}

// ---- the page --------------------------------------------------------------------------------------------------------

const PLACES = {
  goals: goalTable,
  ratios, steps, variants, cores, largest, bounds, python, products_native: productsNative, products_browser: productsBrowser, limit, large, memory,
  sizes, crates, slider, growth, drag, workers, first_view: firstView, train, times: buildTimes,
  tolerance: () => exponent(settings.tolerance),
  value_error: () => exponent(settings.value_error),
  large_tolerance: () => exponent(settings.large.tolerance),
  rust: () => record('native').rustc,
  torch: () => record('torch').torch,
  scipy: () => peerRecord().scipy,
  loose_tolerance: () => exponent(settings.loose_tolerance),
  norms, threads, visits, slider_ranges: sliderRanges,
  tight_native: () => ratioRange('native', 'window'),
  tight_browser: () => ratioRange('browser', 'window'),
  whole_native: () => ratioRange('native', 'measure', 'measure_loose'),
  whole_browser: () => ratioRange('browser', 'measure', 'measure_loose'),
  memory_limit: () => `${(record('cores').largest.bytes / 2 ** 30).toFixed(0)} GiB`,
  memory_width: () => record('cores').largest.d,
  memory_lipscope: () => record('cores').largest.lipscope,
  memory_torch: () => record('cores').largest.torch,
};

const PLACE = /\{\{(\w+)\}\}/g;

/** A section of a template with its places filled, or one line that names the command which measures what it lacks. */
function section(text, from) {
  try {
    return text.replace(PLACE, (_, name) => {
      if (!PLACES[name]) throw new Error(`${from}: there is no place ${name}`);
      return PLACES[name]();
    });
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    const title = text.slice(0, text.indexOf('\n'));
    return `${title}\n\nNot measured in a run that is kept here: \`${error.command}\`.\n\n`;
  }
}

/** The text of a page. */
function filled({ from, template }) {
  const typed = template.replace(PLACE, '').replace(/`[^`]*`/g, '').match(/.*\d.*/);
  if (typed) throw new Error(`${from} holds a number; numbers come from records: ${typed[0]}`);
  return template.split(/^(?=##+ )/m).map((text) => section(text, from)).join('').trimEnd().concat('\n');
}

// A crate of the first module may grow over its budget only where the page says why.
const unexplained = (() => {
  try {
    return record('sizes', 'crates').crates.filter((of) => isOver(of) && !isExplained(of.crate));
  } catch (error) {
    if (error instanceof Missing) return [];
    throw error;
  }
})();
for (const { crate, bytes } of unexplained) {
  console.error(`${crate} takes ${kb(bytes)} KB of the first module, and its budget in benches/goals.mjs is ${GOALS.CRATES[crate]}. Make it smaller, or say why it grew in a line of ${LOG.from} that begins with: - **\`${crate}\`.**`);
}

const isCheck = process.argv.includes('--check');
for (const one of PAGES) {
  const text = filled(one);
  if (!isCheck) {
    writeFileSync(one.path, text);
    console.log(`${one.path} written`);
  } else if (!existsSync(one.path) || readFileSync(one.path, 'utf8') !== text) {
    console.error(`${one.name} is not what benches/table.mjs writes. Run: node benches/table.mjs`);
    process.exitCode = 1;
  }
}
if (isCheck && unexplained.length > 0) process.exitCode = 1;
