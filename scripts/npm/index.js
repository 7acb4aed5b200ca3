// Entry point for browsers and bundlers: fetches the module beside this file before the import resolves.
import init from './lipscope.js';

await init();

export * from './lipscope.js';
