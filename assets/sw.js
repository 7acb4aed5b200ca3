// The service worker: after one visit the page works without a network. scripts/offline.mjs replaces the next line by the list of
// a build's files. Without a list (trunk serve) this worker removes itself and the files that an older one kept.
const BUILD = null;

// All pages of an origin share its caches: the scope in their names tells ours from those of a copy under another path.
const OURS = `lipscope ${self.registration.scope} `;
const cacheName = BUILD && OURS + BUILD.id;

/** A file of this build from the network; fails if it is not exactly the file of the list, so that builds never mix. */
async function fetchListed(path) {
  const response = await fetch(new URL(path, self.registration.scope), { cache: 'no-cache' });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  const bytes = await response.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (found !== BUILD.files[path]) throw new Error(`${path} is of another build`);
  // Made anew: a response that was redirected may not answer a navigation.
  return new Response(bytes, { headers: { 'content-type': response.headers.get('content-type') ?? '' } });
}

/**
 * Fetches all files or none: if one fails, the earlier build stays in charge and the next visit tries again. The files of
 * `BUILD.later` are fetched only when the page asks for them.
 */
async function install() {
  const paths = Object.keys(BUILD.files).filter((path) => !BUILD.later.includes(path));
  const responses = await Promise.all(paths.map(fetchListed));
  try {
    const cache = await caches.open(cacheName);
    await Promise.all(paths.map((path, i) => cache.put(new URL(path, self.registration.scope), responses[i])));
  } catch (problem) {
    // Out of space: the files that were stored would take space from the next attempt.
    await caches.delete(cacheName);
    throw problem;
  }
}

async function deleteOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(OURS) && name !== cacheName).map((name) => caches.delete(name)));
}

/** The file of this build that a request asks for, if it is one. */
function pathOf(request) {
  if (request.method !== 'GET' || !request.url.startsWith(self.registration.scope)) return undefined;
  const { origin, pathname } = new URL(request.url);
  const path = (origin + pathname).slice(self.registration.scope.length) || 'index.html';
  return Object.hasOwn(BUILD.files, path) ? path : undefined;
}

async function answer(path, request) {
  const cache = await caches.open(cacheName);
  const url = new URL(path, self.registration.scope);
  const kept = await cache.match(url);
  if (kept) return kept;
  if (BUILD.later.includes(path)) return keep(cache, url, path);
  // A browser that is short of space deletes whole caches: the page is then loaded as without a service worker.
  return fetch(request);
}

/** Fetches a file of `BUILD.later` and keeps it. If the server has a newer build, this fails, and the page says so. */
async function keep(cache, url, path) {
  const response = await fetchListed(path).catch(() => Response.error());
  // If there is no space to keep the file, it is fetched again the next time.
  if (response.ok) await cache.put(url, response.clone()).catch(() => {});
  return response;
}

/** Whether another page than this one is open. */
async function hasOthers(page) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  return pages.some(({ id, url }) => id !== page.id && url.startsWith(self.registration.scope));
}

/** Handles a page's request that this newer build take over: it does if no other page still runs on the old build. */
async function takeOver(page) {
  const takesOver = !await hasOthers(page);
  page.postMessage({ takesOver });
  if (takesOver) await self.skipWaiting();
}

async function retire() {
  await deleteOthers();
  await self.registration.unregister();
  const pages = await self.clients.matchAll({ type: 'window' });
  await Promise.all(pages.map((page) => page.navigate(page.url)));
}

self.addEventListener('install', (event) => {
  if (BUILD) event.waitUntil(install());
  else self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  // On a first visit the page that is open gets its later workers from here as well.
  event.waitUntil(BUILD ? deleteOthers().then(() => self.clients.claim()) : retire());
});

self.addEventListener('message', (event) => {
  if (BUILD && event.data === 'take over' && event.source) event.waitUntil(takeOver(event.source));
});

self.addEventListener('fetch', (event) => {
  const path = BUILD ? pathOf(event.request) : undefined;
  if (path) event.respondWith(answer(path, event.request));
});
