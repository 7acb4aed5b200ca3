// The npm package in Node, as a user would import it. Build it first: make npm
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { measure } from '../../pkg/node.js';

// One-dimensional tokens -1, 1, 1, .. under A = -1: the local constant is known in closed form.
const experiment = (mask) => ({
  version: 1,
  attention: 'dot',
  mask,
  tokens: { source: 'explicit', rows: Array.from({ length: 100 }, (_, i) => [i === 0 ? -1 : 1]) },
  weights: { source: 'identity', sign: -1 },
});

for (const [mask, expected] of [['none', 2.0504], ['causal', 5.3135]]) {
  test(`the spectral norm of -1, 1, 1, .. is ${expected} with mask ${mask}`, () => {
    const result = measure(experiment(mask));
    assert.equal(result.n, 100);
    assert.equal(result.d, 1);
    assert.ok(Math.abs(result.spectral - expected) < 5e-5, `spectral is ${result.spectral}, expected ${expected}`);
    assert.ok(result.bounds.length > 0);
    for (const { id, side, norm, value } of result.bounds) {
      if (side === 'upper' && norm === 'spectral' && value !== null) assert.ok(value >= result.spectral, `${id} is ${value}, below ${result.spectral}`);
    }
  });
}

test('the lines of docs/embedding.md give the numbers beside them', async () => {
  const text = readFileSync(new URL('../../docs/embedding.md', import.meta.url), 'utf8');
  const code = text.match(/```js\n(import [^]*?)```/)[1];
  const shown = code.match(/measure\(experiment\)\.spectral; +\/\/ ([0-9.]*)\.\./)[1];
  const name = new URL('../../pkg/node.js', import.meta.url).href;
  const values = code.replace('"lipscope"', JSON.stringify(name)).replace(/^(measure|sweep)\(/gm, (call) => `export const ${call.slice(0, -1)}Found = ${call}`);
  const { measureFound, sweepFound } = await import(`data:text/javascript,${encodeURIComponent(values)}`);
  assert.equal(String(measureFound).slice(0, shown.length), shown);
  assert.ok(Number.isFinite(sweepFound.exponent), JSON.stringify(sweepFound));
});

test('an unknown key is an error that names it', () => {
  assert.throws(() => measure({ ...experiment('none'), maks: 'causal' }), (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, /maks/);
    return true;
  });
});

test('after an error the next experiment is measured', () => {
  assert.throws(() => measure({}), Error);
  assert.ok(measure(experiment('none')).spectral > 2);
});

test('the package describes itself and its types', () => {
  const read = (name) => readFileSync(new URL(`../../pkg/${name}`, import.meta.url), 'utf8');
  const { name, type, exports, files } = JSON.parse(read('package.json'));
  assert.equal(name, 'lipscope');
  assert.equal(type, 'module');
  assert.deepEqual(Object.keys(exports['.']), ['types', 'node', 'default']);
  for (const file of files) assert.ok(read(file).length > 0, `${file} is empty`);
  assert.match(read('lipscope.d.ts'), /export function measure\(\w+: Experiment( \| string)?\): Measurement/);
});
