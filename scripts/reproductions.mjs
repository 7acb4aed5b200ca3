// Writes the tables and verdicts of docs/reproductions.md: numbers of the two papers beside those of Lipscope.
//   node scripts/reproductions.mjs [--check]
// Without --check it runs every command of the page and writes docs/reproductions/record.json and the page. With --check it
// writes nothing: it runs the quick commands again, and fails if a number differs from the record, or the page from what it
// would write. LIPSCOPE_BIN is the command line, a file named lipscope; the default is target/debug/lipscope.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const PAGE = join(root, 'docs/reproductions.md');
const RECORD = join(root, 'docs/reproductions/record.json');
const read = (path) => readFileSync(join(root, path), 'utf8');
const isCheck = process.argv.includes('--check');
const lipscope = resolve(root, process.env.LIPSCOPE_BIN ?? 'target/debug/lipscope');

// ---- the formulas of the papers, evaluated here ------------------------------------------------------------------------

/** The Lambert function W_0 of x > 0, by Newton's method. */
function lambert(x) {
  let w = Math.log1p(x);
  for (let step = 0; step < 100; step += 1) {
    const e = Math.exp(w);
    const next = w - (w * e - x) / (e * (w + 1));
    if (Math.abs(next - w) <= 1e-16 * Math.abs(next)) return next;
    w = next;
  }
  return w;
}

/** The inverse of phi(x) = x e^(x + 1). */
const inversePhi = (y) => lambert(y / Math.E);

/** [C] Theorem 3.3, with a = ||A|| R^2 and v = ||V||. */
const castinGeneral = (n, a, v = 1) => Math.sqrt(3) * v * Math.sqrt(a * a * (4 * n + 1) + n);
/** [C], mean-field theorem. */
const castinMeanField = (a, v = 1) => v * (1 + 3 * a) * Math.exp(2 * a);
/** [K] Theorem 3.2 in the l_inf norm, for one head with d = k = 1 and weights one. */
const kimLinf = (n) => 4 * inversePhi(n - 1) + 1;
/** [K] Theorem 3.2 in the l_2 norm, for one head with d = k = 1; the power of |W_Q| is 1 in the paper and 2 in its correction. */
const kimL2 = (n, { query, value, output }, power) => Math.sqrt(n) * (4 * inversePhi(n - 1) + 1) * Math.abs(query) ** power * Math.abs(value * output);

/** Least squares of log y = log c + alpha log x: {factor, exponent}. */
function powerLaw(points) {
  const logs = points.map((point) => point.map(Math.log));
  const mean = (at) => logs.reduce((sum, log) => sum + log[at], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const exponent = logs.reduce((sum, log) => sum + (log[0] - x) * (log[1] - y), 0) / logs.reduce((sum, log) => sum + (log[0] - x) ** 2, 0);
  return { factor: Math.exp(y - exponent * x), exponent };
}

/** Least squares of y = C sqrt(x), weighted as in log y: C is the geometric mean of y/sqrt(x). */
const rootLaw = (points) => Math.exp(points.reduce((sum, [x, y]) => sum + Math.log(y / Math.sqrt(x)), 0) / points.length);

// ---- commands ----------------------------------------------------------------------------------------------------------

const echo = (experiment, command) => `echo '${JSON.stringify(experiment)}' | lipscope ${command}`;
const identity = (sign) => ({ source: 'identity', sign });
const adversarial = (radius) => ({ source: 'adversarial', n: 64, radius });
const random = (n, d, radius, seed = 0) => ({ source: 'random', n, d, radius, seed });
const rows = (out) => JSON.parse(out).rows;
const values = (names, list) => Object.fromEntries(list.flatMap(([key, row]) => names.map((name) => [`${name} ${key}`, row[name]])));
const TEXT = 'assets/alice.txt';

/** A run of `lipscope model`: means of both estimators by layer and n, and the fits over all windows. */
function modelRun(out) {
  const found = {};
  const all = rows(out);
  for (const layer of new Set(all.map((row) => row.layer))) {
    for (const name of ['spectral', 'released']) {
      const points = all.filter((row) => row.layer === layer).map((row) => [row.n, row[name]]);
      for (const n of new Set(points.map(([length]) => length))) {
        const at = points.filter(([length]) => length === n).map(([, value]) => value);
        found[`${name} ${layer} ${n}`] = at.reduce((sum, value) => sum + value, 0) / at.length;
      }
      Object.assign(found, { [`${name} ${layer} factor`]: powerLaw(points).factor, [`${name} ${layer} exponent`]: powerLaw(points).exponent, [`${name} ${layer} root`]: rootLaw(points) });
    }
  }
  return found;
}

/** The matrices of L2 attention with d = heads = 1, from the program that `lipscope script` writes: V = W_Q^2 W_V. */
function kimWeights(out) {
  const [head] = out.match(/HEADS = \[\n.*\n/);
  const [query, , value] = [...head.matchAll(/\[\[(-?[\d.e+-]+)\]\]/g)].map((match) => Number(match[1]));
  return { query, value: value / query ** 2, output: Number(out.match(/OUTPUT = table\(\[\[(-?[\d.e+-]+)\]\]\)/)[1]) };
}

const WIDE = { tokens: { source: 'explicit', rows: [[-30, 2], [20, 5], [22, -9], [25, 1], [-8, -20], [3, 24]] }, weights: identity(-1) };
const PAIR = { attention: 'l2', tokens: { source: 'explicit', rows: [[0], [0]] }, weights: { source: 'kim', scale: 100, seed: 0 } };
const LINE = (n) => ({ attention: 'l2', tokens: random(n, 1, 4), weights: { source: 'kim', seed: 1 } });
const inverse = (out) => {
  const found = {};
  for (const c of [0.5, 0.7, 0.9]) {
    const steps = rows(out).filter((row) => row.c === c);
    Object.assign(found, { [`steps ${c}`]: steps.length, [`fifth ${c}`]: steps[5].error, [`least ${c}`]: Math.max(1e-9, Math.min(...steps.map((row) => row.residual))) });
  }
  return found;
};
const adversarialRun = (options) => ({ command: `lipscope model ${options} -n 2:97:5 --json`, read: modelRun });
const windows = (options) => ({ command: `lipscope model ${options} --text ${TEXT} -n 2,8,32,98 --windows 2 --json`, read: modelRun });

/** The commands of the page. A quick one runs again with --check; `within` is the relative difference that it allows. */
const RUNS = {
  ball2: { quick: true, command: echo({ tokens: adversarial(2), weights: identity(-1) }, 'bounds -n 101,4096,1e9 --json'), read: (out) => values(['castin_general', 'castin_mean_field'], rows(out).map((row) => [row.n, row])) },
  plane: { quick: true, command: echo({ tokens: random(64, 2, 3), weights: identity(-1) }, 'bounds -n 64,4096,1e12,1e15 --json'), read: (out) => {
    const known = (row) => Math.max(...['two_clusters', 'sink', 'fork', 'centre'].map((name) => row[name]));
    return values(['castin_general', 'castin_mean_field', 'sharp', 'known'], rows(out).map((row) => [row.n, { ...row, known: known(row) }]));
  } },
  causal: { quick: true, command: echo({ mask: 'causal', tokens: adversarial(2), weights: identity(-1) }, 'bounds -n 100,10000 --json'), read: (out) => values(['castin_general'], rows(out).map((row) => [row.n, row])) },
  wide: { quick: true, command: echo(WIDE, 'measure'), read: (out) => ({ spectral: JSON.parse(out).spectral }) },
  scale: { quick: true, command: echo({ attention: 'l2', tokens: random(8, 4, 1), weights: { source: 'kim', seed: 0 } }, 'scale --most 1e6 --count 13 --json'), read: (out) => {
    const last = rows(out).filter((row) => row.radius > 0.99e4);
    // A slope near zero is kept as 1 + slope, because the check is relative.
    const slope = (name) => powerLaw(last.map((row) => [row.radius, row[name]])).exponent;
    return { 'slope dot': slope('dot'), 'slope l2': 1 + slope('l2'), 'norm dot': last.at(-1).dot, 'norm l2': last.at(-1).l2 };
  } },
  weights: { quick: true, command: echo(PAIR, 'script --numpy'), read: kimWeights },
  kim: { quick: true, command: echo(PAIR, 'bounds -n 2,1000 --json'), read: (out) => values(['kim_linf', 'kim_l2'], rows(out).map((row) => [row.n, row])) },
  pair: { quick: true, command: echo(PAIR, 'measure'), read: (out) => ({ spectral: JSON.parse(out).spectral }) },
  tightness: { command: 'lipscope tightness --most 1000 --count 7 --restarts 50 --seed 0 --json', read: (out) => values(['n', 'found_linf', 'kim_linf'], rows(out).map((row, at) => [at, row])) },
  search10: { quick: true, within: 1e-2, command: echo(LINE(10), 'search --restarts 12 --steps 300 --seed 0 --json'), read: (out) => ({ found: Math.max(...rows(out).map((row) => row.best)) }) },
  search30: { within: 1e-2, command: echo(LINE(30), 'search --restarts 12 --steps 300 --seed 0 --json'), read: (out) => ({ found: Math.max(...rows(out).map((row) => row.best)) }) },
  line: { quick: true, command: echo(LINE(10), 'bounds -n 10,30 --json'), read: (out) => values(['kim_l2', 'kim_column'], rows(out).map((row) => [row.n, row])) },
  invertL2: { quick: true, within: 1e-6, command: echo({ attention: 'l2', tokens: random(16, 8, 10), weights: { source: 'kim', heads: 2, seed: 0 } }, 'invert -c 0.5,0.7,0.9 --json'), read: inverse },
  invertDot: { quick: true, within: 1e-6, command: echo({ tokens: random(8, 4, 10, 13), weights: identity(1) }, 'invert -c 0.5,0.7,0.9 --max-iterations 500 --json'), read: inverse },
  gpt2: windows('--weights random:gpt2 --layers 0,6'),
  bert: windows('--weights random:bert --layers 0'),
  bertResidual: windows('--weights random:bert --layers 0 --map attention-residual'),
  decoder: windows('--weights random:bert --mask causal --layers 6'),
  advGpt2: { quick: true, ...adversarialRun('--weights random:gpt2 --layers 6 --head 0 --adversarial 100') },
  advBert: adversarialRun('--weights random:bert --layers 0 --head 0 --adversarial 15.5'),
  advDecoder: adversarialRun('--weights random:bert --mask causal --layers 6 --head 7 --adversarial 21.5'),
  advGpt2First: adversarialRun('--weights random:gpt2 --layers 0 --head 0 --adversarial 10'),
};

function execute({ command, read: parse }) {
  const path = `${dirname(lipscope)}:${process.env.PATH}`;
  const { status, stdout, stderr, error } = spawnSync('bash', ['-euo', 'pipefail', '-c', command], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, PATH: path } });
  if (status !== 0) throw new Error(`${command}\n${error ?? stderr}`);
  return parse(stdout);
}

const old = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {};
const record = {};
const fault = (problem) => {
  console.error(problem);
  process.exitCode = 1;
};
for (const [id, run] of Object.entries(RUNS)) {
  if (!isCheck) {
    record[id] = { command: run.command, values: execute(run) };
    continue;
  }
  record[id] = old[id];
  if (old[id]?.command !== run.command) throw new Error(`docs/reproductions/record.json lacks a command. Run: node scripts/reproductions.mjs\n${run.command}`);
  if (!run.quick) continue;
  for (const [name, found] of Object.entries(execute(run))) {
    const kept = old[id].values[name];
    const isNear = Math.abs(found - kept) <= (run.within ?? 1e-9) * Math.max(Math.abs(found), Math.abs(kept));
    if (!isNear) fault(`${name} is ${found}, and ${kept} in docs/reproductions/record.json: ${run.command}`);
  }
}
const of = (id, name) => {
  const value = record[id].values[name];
  if (typeof value !== 'number') throw new Error(`${id} has no ${name}`);
  return value;
};

// ---- numbers of other documents ----------------------------------------------------------------------------------------

const cells = (line) => line.split('|').slice(1, -1).map((cell) => cell.trim());

/** A row of a table of runs in docs/training.md: {lowest, last}. */
function trained(part, run) {
  const table = read('docs/training.md').split(`<!-- ${part}: begin -->`)[1].split(`<!-- ${part}: end -->`)[0];
  const row = cells(table.split('\n').find((line) => line.startsWith(`| \`${run}-seed0\` |`)));
  return { lowest: row[2], last: row[3] };
}

/** The rows of the random GPT-2 over ten windows a length in docs/models_reference.md: the means by n, and the fit. */
function reference(name) {
  const section = read('docs/models_reference.md').split('## Randomly initialised GPT-2')[1].split('\n## ')[0];
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  const [lengths, row] = [cells(lines[0]), cells(lines.find((line) => line.startsWith(`| ${name} |`)))];
  return { means: lengths.slice(1, -1).map((n, at) => [Number(n), Number(row[at + 1])]), fit: row.at(-1).split(' (')[0] };
}

/** The ranges over ten windows of 48 tokens of attention in a trained MiniLM, in docs/models_reference.md: [norm, estimator]. */
function miniLm(layer) {
  const [line] = read('docs/models_reference.md').split('\n').filter((line) => line.startsWith(`| attention | ${layer} | 10 |`)).map(cells);
  if (!line) throw new Error(`docs/models_reference.md has no row of attention in layer ${layer}`);
  return [line[3], line[5]];
}

// ---- words -------------------------------------------------------------------------------------------------------------

/** A number with so many significant digits. */
function digits(x, count = 5) {
  if (x === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(x)));
  if (size >= -3 && size < 6) return x.toPrecision(Math.max(count, size + 1));
  return x.toExponential(count - 1).replace('e+', 'e');
}
const law = (factor, exponent) => `${digits(factor, 3)} n^${exponent.toFixed(3)}`;
const fitted = (id, name, layer) => law(of(id, `${name} ${layer} factor`), of(id, `${name} ${layer} exponent`));
const root2 = (id, name, layer) => `${digits(of(id, `${name} ${layer} root`), 3)} sqrt(n)`;
const tableOf = (head, list) => [head, head.map(() => '---'), ...list].map((row) => `| ${row.join(' | ')} |`).join('\n');
const code = (...ids) => ['<!-- not run: scripts/reproductions.mjs runs it, and with --check again where that is quick -->', '', '```sh', ...ids.map((id) => record[id].command), '```'].join('\n');

/** The largest relative difference of pairs. */
const apart = (pairs) => Math.max(...pairs.map(([theirs, ours]) => Math.abs(ours / theirs - 1)));
const SAME = 'same';
const DIFFERS = 'differs';
const ABSENT = 'not reproduced';

/** "Same", if all pairs are within a relative difference: otherwise the page must say why, and this stops. */
function same(pairs, within, words) {
  const found = apart(pairs);
  if (!(found <= within)) throw new Error(`${words}: the numbers are ${found} apart, more than ${within}`);
  return { word: SAME, why: words };
}
function holds(condition, words) {
  if (!condition) throw new Error(`this no longer holds: ${words}`);
  return { word: SAME, why: words };
}
/** "Differs": the norm is above the published formula, while the corrected one is the command's. */
function exceeded(norm, formula, words, pairs) {
  same(pairs, ROUNDING, words);
  if (!(norm > formula)) throw new Error(`the norm ${norm} no longer exceeds ${formula}`);
  return differs(words);
}
const differs = (why) => ({ word: DIFFERS, why });
const absent = (why) => ({ word: ABSENT, why });
const percent = (x) => `${(100 * x).toPrecision(2)} %`;

// ---- the items ---------------------------------------------------------------------------------------------------------

/** Rows of a table that compares a formula with the command line. */
const compared = (pairs) => pairs.map(([at, theirs, ours]) => [at, digits(theirs, 7), digits(ours, 7), Math.abs(ours / theirs - 1).toExponential(0)]);
const FORMULA = ['at', 'formula, evaluated by the script', 'Lipscope', 'relative difference'];
/** Two evaluations of one formula, with the allowance for rounding that a printed bound includes. */
const ROUNDING = 1e-10;
const numbers = (list) => list.map(([, theirs, ours]) => [theirs, ours]);

const general = [[101, 2], [4096, 2], [1e9, 2]].map(([n, radius]) => [`n = ${n < 1e6 ? n : '1e9'}, R = ${radius}`, castinGeneral(n, radius ** 2), of('ball2', `castin_general ${n}`)]);
const masked = [100, 10000].map((n) => [`n = ${n}, R = 2`, castinGeneral(n, 4), of('causal', `castin_general ${n}`)]);
const meanField = [[2, 'ball2', 1e9], [3, 'plane', 1e12]].map(([radius, id, n]) => [`R = ${radius}`, castinMeanField(radius ** 2), of(id, `castin_mean_field ${n}`)]);

/** The most rows that attend to one token in the limit of large R, for A = -I. */
const mostRows = (() => {
  const tokens = WIDE.tokens.rows;
  const score = (i, j) => -(tokens[i][0] * tokens[j][0] + tokens[i][1] * tokens[j][1]);
  const best = tokens.map((_, i) => tokens.map((__, j) => score(i, j)).reduce((top, value, j, all) => (value > all[top] ? j : top), 0));
  return Math.max(...best.map((token) => best.filter((other) => other === token).length));
})();

const weightsOfPair = { query: of('weights', 'query'), value: of('weights', 'value'), output: of('weights', 'output') };
const linf = [2, 1000].map((n) => [`n = ${n}`, kimLinf(n) * weightsOfPair.query ** 2 * Math.abs(weightsOfPair.value * weightsOfPair.output), of('kim', `kim_linf ${n}`)]);
const corrected = [2, 1000].map((n) => [`n = ${n}`, kimL2(n, weightsOfPair, 2), of('kim', `kim_l2 ${n}`)]);
const published = kimL2(2, weightsOfPair, 1);

const growth = (name, from, to) => Math.log(of('plane', `${name} ${to}`) / of('plane', `${name} ${from}`)) / Math.log(to / from);

const tight = [0, 1, 2, 3, 4, 5, 6].map((at) => ['n', 'found_linf', 'kim_linf'].map((name) => of('tightness', `${name} ${at}`)));
const ratios = tight.map(([, found, bound]) => bound / found);

const ESTIMATOR = reference('released-script estimator');
const NORM = reference('spectral norm');
const curve = (factor, exponent) => (n) => factor * n ** exponent;
const gpt2Curve = curve(0.445, 0.25);

/** A curve over windows of a text: theirs with trained weights, ours with drawn ones. */
const textRow = (file, theirs, id, layer, map) => [`\`${file}\``, theirs, map, fitted(id, 'released', layer), fitted(id, 'spectral', layer)];
const TEXT_HEAD = ['figure file', 'theirs, trained', 'our map, drawn weights', 'released-script estimator', 'norm'];
const adversarialRow = (file, theirs, id, layer) => [`\`${file}\``, theirs, root2(id, 'released', layer), root2(id, 'spectral', layer), of(id, `spectral ${layer} exponent`).toFixed(3)];

/** A round number above the estimator of the random BERT, which its layer norm makes nearly zero. */
const residue = 10 ** Math.ceil(Math.log10(Math.max(...[2, 8, 32, 98].map((n) => of('bertResidual', `released 0 ${n}`)))));
const NO_WEIGHTS = 'theirs has trained weights, and Lipscope ships none';
const kinds = ['dot', 'l2', 'l2_tied', 'contractive', 'invertible'];
const final = (part, kind, blocks) => trained(part, `${kind}-${blocks}`).last;

/** Each item: its paper, its place there, the block of the page that has it, its verdict. */
const ITEMS = [
  ['[C]', 'Theorem 3.3', 'general', same(numbers(general), ROUNDING, 'formula and command agree')],
  ['[C]', 'Theorem 3.3, masked twin', 'general', same(numbers(masked), ROUNDING, 'formula and command agree')],
  ['[C]', 'mean-field theorem', 'mean_field', same(numbers(meanField), ROUNDING, 'formula and command agree')],
  ['[C]', 'large radius', 'large', same([[Math.sqrt(mostRows), of('wide', 'spectral')]], 1e-12, 'the norm is the root of the largest number of rows at one token')],
  ['[C]', 'abstract: growth with n', 'growth', holds(Math.abs(growth('known', 64, 4096) - 0.5) < 0.05 && Math.abs(growth('known', 1e12, 1e15)) < 1e-3, 'the norm at known tokens grows about like sqrt(n), then not at all')],
  ['[K]', 'Theorem 3.1', 'whole_space', holds(Math.abs(of('scale', 'slope dot') - 2) < 1e-3 && Math.abs(of('scale', 'slope l2') - 1) < 1e-3, 'the norm of dot-product attention grows like R^2, that of L2 attention stays')],
  ['[K]', 'Theorem 3.2, l_inf', 'kim', same(numbers(linf), ROUNDING, 'formula and command agree')],
  ['[K]', 'Theorem 3.2, l_2', 'kim_l2', exceeded(of('pair', 'spectral'), published, 'these tokens exceed the published formula; the corrected one and the command agree', numbers(corrected))],
  ['[C]', '`gpt2_random/fig_n_alice_6`, as its script computes it', 'random_gpt2', same(ESTIMATOR.means.map(([n, ours]) => [gpt2Curve(n), ours]), 0.05, `the means are within ${percent(apart(ESTIMATOR.means.map(([n, ours]) => [gpt2Curve(n), ours])))} of the curve`)],
  ['[C]', '`gpt2_random/fig_n_alice_6`, as the Lipschitz constant', 'random_gpt2', differs('the script computes another number than the norm of the Jacobian')],
  ['[C]', '`gpt2_random/fig_n_NEWS_6`', 'others', absent('AG_NEWS is not in the repository; the curve is that of `fig_n_alice_6`')],
  ['[C]', '`gpt_2/fig_n_alice_0`, `_6`', 'text', differs(NO_WEIGHTS)],
  ['[C]', '`bert_encoder/fig_n_alice_0`', 'text', differs(`${NO_WEIGHTS}; the script's map includes residual connection and layer norm`)],
  ['[C]', '`bert_decoder/fig_n_alice_6`', 'text', differs(`${NO_WEIGHTS}; the script's map includes residual connection and layer norm, and has no mask`)],
  ['[C]', '`bert_encoder/fig_n_alice_6`, `bert_*/fig_n_NEWS_*`', 'others', absent('points without a curve; no number is at hand')],
  ['[C]', '`*/fig_radius_*`, `gpt_2/correlation_n_R`', 'others', absent('points without a curve; our tables have the radius of each window in the column `radius`')],
  ['[C]', '`bert_0_adversarial_data`', 'adversarial', differs(`${NO_WEIGHTS}; the script measures all heads at the tokens of head 0`)],
  ['[C]', '`bert_1_adversarial_data`', 'adversarial', differs(`${NO_WEIGHTS}; the script measures all heads at the tokens of head 7, without a mask, and their keys and values`)],
  ['[C]', '`gpt_random_adversarial_data`', 'adversarial', differs('only the exponent agrees; for A the script takes rows of the weights where a head has columns, and it measures all heads')],
  ['[C]', '`gpt_pretrained_adversarial_data`', 'adversarial', differs(`${NO_WEIGHTS}; for A the script takes rows of the weights where a head has columns`)],
  ['[K]', 'section 5.1, Figure 2', 'tightness', holds(ratios.every((ratio, at) => at === 0 || ratio < ratios[at - 1]), 'the ratio of bound and norm falls with n')],
  ['[K]', 'Appendix K', 'tightness_l2', differs('the search is not what is loose: a smaller bound, `kim_column`, takes away most of the gap')],
  ['[K]', 'section 5.2', 'inverse', holds([0.5, 0.7, 0.9].every((c) => of('invertL2', `least ${c}`) <= 1e-9) && of('invertDot', 'least 0.9') > 1, 'L2 attention is inverted for every c, dot-product attention is not')],
  ['[K]', 'section 5.3, Figure 4, Table 2', 'training', differs('text, models and training are ours; their values are not at hand')],
  ['[K]', 'Appendix N, Figure 11, Table 3', 'depth', differs('our learning rate is not constant, our gradients are clipped, and our L2 attention has separate keys')],
  ['[C]', 'lower bound of the mean-field regime', 'others', absent('its constant is not at hand')],
  ['[K]', 'Appendix N, Figure 10', 'others', absent('Lipscope has no command for the variance of outputs')],
  ['[K]', 'Figures 1, 3, 5 to 9, Table 1', 'others', absent('no source at hand describes them')],
].map(([paper, place, block, verdict]) => ({ paper, place, block, ...verdict }));

const verdicts = (block) => tableOf(['item', 'verdict', 'reason'], ITEMS.filter((item) => item.block === block).map((item) => [`${item.paper}, ${item.place}`, `**${item.word}**`, item.why]));

const PARTS = {
  general: () => [code('ball2', 'causal'), tableOf(FORMULA, [...compared(general), ...compared(masked).map(([at, ...rest]) => [`${at}, causal`, ...rest])]), verdicts('general')],
  mean_field: () => [code('ball2', 'plane'), tableOf(FORMULA, compared(meanField)), verdicts('mean_field')],
  large: () => [code('wide'), tableOf(['rows at one token', 'theirs', 'Lipscope'], [[mostRows, digits(Math.sqrt(mostRows), 7), digits(of('wide', 'spectral'), 7)]]), verdicts('large')],
  growth: () => [code('plane'), tableOf(['between', 'theirs', '`castin_general`', '`sharp`', 'known tokens'],
    [[64, 4096, 'at most sqrt(n), tight'], [1e12, 1e15, 'independent of n']].map(([from, to, theirs]) => [`n = ${from < 1e6 ? from : from.toExponential(0).replace('e+', 'e')} and ${to < 1e6 ? to : to.toExponential(0).replace('e+', 'e')}`, theirs, ...['castin_general', 'sharp', 'known'].map((name) => `n^${Math.abs(growth(name, from, to)).toFixed(3)}`)])), verdicts('growth')],
  whole_space: () => [code('scale'), tableOf(['attention', 'theirs', 'exponent of R, ours', 'norm at R = 1e6'],
    [['dot-product', 'not Lipschitz', of('scale', 'slope dot').toFixed(3), digits(of('scale', 'norm dot'), 4)], ['L2', 'Lipschitz', Math.abs(of('scale', 'slope l2') - 1).toFixed(3), digits(of('scale', 'norm l2'), 4)]]), verdicts('whole_space')],
  kim: () => [code('weights', 'kim'), tableOf(FORMULA, compared(linf)), verdicts('kim')],
  kim_l2: () => [code('pair'), tableOf(FORMULA, compared(corrected).map(([at, ...rest]) => [`${at}, corrected`, ...rest])),
    tableOf(['at n = 2', 'value'], [['formula as published', digits(published, 4)], ['norm at two equal tokens, measured', digits(of('pair', 'spectral'), 4)], ['measured over published', digits(of('pair', 'spectral') / published, 3)]]), verdicts('kim_l2')],
  random_gpt2: () => [
    tableOf(['n', 'theirs, 0.445 n^(1/4)', 'released-script estimator, ours', 'norm, ours'], ESTIMATOR.means.map(([n, ours], at) => [n, gpt2Curve(n).toFixed(3), ours, NORM.means[at][1]]).concat([['fit', '0.445 n^0.250', ESTIMATOR.fit, NORM.fit]])), verdicts('random_gpt2')],
  text: () => [code('gpt2', 'bert', 'bertResidual', 'decoder'), tableOf(TEXT_HEAD, [
    textRow('gpt_2/fig_n_alice_0', '35.3 n^0.26', 'gpt2', 0, 'attention with output matrix'),
    textRow('gpt_2/fig_n_alice_6', '25.0 n^0.51', 'gpt2', 6, 'attention with output matrix'),
    textRow('bert_encoder/fig_n_alice_0', '14.3 n^0.24', 'bert', 0, 'attention'),
    [...textRow('bert_encoder/fig_n_alice_0', '14.3 n^0.24', 'bertResidual', 0, 'attention, residual, layer norm').slice(0, 3), `below ${residue.toExponential(0)}`, fitted('bertResidual', 'spectral', 0)],
    textRow('bert_decoder/fig_n_alice_6', '6.44 n^0.25', 'decoder', 6, 'attention'),
  ]), tableOf(['trained MiniLM, n = 48, layer', 'released-script estimator', 'norm'], [0, 2, 5].map((layer) => { const [norm, estimator] = miniLm(layer); return [layer, estimator, norm]; })), verdicts('text')],
  adversarial: () => [code('advBert', 'advDecoder', 'advGpt2', 'advGpt2First'), tableOf(['figure file', 'theirs', 'released-script estimator, one head', 'norm, one head', 'exponent of the norm'], [
    adversarialRow('bert_0_adversarial_data', '4.39 sqrt(n), trained', 'advBert', 0),
    adversarialRow('bert_1_adversarial_data', '5.73 sqrt(n), trained', 'advDecoder', 6),
    adversarialRow('gpt_random_adversarial_data', '0.92 sqrt(n), drawn', 'advGpt2', 6),
    adversarialRow('gpt_pretrained_adversarial_data', '46.9 sqrt(n), trained', 'advGpt2First', 0),
  ]), verdicts('adversarial')],
  tightness: () => [code('tightness'), tableOf(['n', 'theirs: Theorem 3.2, evaluated by the script', 'Lipscope\'s `kim_linf`', 'largest norm found, ours', 'bound over found'], tight.map(([n, found, bound], at) => [n, digits(kimLinf(n), 6), digits(bound, 6), digits(found, 4), ratios[at].toFixed(3)])), verdicts('tightness')],
  tightness_l2: () => [code('search10', 'search30', 'line'), tableOf(['n', 'largest norm found', '`kim_l2`', 'over found', '`kim_column`', 'over found'], [10, 30].map((n) => {
    const found = of(`search${n}`, 'found');
    return [n, digits(found, 4), ...['kim_l2', 'kim_column'].flatMap((name) => [digits(of('line', `${name} ${n}`), 4), (of('line', `${name} ${n}`) / found).toFixed(1)])];
  })), verdicts('tightness_l2')],
  inverse: () => [code('invertL2', 'invertDot'), tableOf(['attention', 'c', 'iterations', 'error after five', 'outcome'], ['invertL2', 'invertDot'].flatMap((id) => [0.5, 0.7, 0.9].map((c) => [id === 'invertL2' ? 'L2' : 'dot-product', c, of(id, `steps ${c}`), digits(of(id, `fifth ${c}`), 2), of(id, `least ${c}`) <= 1e-9 ? 'converged' : `no step below ${digits(of(id, `least ${c}`), 2)}`]))), verdicts('inverse')],
  training: () => [tableOf(['held-out nats at the end', 'two blocks', 'six blocks'], kinds.map((kind) => [`\`${kind}\``, final('kinds', kind, 2), final('kinds', kind, 6)])), verdicts('training')],
  depth: () => [tableOf(['held-out nats at the end', ...[2, 6, 12, 18].map((blocks) => `${blocks} blocks`)], [['depth', '1e-2'], ['depth-high', '2e-2']].flatMap(([part, rate]) => ['dot', 'l2'].map((kind) => [`\`${kind}\`, learning rate ${rate}`, ...[2, 6, 12, 18].map((blocks) => final(part, kind, blocks))]))), verdicts('depth')],
  others: () => [verdicts('others')],
  summary: () => {
    const count = (word, paper) => ITEMS.filter((item) => item.word === word && item.paper === paper).length;
    return [tableOf(['verdict', '[C]', '[K]'], [SAME, DIFFERS, ABSENT].map((word) => [word, count(word, '[C]'), count(word, '[K]')]))];
  },
};

let page = readFileSync(PAGE, 'utf8');
for (const [name, parts] of Object.entries(PARTS)) {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/reproductions.md lacks the lines ${begin} and ${end}`);
  page = `${before}${begin}\n\n${parts().join('\n\n')}\n\n${end}${after}`;
}
if (!isCheck) {
  writeFileSync(RECORD, `${JSON.stringify(record, null, 1)}\n`);
  writeFileSync(PAGE, page);
} else if (readFileSync(PAGE, 'utf8') !== page) {
  fault('docs/reproductions.md is not what scripts/reproductions.mjs writes. Run: node scripts/reproductions.mjs');
}
