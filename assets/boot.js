// Starts the page's WebAssembly module, which marks the page when it has started, or says in one sentence why it cannot start. Trunk
// passes the addresses of the module and its script as data attributes, scripts/offline.mjs that of the service worker.
// A classic script, not a module: it also runs when the page was opened as a file, where modules are refused.
(async () => {
  'use strict';

  const { js, wasm, offline } = document.currentScript.dataset;
  const root = document.documentElement;
  const STOPPED = 'The page did not start: an error stopped it. Reload the page; if it happens again, the browser console says more.';

  const status = document.getElementById('boot-status');
  const opening = document.getElementById('opening');

  const fail = (sentence, error) => {
    root.dataset.boot = 'failed';
    status.setAttribute('role', 'alert');
    status.textContent = sentence;
    opening.setAttribute('aria-busy', 'false');
    takeBack();
    if (error) console.error(error);
  };

  // The smallest module that uses a 128-bit vector.
  const simd = Uint8Array.of(
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0,
    10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  );

  // Undefined unless the page comes over https or from this machine.
  const serviceWorkers = navigator.serviceWorker;
  /** After the first picture is whole: the service worker fetches all files of the site, over the same line. */
  const REGISTER_AFTER_MS = 1000;

  /**
   * A newer build is fetched beside this one. It waits until no page runs on the old build, or until the user presses its button
   * on this page (src/shell.rs). It never takes over while a page loads: half of that page would be of the old build.
   */
  const offerNewBuilds = (registration) => {
    const tell = () => {
      if (registration.waiting && serviceWorkers.controller) root.dataset.newBuild ??= 'ready';
    };
    const follow = () => registration.installing?.addEventListener('statechange', tell);
    registration.addEventListener('updatefound', follow);
    follow();
    tell();
    // The new build did not take over: another page still runs on the old one, and would get files of both.
    serviceWorkers.addEventListener('message', ({ data }) => {
      if (!data.takesOver) root.dataset.newBuild = 'others';
    });
    serviceWorkers.startMessages();
    document.addEventListener('click', ({ target }) => {
      if (!target.closest('#new-build')) return;
      serviceWorkers.addEventListener('controllerchange', () => location.reload(), { once: true });
      registration.waiting?.postMessage('take over');
    });
  };

  // Without these listeners the browser would open a dropped file in place of the page. What is dropped before the program
  // listens is kept in window.dropped; src/drop_zone.rs takes it and deletes the property.
  addEventListener('dragover', (event) => event.preventDefault());
  window.dropped = '';
  addEventListener('drop', (event) => {
    event.preventDefault();
    if ('dropped' in window) window.dropped = event.dataTransfer.files[0] ?? event.dataTransfer.getData('text/plain');
  });

  // What is pressed, moved or typed in the opening view before the program is there, in order: the program does it when it starts.
  // What was done before this script has come is kept by assets/first.js.
  let done = [];
  /** The numbers on screen are no longer those of the state that the reader asks for. */
  const wait = (what) => {
    root.dataset.waits ??= what;
  };
  /** Called after each of these, and when the pointer is let go. */
  let onDone = () => {};
  let onRelease = () => {};
  /** Whether the pointer is down in the opening view, as on a slider that is dragged. */
  let isHeld = false;
  opening.addEventListener('pointerdown', () => { isHeld = true; });
  for (const kind of ['pointerup', 'pointercancel']) {
    addEventListener(kind, () => {
      isHeld = false;
      onRelease();
    });
  }
  const press = (event) => {
    if (event.target.closest('a.skip')) {
      // Its address would be taken for a link to a scene.
      event.preventDefault();
      const main = event.target.closest('[lang]').querySelector('main');
      main.tabIndex = -1;
      return main.focus({ preventScroll: true });
    }
    const of = event.target.closest('button[data-of]')?.dataset.of;
    if (!of || root.dataset.boot === 'failed') return;
    done.push({ of });
    if (/^(quick-|new-sample|other-sign)/.test(of)) wait('press');
    if (/^(view-(?!explore)|lessons)/.test(of)) wait('frame');
    onDone();
  };
  const move = ({ target }) => {
    if (root.dataset.boot === 'failed') return;
    const { of } = target.dataset;
    done = [...done.filter((earlier) => earlier.of !== of), { of, value: target.value }];
    if (target.type === 'range') target.style.setProperty('--at', target.value / target.max);
    wait('press');
    onDone();
  };
  opening.addEventListener('click', press);
  opening.addEventListener('input', move);
  for (const event of window.takeEarly()) {
    if (opening.contains(event.target)) (event.type === 'click' ? press : move)(event);
  }

  /** Shows the opening view as it was: what was asked for will not come. */
  const takeBack = () => {
    if (done.length > 0) delete root.dataset.waits;
    done = [];
    for (const input of opening.querySelectorAll('input')) {
      input.value = input.defaultValue;
      if (input.type === 'range') input.style.setProperty('--at', input.value / input.max);
    }
  };

  /** Does what the reader has done, on the elements of the program. */
  const doAgain = () => {
    for (const { of, value } of done) {
      const element = document.getElementById(of);
      if (value === undefined) element?.click();
      else if (element) {
        element.value = value;
        element.dispatchEvent(new Event('input', { bubbles: true }));
      }
    }
    done = [];
  };

  /** Moves the focus from an element of the opening view to the program's. */
  const moveFocus = () => {
    const focused = opening.contains(document.activeElement) && document.activeElement.dataset.of;
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  };

  /** Calls `look` whenever an attribute of the root element changes. */
  const watch = (attribute, look) => {
    const observer = new MutationObserver(look);
    observer.observe(root, { attributes: true, attributeFilter: [attribute] });
    return observer;
  };

  const MOST_DRAWING_MS = 20_000;
  /** Calls `work` when the page shows all that the opening view shows, or cannot show it. */
  const whenDrawn = (work) => {
    const end = () => {
      clearTimeout(timer);
      observer.disconnect();
      work();
    };
    const timer = setTimeout(end, MOST_DRAWING_MS);
    const observer = watch('data-drawn', end);
    if ('drawn' in root.dataset) end();
  };

  const MOST_WAIT_MS = 5000;
  /**
   * The program's page is there, beneath the opening view. It is uncovered when it shows all that the opening view shows (it then
   * has the attribute data-drawn, src/page/mod.rs), so that nothing blinks; at once where something else is asked for.
   */
  const uncover = () => {
    opening.setAttribute('aria-hidden', 'true');
    const isAsked = done.length > 0;
    doAgain();
    const end = () => {
      observer.disconnect();
      for (const kind of ['pointerdown', 'keydown', 'wheel']) removeEventListener(kind, end, true);
      onDone = onRelease = () => {};
      moveFocus();
      opening.remove();
      delete root.dataset.waits;
    };
    // A slider would slip out of the hand that drags it: it stays, unseen, and the program's slider follows it.
    const show = () => (isHeld ? opening.classList.add('held') : end());
    const soon = () => requestAnimationFrame(() => requestAnimationFrame(show));
    const look = () => {
      if ('drawn' in root.dataset || 'waits' in root.dataset || isAsked) soon();
    };
    const observer = watch('data-drawn', look);
    for (const kind of ['pointerdown', 'keydown', 'wheel']) addEventListener(kind, end, { capture: true, passive: true });
    setTimeout(show, MOST_WAIT_MS);
    onRelease = end;
    onDone = () => {
      doAgain();
      soon();
    };
    if (!isHeld) moveFocus();
    look();
  };

  root.dataset.boot = 'loading';
  const starting = watch('data-boot', () => {
    if (root.dataset.boot !== 'started') return;
    starting.disconnect();
    uncover();
  });
  if (location.protocol === 'file:') {
    return fail('This page was opened as a file, and browsers do not run WebAssembly from files. Serve the folder instead, for example with "python3 -m http.server", and open the address it prints.');
  }
  if (typeof WebAssembly !== 'object') {
    return fail('WebAssembly is missing or switched off in this browser, and Lipscope computes with it. Allow it in the settings, or use a current Firefox, Chrome, Edge or Safari.');
  }
  if (!WebAssembly.validate(simd)) {
    return fail('This browser has no WebAssembly SIMD, and Lipscope computes with it. Use Firefox 89, Chrome or Edge 91, Safari 16.4, or a later version.');
  }
  if (typeof Worker !== 'function') {
    return fail('This browser has no web workers, and Lipscope computes in one. Use a current Firefox, Chrome, Edge or Safari.');
  }

  // The two workers, for measurements and for bounds, load at the same time as the page's own module. Their first message, that
  // they listen, may come before the page can hear it: it is kept until the page takes the workers over (src/workers/worker.rs).
  globalThis.lipscopeWorkers = Array.from({ length: 2 }, () => {
    const url = './worker_loader.js';
    const worker = new Worker(url, { type: 'module' });
    const early = { url, worker, heard: 'nothing' };
    worker.onmessage = () => { early.heard = 'ready'; };
    worker.onerror = (event) => { event.preventDefault(); early.heard = 'error'; };
    return early;
  });

  // Only an error before the module has started stops the page.
  const onError = ({ error, reason }) => {
    if (root.dataset.boot === 'loading') fail(STOPPED, error ?? reason);
  };
  window.addEventListener('error', onError);
  window.addEventListener('unhandledrejection', onError);

  let module;
  try {
    module = await import(new URL(js, document.baseURI).href);
  } catch (error) {
    return fail('A part of the page did not load. Check the connection, then reload the page.', error);
  }
  try {
    await module.default({ module_or_path: new URL(wasm, document.baseURI) });
    if (offline) whenDrawn(() => setTimeout(() => {
      // If the browser refuses, as some do in private windows, the page works without a service worker.
      serviceWorkers?.register(offline).then(offerNewBuilds).catch(() => {});
    }, REGISTER_AFTER_MS));
  } catch (error) {
    const lost = error instanceof TypeError || error instanceof WebAssembly.CompileError;
    fail(lost
      ? 'A part of the page did not load whole. Check the connection, then reload the page.'
      : STOPPED, error);
  }
})();
