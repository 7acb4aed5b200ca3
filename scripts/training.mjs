// Writes the tables and the charts of docs/training.md from the runs that its commands leave:
//   node scripts/training.mjs RUNS TEXT [LIPSCOPE]
// RUNS has the folders kinds, steps, depth and depth-high. Where a folder is missing, its part of the page stays.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const docs = join(dirname(fileURLToPath(import.meta.url)), '../docs');
const [runs, text, lipscope = 'lipscope'] = process.argv.slice(2);
if (!text) throw new Error('name the folder of the runs and their text: node scripts/training.mjs runs alice.txt');

/** Columns that the page leaves out: the command has the steps, `run.jsonl` the bounds, and bits are nats over ln 2. */
const OMITTED = ['steps', 'bits', 'their bounds at last'];

/** A table without the omitted columns. */
function narrow(table) {
  const rows = table.trimEnd().split('\n').map((line) => line.split('|').slice(1, -1));
  const kept = [...rows[0].keys()].filter((at) => !OMITTED.includes(rows[0][at].trim()));
  return `${rows.map((row) => `|${kept.map((at) => row[at]).join('|')}|`).join('\n')}\n`;
}

/** The table of a folder of runs; its chart becomes a file in docs. */
const report = (group) => narrow(execFileSync(lipscope, ['train', '--report', join(runs, group), '--svg', join(docs, `training-${group}.svg`)], { encoding: 'utf8' }));

/** A command, and the last line of the summary that it writes: what comes back. */
function backwards(run, ...options) {
  const { status, stderr } = spawnSync(lipscope, ['train', '--invert', join(runs, run), '--text', text, ...options], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(stderr);
  const [recovered] = stderr.trimEnd().split('\n').slice(-1);
  return `${['$ lipscope train --invert', join('runs', run), '--text alice.txt', ...options].join(' ')}\n${recovered}\n`;
}

const groups = ['kinds', 'steps', 'depth', 'depth-high'].filter((group) => existsSync(join(runs, group)));
if (!groups.length) throw new Error(`${runs} has none of the folders that the commands of docs/training.md leave`);

const parts = Object.fromEntries(groups.map((group) => [group, () => report(group)]));
if (groups.includes('kinds')) {
  parts.backwards = () => `\`\`\`text\n${[
    backwards('kinds/invertible-2-seed0'), backwards('kinds/contractive-2-seed0'), backwards('kinds/dot-2-seed0', '--iterations', '200'),
    backwards('kinds/dot-2-seed0', '--extent', 'stack', '--iterations', '200'),
  ].join('\n')}\`\`\`\n`;
}

let page = readFileSync(join(docs, 'training.md'), 'utf8');
for (const [name, write] of Object.entries(parts)) {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/training.md lacks the lines ${begin} and ${end}`);
  page = `${before}${begin}\n\n${write()}\n${end}${after}`;
}
writeFileSync(join(docs, 'training.md'), page);
