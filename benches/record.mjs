// Keeps what was measured in docs/performance/NAME.json, with the date, commit and machine of the measurement:
//   node benches/record.mjs NAME FILE    keeps the JSON in FILE
//   node benches/record.mjs stamp        prints date, commit and machine, separated by tabs
// LIPSCOPE_RECORDS names another folder, for a trial run whose numbers nobody should read.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const RECORDS = process.env.LIPSCOPE_RECORDS ?? `${ROOT}docs/performance`;

const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** The commit; with a plus sign if files other than the pages of results differ from it. */
function commit() {
  try {
    const changes = git('status', '--porcelain', '--', '.', ':!docs/performance', ':!docs/performance.md', ':!benches/README.md');
    return git('rev-parse', '--short=9', 'HEAD') + (changes ? '+' : '');
  } catch {
    return 'unknown';
  }
}

export const stamp = () => ({
  date: new Date().toISOString().slice(0, 10),
  commit: commit(),
  machine: `${cpus()[0].model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
});

/** The data as JSON. Five digits are more than a measurement has. A list of numbers stays on one line, for readable diffs. */
const text = (value) => JSON.stringify(value, (_, item) => (typeof item === 'number' ? Number(item.toPrecision(5)) : item), 1)
  .replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, items) => `[${items.replace(/\s+/g, ' ')}]`);

/** Seconds since run.sh began this part, without what it built before. */
const duration = () => (process.env.LIPSCOPE_PART_BEGAN ? { seconds: Date.now() / 1e3 - Number(process.env.LIPSCOPE_PART_BEGAN) } : {});

export function record(name, data) {
  mkdirSync(RECORDS, { recursive: true });
  // A load above the number of cores shows that other programs were at work; the page says so. Sizes do not depend on it.
  const load = name === 'sizes' ? 0 : loadavg()[0];
  writeFileSync(`${RECORDS}/${name}.json`, `${text({ ...stamp(), ...duration(), ...(load > cpus().length && { load }), ...data })}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, file] = process.argv.slice(2);
  if (name === 'stamp') console.log(Object.values(stamp()).join('\t'));
  else record(name, JSON.parse(readFileSync(file, 'utf8')));
}
