// Turns wasm-pack's output into a package that Node, browsers and bundlers can import: two entry points and one type
// file, with the licence and the crate's README.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const from = dirname(fileURLToPath(import.meta.url));
const to = process.argv[2] ?? 'pkg';

for (const name of ['node.js', 'index.js']) copyFileSync(join(from, name), join(to, name));
for (const name of ['LICENSE', 'README.md']) copyFileSync(join(from, '../../crates/npm', name), join(to, name));
writeFileSync(join(to, 'index.d.ts'), "export * from './lipscope.js';\n");

const path = join(to, 'package.json');
const { version, description, license, keywords, repository } = JSON.parse(readFileSync(path, 'utf8'));
const manifest = {
  name: 'lipscope',
  version,
  description,
  license,
  keywords,
  repository,
  type: 'module',
  main: './node.js',
  module: './index.js',
  types: './index.d.ts',
  exports: {
    '.': { types: './index.d.ts', node: './node.js', default: './index.js' },
    './lipscope_bg.wasm': './lipscope_bg.wasm',
  },
  files: ['index.js', 'index.d.ts', 'node.js', 'lipscope.js', 'lipscope.d.ts', 'lipscope_bg.wasm', 'lipscope_bg.wasm.d.ts'],
  sideEffects: ['./index.js', './node.js'],
  engines: { node: '>=20' },
};
writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
