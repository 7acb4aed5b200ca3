// Measures what the bounds cost beside the norm: node benches/bounds.mjs LIPSCOPE [REPEATS]
// LIPSCOPE is the release build of the command line. It runs on one thread: `measure` finds the norm and all bounds,
// and `sweep`, at the one n of the experiment, finds the norm alone. The two take turns, so that both meet the same
// load. The fastest time of each is kept.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { record } from './record.mjs';

const [lipscope, repeats = '9'] = process.argv.slice(2);
const NAME = 'n98-d768-h12-k64';
const input = readFileSync(fileURLToPath(new URL(`inputs/${NAME}.json`, import.meta.url)));
const [n] = NAME.match(/\d+/);

function seconds(...args) {
  const began = performance.now();
  execFileSync(lipscope, [...args, '--threads', '1'], { input, maxBuffer: 1 << 28 });
  return (performance.now() - began) / 1e3;
}

const [norm, all] = [[], []];
for (let round = 0; round < Number(repeats); round++) {
  norm.push(seconds('sweep', '--lengths', n, '--draws', '1'));
  all.push(seconds('measure'));
}
record('bounds', { name: NAME, repeats: Number(repeats), norm: Math.min(...norm), all: Math.min(...all) });
