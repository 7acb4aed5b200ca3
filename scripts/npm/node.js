// Entry point for Node: reads the module from disk, so that every function is ready on import.
import { readFileSync } from 'node:fs';
import { initSync } from './lipscope.js';

initSync({ module: readFileSync(new URL('./lipscope_bg.wasm', import.meta.url)) });

export * from './lipscope.js';
