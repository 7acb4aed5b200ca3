// The package in Node: the module is read from the disk, so every function is ready at import.
import { readFileSync } from 'node:fs';
import { initSync } from './lipscope.js';

initSync({ module: readFileSync(new URL('./lipscope_bg.wasm', import.meta.url)) });

export * from './lipscope.js';
