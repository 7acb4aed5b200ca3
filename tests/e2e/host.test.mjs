// The page inside another one that sets its experiment and hears its changes (src/host.rs).
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { launch, serveSite } from './browser.mjs';

const TOKENS = [[-1, 0], [1, 0.5], [0.5, -1]];
const EXPERIMENT = { tokens: { source: 'explicit', rows: TOKENS }, weights: { source: 'identity', sign: -1 } };

/** A page of another origin around the site, which keeps what it hears. */
async function around(url, html = `<iframe src="${url}" width="900" height="700" title="Lipscope"></iframe>`) {
  // From a server of its own: a browser lets no page of another network frame one of this machine.
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><title>host</title>${html}`);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const context = await (await launch()).newContext({ serviceWorkers: 'block' });
  context.once('close', () => { server.close(); server.closeAllConnections(); });
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.heard = [];
    window.addEventListener('message', ({ data, origin }) => window.heard.push({ ...data, origin }));
  });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const heard = (kind, count = 1) => page.waitForFunction(
    ([kind, count]) => window.heard.filter(({ lipscope }) => lipscope === kind).length >= count && window.heard.filter(({ lipscope }) => lipscope === kind).at(-1),
    [kind, count],
    { timeout: 60_000 },
  ).then((handle) => handle.jsonValue());
  const say = (message) => page.evaluate((message) => document.querySelector('iframe').contentWindow.postMessage(message, '*'), message);
  return { context, page, heard, say, frame: () => page.frames()[1] };
}

test('a page around shows an experiment, and hears of every change', { timeout: 180_000 }, async () => {
  const site = await serveSite();
  const { context, page, heard, say, frame } = await around(site.url);
  try {
    const ready = await heard('ready');
    assert.deepEqual(ready, { lipscope: 'ready', origin: site.origin }, 'it says nothing else before it is asked');
    // The page has measured numbers, but has told nobody, because nobody has asked.
    await frame().waitForFunction(() => document.querySelector('[data-testid=explore-norm]')?.dataset.value);
    assert.deepEqual(await page.evaluate(() => window.heard.map(({ lipscope }) => lipscope)), ['ready']);

    await say({ lipscope: 'follow' });
    const first = JSON.parse((await heard('experiment')).experiment);
    assert.equal(first.tokens.n, 12);

    await say({ lipscope: 'show', experiment: JSON.stringify(EXPERIMENT) });
    const shown = await page.waitForFunction(() => {
      const last = window.heard.filter(({ lipscope }) => lipscope === 'experiment').at(-1);
      return last && JSON.parse(last.experiment).tokens.source === 'explicit' && last.experiment;
    }).then((handle) => handle.jsonValue());
    assert.deepEqual(JSON.parse(shown).tokens.rows, TOKENS);

    // A token is dragged: the page around hears where it is.
    const plane = frame().locator('#explore-plane');
    await plane.focus();
    await page.keyboard.press('Home');
    const at = await frame().waitForFunction(() => document.querySelector('#explore-plane').dataset.at);
    const [x, y] = (await at.jsonValue()).split(' ').map(Number);
    const box = await plane.boundingBox();
    await page.mouse.move(box.x + x, box.y + y);
    await page.mouse.down();
    await page.mouse.move(box.x + x + 18, box.y + y - 12, { steps: 4 });
    await page.mouse.up();
    const moved = await page.waitForFunction((before) => {
      const last = window.heard.filter(({ lipscope }) => lipscope === 'experiment').at(-1);
      return last && last.experiment !== before && last.experiment;
    }, shown).then((handle) => handle.jsonValue());
    const rows = JSON.parse(moved).tokens.rows;
    assert.equal(rows.filter((row, at) => row.some((x, c) => x !== TOKENS[at][c])).length, 1, 'one token has moved');
  } finally {
    await context.close();
  }
});

test('what cannot be shown is answered with a sentence, and the experiment stays', { timeout: 180_000 }, async () => {
  const site = await serveSite();
  const { context, heard, say } = await around(`${site.url}#v3&view=embed`);
  try {
    await heard('ready');
    await say({ lipscope: 'show', experiment: '{"tokens": 3}' });
    assert.match((await heard('problem')).problem, /“tokens” is 3/);
    assert.equal(JSON.parse((await heard('experiment')).experiment).tokens.n, 64);
    await say({ lipscope: 'show', experiment: '{' });
    assert.match((await heard('problem', 2)).problem, /not valid JSON/);
  } finally {
    await context.close();
  }
});

test('other windows and windows without an origin hear nothing', { timeout: 180_000 }, async () => {
  const site = await serveSite();
  // A page of a data address has no origin that could be named.
  const inside = `<script>onmessage = ({ data }) => parent.postMessage({ inside: data.lipscope }, '*')</script><iframe src="${site.url}" width="880" height="680"></iframe>`;
  const { context, page, frame } = await around(site.url, `<iframe src="data:text/html,${encodeURIComponent(inside)}" width="900" height="700" title="outer"></iframe>`);
  try {
    await page.waitForFunction(() => window.heard.some(({ inside }) => inside === 'ready'), null, { timeout: 60_000 });
    await frame().evaluate(() => document.querySelector('iframe').contentWindow.postMessage({ lipscope: 'follow' }, '*'));
    // This page is the parent of the parent of Lipscope's page.
    await page.evaluate(() => window.frames[0].frames[0].postMessage({ lipscope: 'follow' }, '*'));
    const lipscope = frame().childFrames()[0];
    const number = () => document.querySelector('[data-testid=explore-norm]')?.dataset.value;
    const before = await (await lipscope.waitForFunction(number)).jsonValue();
    await lipscope.click('#new-sample');
    await lipscope.waitForFunction((before) => document.querySelector('[data-testid=explore-norm]').dataset.value !== before, before);
    // A message of the next frame would have arrived by now.
    await lipscope.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
    assert.deepEqual(await page.evaluate(() => window.heard.map(({ inside, lipscope }) => inside ?? lipscope)), ['ready']);
  } finally {
    await context.close();
  }
});
