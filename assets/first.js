// Runs before the page is painted, within index.html: what is painted first has the reader's theme and language, and shows the
// numbers of the opening view only where the address asks for that view. Each is decided as the program does it later: src/theme.rs,
// src/language.rs, src/link. It also keeps what a reader does before assets/boot.js has come.
(() => {
  'use strict';

  const root = document.documentElement;
  /** What the browser has kept; nothing where it refuses. */
  const kept = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };

  const fields = new URLSearchParams(location.hash.slice(1));
  const theme = fields.get('theme') ?? kept('lipscope-theme');
  if (theme) root.dataset.theme = theme;

  const asked = new URLSearchParams(location.search).get('lang');
  const known = [asked, kept('lipscope-language'), navigator.language].find((tag) => /^(en|zh)\b/i.test(tag ?? ''));
  if (/^zh/i.test(known ?? '')) root.lang = 'zh-Hans';
  if (/^en-xb$/i.test(known ?? '')) root.dir = 'rtl';

  // The numbers of the opening view are shown at its own address alone. style/opening.css has what is shown else.
  if (location.hash.length > 1 && !/^#(first-|main$)/.test(location.hash)) {
    const isExplore = (fields.get('plot') ?? 'explore') === 'explore' && !fields.has('lesson');
    root.dataset.waits = fields.has('view') ? 'bare' : isExplore ? 'state' : 'frame';
  }

  // Over a slow line the picture is painted before boot.js has come.
  const early = [];
  const keep = (event) => {
    // Its address would be taken for a link to a scene.
    if (event.target.closest('a.skip')) event.preventDefault();
    early.push(event);
  };
  const kinds = ['click', 'input'];
  for (const kind of kinds) document.addEventListener(kind, keep);
  /** What has been pressed and moved so far, for boot.js, which does the rest. */
  window.takeEarly = () => {
    for (const kind of kinds) document.removeEventListener(kind, keep);
    delete window.takeEarly;
    return early;
  };
})();
