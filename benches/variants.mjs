// Collects what Criterion, benches/variants.rs and benches/variants.py wrote into one record:
//   node benches/variants.mjs CRITERION DATA PEER.json
import { readFileSync, readdirSync } from 'node:fs';
import { mediansOf } from './criterion.mjs';
import { record } from './record.mjs';

const [criterion, data, peer] = process.argv.slice(2);
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { torch, scipy, experiments: theirs } = json(peer);
const experiments = Object.fromEntries(readdirSync(data).sort().map((name) => {
  const ours = { ...mediansOf(`${criterion}/variant-${name}`), reference: json(`${data}/${name}/reference.json`) };
  return [name, { ours, theirs: theirs[name] }];
}));
record('variants', { torch, scipy, experiments });
