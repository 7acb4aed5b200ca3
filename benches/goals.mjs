// The goals. benches/README.md compares them with what was measured, missed goals first.

/** The most kilobytes that groups of files of the built site may have, compressed with brotli. scripts/sizes.mjs lists the groups. */
export const SIZES = { first_picture: 250, wasm: 800, models: 1113, train: 600 };

/**
 * The most kilobytes of the first module that functions of a crate may have, not compressed: a few hundredths more than when the list was
 * first made, so that what grows is seen. Crates that are not named here share the last budget.
 */
export const CRATES = {
  lipscope: 223, 'standard library and other': 188, reactive_graph: 128, tachys: 94, constants: 75, lipscope_plot: 51, lipscope_core: 45,
  lipscope_protocol: 29.5, serde_core: 14.7, js_sys: 10.2, wasm_bindgen: 5.4, leptos: 5.1, others: 25,
};

/** How many times as fast as the faster of power iteration and ARPACK, both on PyTorch's products, on the same work. */
export const RATIOS = { native: 8, browser: 2 };

/** The same for the norm alone of attention with steps, natively, for the slowest kind. */
export const VARIANTS = 2;

/** The same for a measurement with its bounds from a file that lists all numbers, natively. */
export const FILE = 2;

/** How many times as fast as PyTorch's one of Lipscope's products with the Jacobian is, natively. */
export const PRODUCT = 1;

/** The share of the rate of matrix products at which products with the Jacobian run. */
export const RATE = 0.8;

/** The most time that the norm with all bounds may take, over that of the norm alone. */
export const BOUNDS = 2;

/** The most time that a call from Python may take, over that of the command line. */
export const PYTHON = 1.05;

/** Milliseconds from a slider's movement to the new number; how many times as many with one core taken by another program. */
export const SLIDER = { median: 16, p95: 33, busy: 2 };

/** Frames from a slider's movement to the redrawn curves over n. */
export const GROWTH = 1;

/** The most kilobytes of index.html with its styles and the opening view, compressed with brotli. */
export const DOCUMENT = 45;

/**
 * Milliseconds from the navigation until the picture of the opening view is painted, and until a slider that is moved at that moment
 * is answered, over a line of 4 Mbit/s with 150 ms and over none.
 */
export const FIRST_VIEW = {
  slow_br: { picture: 600, answered: 2400 }, slow_gzip: { picture: 600, answered: 3000 }, fast: { picture: 100, answered: 700 },
};

/** The most time until the picture is painted, over that of the document alone. */
export const OVER_DOCUMENT = 1.25;

/** Milliseconds until the picture of a second visit, whose files the browser has kept: two frames. */
export const AGAIN = 33;

/** The time of the opening plot on all cores over that on one. */
export const WORKERS = 0.6;

/** The least gain from threads: the time of a large experiment on one thread over that on all threads, natively. */
export const CORES = 1.7;

/** The time of a small experiment on all threads over that on one: threads that it cannot use must not cost anything. */
export const SMALL = 1.05;

/** The most time that a step of training may take in the browser, over that on one native thread. */
export const TRAIN = 1.6;

/** Seconds of a measurement in the browser with all bounds, by the number of tokens ("large" in settings.json). */
export const LARGE = { 1024: 1, 4096: 20 };

/** Megabytes of a worker's memory. */
export const MEMORY = 400;

/** Seconds, by the name of a line in docs/performance/times.tsv. */
export const TIMES = {
  'serve, empty target': 240,
  'serve, one-line change': 40,
  'serve, fresh machine': 720,
  'test, warm target': 900,
  'test, empty target': 1800,
  'test, fresh machine': 2280,
};
