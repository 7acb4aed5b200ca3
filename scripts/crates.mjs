// Reads which crates the functions of a WebAssembly module come from, by the names of functions that the compiler has kept in it.

/** Crates of the compiler, which every other crate uses. */
const STANDARD = new Set(['core', 'alloc', 'std', 'hashbrown', 'dlmalloc', 'compiler_builtins']);
/** What is neither: tables, texts and other constants, and functions that the linker or wasm-bindgen has made. */
const DATA = 'constants';
const OTHER = 'standard library and other';

/** A reader of the module's bytes from a place on. */
function reader(bytes, at) {
  const me = {
    at,
    byte: () => bytes[me.at++],
    /** An unsigned number of up to 32 bits, seven bits a byte. */
    number: () => {
      let value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = me.byte();
        value += (byte & 127) * scale;
        if (byte < 128) return value;
      }
    },
    text: () => {
      const length = me.number();
      me.at += length;
      return bytes.toString('utf8', me.at - length, me.at);
    },
  };
  return me;
}

/** The module's sections: {id, name, from, to}; only a custom section has a name. */
function sections(bytes) {
  const found = [];
  const all = reader(bytes, 8);
  while (all.at < bytes.length) {
    const id = all.byte();
    const length = all.number();
    const to = all.at + length;
    const name = id === 0 ? all.text() : '';
    found.push({ id, name, from: all.at, to });
    all.at = to;
  }
  return found;
}

/** The bytes of a module's functions together. */
export const codeBytes = (bytes) => sections(bytes).filter(({ id }) => id === CODE).reduce((sum, { from, to }) => sum + to - from, 0);

const CUSTOM = { id: 0, functions: 1 };
const IMPORTS = 2;
const CODE = 10;
const CONSTANTS = 11;

/** How many functions the module imports: they are counted before its own. */
function importedFunctions(bytes, section) {
  const imports = reader(bytes, section.from);
  /** What follows the kind of an import: a limit has a maximum where its lowest bit says so. */
  const limits = () => { if (imports.number() & 1) imports.number(); imports.number(); };
  const skip = [() => imports.number(), () => { imports.byte(); limits(); }, limits, () => { imports.byte(); imports.byte(); }, () => { imports.byte(); imports.number(); }];
  let functions = 0;
  for (let left = imports.number(); left > 0; left--) {
    imports.text();
    imports.text();
    const kind = imports.byte();
    functions += kind === 0;
    skip[kind]();
  }
  return functions;
}

/** Names of functions by their numbers. */
function names(bytes, section) {
  const found = new Map();
  const all = reader(bytes, section.from);
  while (all.at < section.to) {
    const id = all.byte();
    const end = all.number() + all.at;
    if (id === CUSTOM.functions) for (let left = all.number(); left > 0; left--) found.set(all.number(), all.text());
    all.at = end;
  }
  return found;
}

/**
 * The crate of a function: the first one in its name that is not of the standard library. A function of the standard library that is
 * compiled for a type of a crate so counts for that crate.
 */
export function crateOf(name) {
  const crates = [...name.matchAll(/(?<![\w:])([a-z_]\w*)(?:\[[0-9a-f]+\])?(?=::)/g)].map(([, crate]) => crate);
  return crates.find((crate) => !STANDARD.has(crate)) ?? OTHER;
}

/** The bytes of a module's functions by crate, largest first: [{crate, bytes}]. The module must hold the names of its functions. */
export function crateSizes(bytes) {
  const all = sections(bytes);
  const section = (id, name = '') => all.find((section) => section.id === id && section.name === name);
  const named = section(CUSTOM.id, 'name');
  if (!named) throw new Error('the module does not hold the names of its functions');
  const known = names(bytes, named);
  const sizes = new Map();
  const add = (crate, size) => sizes.set(crate, (sizes.get(crate) ?? 0) + size);
  const code = reader(bytes, section(CODE).from);
  let index = importedFunctions(bytes, section(IMPORTS));
  for (let left = code.number(); left > 0; left--, index++) {
    const length = code.number();
    add(crateOf(known.get(index) ?? ''), length);
    code.at += length;
  }
  const constants = section(CONSTANTS);
  if (constants) add(DATA, constants.to - constants.from);
  return [...sizes].map(([crate, size]) => ({ crate, bytes: size })).sort((a, b) => b.bytes - a.bytes);
}
