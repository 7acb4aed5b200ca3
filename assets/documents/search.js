// The search of the documents: a box in the header of each page, and the list of sections that it finds. The box is hidden without
// this script. crates/documents writes the index, search.json, which is loaded when the box first has the focus.
import { find, makeIndex, marked, snippet } from './ranking.js';

const MOST_RESULTS = 10;

const box = document.querySelector('.search');
const input = box.querySelector('input');
const status = box.querySelector('[role=status]');
const list = box.querySelector('[role=listbox]');

let loading;

/** The index; after a failure it is loaded again. */
function load() {
  loading ??= fetch(new URL('search.json', import.meta.url)).then(async (answer) => {
    if (!answer.ok) throw new Error(`search.json: ${answer.status}`);
    return makeIndex(await answer.json());
  }).catch((problem) => {
    loading = undefined;
    throw problem;
  });
  return loading;
}

/** An element with a text, in which the words that are searched for are marked. */
function textElement(kind, text, isMatch) {
  const element = document.createElement('span');
  element.className = kind;
  element.append(...marked(text, isMatch).map(({ text, isMarked }) => {
    if (!isMarked) return text;
    const mark = document.createElement('mark');
    mark.textContent = text;
    return mark;
  }));
  return element;
}

/** A section as a link, which is also an option of the list. */
function option({ page, title, heading, anchor, text }, at, isMatch) {
  const link = document.createElement('a');
  link.id = `document-result-${at}`;
  link.href = `${page}.html#${anchor}`;
  link.tabIndex = -1;
  link.setAttribute('role', 'option');
  link.append(textElement('result-place', heading === title ? title : `${title} › ${heading}`, isMatch));
  if (text) link.append(' ', textElement('result-text', snippet(text, isMatch), isMatch));
  return link;
}

const chosen = () => list.querySelector('[aria-selected=true]');

/** Chooses an option, which the reader may open by Enter; none without an argument. */
function choose(option) {
  for (const other of list.children) other.setAttribute('aria-selected', String(other === option));
  if (option) {
    input.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  } else {
    input.removeAttribute('aria-activedescendant');
  }
}

/** Chooses the option after the chosen one or, with the step -1, before it. Before the first option stands the last one. */
function move(step) {
  const options = [...list.children];
  const at = options.indexOf(chosen());
  const from = at < 0 && step < 0 ? 0 : at;
  choose(options[(from + step + options.length) % options.length]);
}

function close() {
  list.hidden = true;
  input.setAttribute('aria-expanded', 'false');
  status.textContent = '';
  choose();
}

function show({ sections, isMatch }) {
  list.replaceChildren(...sections.slice(0, MOST_RESULTS).map((section, at) => option(section, at, isMatch)));
  list.scrollTop = 0;
  list.hidden = sections.length === 0;
  input.setAttribute('aria-expanded', String(!list.hidden));
  const [all, shown] = [sections.length, list.children.length];
  status.textContent = shown < all ? `${shown} of ${all} results` : `${all || 'No'} ${all === 1 ? 'result' : 'results'}`;
  choose();
}

async function search() {
  const query = input.value.trim();
  if (query === '') return close();
  const found = await load().then((index) => find(index, query)).catch(() => undefined);
  // The reader may have typed on, or left the box, while the index was loaded.
  if (input.value.trim() !== query || document.activeElement !== input) return;
  if (found) show(found);
  else status.textContent = 'The index did not load.';
}

/** What a key of the box does; nothing for keys that edit the text. */
const KEYS = {
  ArrowDown: () => (list.hidden ? search() : move(1)),
  ArrowUp: () => (list.hidden ? search() : move(-1)),
  Enter: () => !list.hidden && (chosen() ?? list.firstElementChild).click(),
  Escape: () => {
    if (!list.hidden) return close();
    input.value = '';
    close();
    input.blur();
  },
};

input.addEventListener('input', search);
input.addEventListener('focus', () => {
  // A search says when the index did not load.
  load().catch(() => {});
  search();
});
input.addEventListener('keydown', (event) => {
  // The keys of an input method choose among its characters.
  if (event.isComposing || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});
list.addEventListener('click', () => {
  close();
  input.blur();
});
box.addEventListener('focusout', ({ relatedTarget }) => {
  if (!box.contains(relatedTarget)) close();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === input || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  // The header comes to where the reader is (style/document.css), so nothing need scroll.
  input.focus({ preventScroll: true });
  input.select();
});

box.hidden = false;
