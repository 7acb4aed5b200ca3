// The package in browsers and bundlers: the module is fetched beside this file before the import ends.
import init from './lipscope.js';

await init();

export * from './lipscope.js';
