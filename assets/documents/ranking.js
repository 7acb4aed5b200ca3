// Finds the sections of the documents that answer a query: words in headings count more than words in texts, rare words more than
// frequent ones (BM25). It knows no page, so that tests import it too.

/** Words of questions and sentences, which say nothing about the section that a reader looks for. */
const STOP_WORDS = new Set((
  'a about an and any are as at be by can could did do does for from get has have how i if in into is it its me my not of on or '
  + 'our out should so than that the their them there these this to use was we what when where which who why will with would you your'
).split(' '));

/** Words of which readers use one and the documents another. */
const SYNONYMS = [
  'install installation setup download pip',
  'jacrev jacfwd jacobian autograd',
  'memory oom ram',
  'above larger greater exceed over',
  'another different other wrong',
  'speed fast slow performance',
  'teach lecture class course',
  'cite citation bibtex',
  'error problem refuse fail',
].map((group) => group.split(' '));

/** How much a word counts that begins with the word of the query, or that has the same meaning, next to the word itself. */
const PREFIX = 0.5;
const SYNONYM = 0.4;
/** The fewest letters of a query's word that stand for longer words. */
const LEAST_PREFIX = 2;
/** How much a word in a heading, and in the title of the page, counts next to one in a text. */
const HEADING = 3;
const TITLE = 0.5;
/** The usual constants of BM25: how soon more of the same word counts no more, and how much longer texts count less. */
const SATURATION = 1.2;
const LENGTH = 0.5;
/** A section is found if it has words with this share of the query's weight. */
const LEAST_SHARE = 0.5;

/** A word as it is compared: without accents and capitals. */
function plain(word) {
  if (word === '√') return 'sqrt';
  return (/[^a-z0-9]/i.test(word) ? word.normalize('NFKD').replace(/\p{M}/gu, '') : word).toLowerCase();
}

/** The words of a text, in order, and where they stand. */
function words(text) {
  return Array.from(text.matchAll(/√|[\p{L}\p{N}\p{M}]+/gu), ({ 0: found, index }) => (
    { word: plain(found), from: index, to: index + found.length }
  ));
}

const singular = (word) => (word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word);

/** The words of the vocabulary that stand for a word of the query, each with how much it counts: 1 for the same word. */
function likenesses(term, vocabulary) {
  const stem = singular(term);
  const synonyms = new Set(SYNONYMS.filter((group) => group.includes(stem)).flat());
  const found = new Map();
  for (const word of vocabulary) {
    const one = singular(word);
    if (one === stem) found.set(word, 1);
    else if (word.startsWith(stem) && stem.length >= LEAST_PREFIX) found.set(word, PREFIX);
    else if (synonyms.has(one)) found.set(word, SYNONYM);
  }
  return found;
}

const count = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);

/** What `find` needs to know about sections, each {page, title, heading, anchor, text}. */
export function makeIndex(sections) {
  const entries = sections.map((section) => {
    const [text, heading, title] = [section.text, section.heading, section.title].map((text) => words(text).map(({ word }) => word));
    const frequencies = new Map();
    for (const word of text) count(frequencies, word);
    return { section, frequencies, length: text.length, heading, title: new Set(title) };
  });
  const meanLength = entries.reduce((total, { length }) => total + length, 0) / Math.max(entries.length, 1);
  const sectionsOf = new Map();
  for (const { frequencies, heading, title } of entries) {
    for (const word of new Set([...frequencies.keys(), ...heading, ...title])) count(sectionsOf, word);
  }
  return { entries, meanLength, vocabulary: [...sectionsOf.keys()] };
}

/** The words of a query that say something; all of them if none does. */
function termsOf(query) {
  const all = [...new Set(words(query).map(({ word }) => word))];
  const telling = all.filter((word) => !STOP_WORDS.has(word));
  return telling.length > 0 ? telling : all;
}

/** How well a word of the query fits a section; `alike` has the words that stand for it. */
function fit(alike, { frequencies, length, heading, title }, meanLength) {
  let [inText, inHeading, inTitle] = [0, 0, 0];
  for (const [word, likeness] of alike) {
    inText += likeness * (frequencies.get(word) ?? 0);
    if (heading.includes(word)) inHeading = Math.max(inHeading, likeness);
    if (title.has(word)) inTitle = Math.max(inTitle, likeness);
  }
  const saturation = SATURATION * (1 - LENGTH + LENGTH * length / meanLength);
  return inText / (inText + saturation) + HEADING * inHeading / Math.sqrt(heading.length || 1) + TITLE * inTitle;
}

/** The sections that fit a query, the best first, and a function that says whether a word is one of those searched for. */
export function find({ entries, meanLength, vocabulary }, query) {
  const terms = termsOf(query).map((term) => {
    const alike = likenesses(term, vocabulary);
    const fits = entries.map((entry) => fit(alike, entry, meanLength));
    const nFound = fits.filter((fit) => fit > 0).length;
    return { alike, fits, nFound, weight: Math.log(1 + (entries.length - nFound + 0.5) / (nFound + 0.5)) };
  }).filter(({ nFound }) => nFound > 0);
  const whole = terms.reduce((total, { weight }) => total + weight, 0);
  const sections = entries.map(({ section }, at) => {
    const found = terms.filter(({ fits }) => fits[at] > 0);
    const share = found.reduce((total, { weight }) => total + weight, 0) / whole;
    return { section, share, score: share * found.reduce((total, { weight, fits }) => total + weight * fits[at], 0) };
  }).filter(({ share }) => share >= LEAST_SHARE);
  return {
    sections: sections.sort((a, b) => b.score - a.score).map(({ section }) => section),
    isMatch: (word) => terms.some(({ alike }) => alike.has(word)),
  };
}

/** A text in parts, {text, isMarked}: its words for which `isMatch` holds are parts of their own. */
export function marked(text, isMatch) {
  const parts = [];
  let at = 0;
  for (const { word, from, to } of words(text)) {
    if (!isMatch(word)) continue;
    parts.push({ text: text.slice(at, from), isMarked: false }, { text: text.slice(from, to), isMarked: true });
    at = to;
  }
  return [...parts, { text: text.slice(at), isMarked: false }].filter(({ text }) => text !== '');
}

/** The most characters of a snippet, and of those before its first marked word. */
const SNIPPET = 160;
const BEFORE = 40;

/** The piece of a text with the most different words for which `isMatch` holds; the beginning if there are none. */
export function snippet(text, isMatch) {
  const all = words(text);
  const matches = all.filter(({ word }) => isMatch(word));
  let best = { from: 0, many: 0 };
  for (const { from } of matches) {
    const near = matches.filter((match) => match.from >= from && match.to <= from + SNIPPET - BEFORE);
    const many = new Set(near.map(({ word }) => word)).size;
    if (many > best.many) best = { from, many };
  }
  // The beginning of the text needs no ellipsis, and no word is cut.
  const from = best.from <= BEFORE ? 0 : all.find((word) => word.from >= best.from - BEFORE).from;
  const to = text.length <= from + SNIPPET ? text.length : all.findLast((word) => word.to <= from + SNIPPET)?.to ?? text.length;
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
}
