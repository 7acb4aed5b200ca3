// Collects what Criterion and benches/measure.rs wrote into one record: node benches/native.mjs CRITERION DATA
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mediansOf } from './criterion.mjs';
import { record } from './record.mjs';

const [criterion, data] = process.argv.slice(2);
const here = (name) => new URL(name, import.meta.url);
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));

const medians = (group) => mediansOf(`${criterion}/${group}`);

const experiments = {};
for (const file of readdirSync(here('inputs')).sort()) {
  const name = file.replace('.json', '');
  experiments[name] = { ...medians(name), reference: json(`${data}/${name}/reference.json`) };
}
const products = json(here('settings.json')).products.map((shape) => {
  const [m, n, k] = shape;
  const gigaflops = Object.entries(medians(`product-${m}x${n}x${k}`)).map(([id, ms]) => [id, (2e-6 * m * n * k) / ms]);
  return { shape, ...Object.fromEntries(gigaflops) };
});
const rustc = execFileSync('rustc', ['--version'], { encoding: 'utf8' }).split(' ')[1];
record('native', { rustc, experiments, products });
