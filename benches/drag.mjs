// Measures how soon a dragged token and its numbers are painted: node benches/drag.mjs [MOVES]
// On the built site (LIPSCOPE_DIST), one of 64 tokens in the plane is dragged with the browser's own mouse, whose
// movements come at the beginning of a frame. Reports in which later frame the token is at its new place, in which the
// new constant, local bound and attention matrix are all shown, and after how many milliseconds.
import { adversarial, launch, openPage, shutDown } from '../tests/e2e/browser.mjs';
import { changed } from '../tests/e2e/reading.mjs';
import { record } from './record.mjs';

const moves = Number(process.argv[2] ?? 120);

/**
 * Runs in the page. For each movement of the pointer, notes when the token is at its new place, and when constant,
 * bound and attention matrix are all new.
 */
function watch() {
  const digits = (id) => document.querySelector(`[data-testid="${id}"]`).dataset.value;
  // The attention matrix is drawn on its canvas as one image.
  let maps = 0;
  const { putImageData } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.putImageData = function (...given) {
    if (this.canvas.id === 'attention-map') maps++;
    return putImageData.apply(this, given);
  };
  const numbers = () => [digits('spectral'), digits('bound-local'), maps];
  const place = () => [document.querySelector('#token-stage').dataset.at];
  const samples = [];
  window.__samples = samples;
  let frame = 0;
  let pending = null;
  document.querySelector('#token-stage').addEventListener('pointermove', () => {
    // The frame of this movement is the next one that begins.
    pending = { began: performance.now(), frame: frame + 1, before: { numbers: numbers(), place: place() } };
    samples.push(pending);
  }, { capture: true });
  const tick = () => {
    frame++;
    if (pending) {
      for (const [what, now] of [['place', place()], ['numbers', numbers()]]) {
        if (pending[what] === undefined && now.every((value, at) => value !== pending.before[what][at])) {
          // What is seen at the beginning of this frame was painted by the previous one.
          pending[what] = frame - 1 - pending.frame;
        }
      }
      if (pending.place !== undefined && pending.numbers !== undefined) {
        pending.apart = pending.numbers - pending.place;
        pending.ms = performance.now() - pending.began;
        pending = null;
      }
    }
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

try {
  const { page, close } = await openPage({ hash: adversarial('plot=tokens&tokens=ball&n=64&d=2&R=2') });
  await changed(page, 'spectral');
  await page.focus('#token-stage');
  await page.keyboard.press('Home');
  await page.waitForFunction(() => document.querySelector('#token-stage').dataset.at);
  await page.waitForTimeout(2500);
  await page.evaluate(watch);
  const [x, y, left, top] = await page.evaluate(() => {
    const canvas = document.querySelector('#token-stage');
    const { left, top } = canvas.getBoundingClientRect();
    return [...canvas.dataset.at.split(' ').map(Number), left, top];
  });
  await page.mouse.move(left + x, top + y);
  await page.mouse.down();
  for (let move = 1; move <= moves; move++) {
    // At a random time within a frame, as for a user.
    await page.waitForTimeout(120 + Math.random() * 40);
    const dx = 6 + 2 * (move % 16);
    await page.mouse.move(left + x + dx, top + y + dx / 2);
  }
  await page.waitForTimeout(500);
  await page.mouse.up();
  const samples = (await page.evaluate(() => window.__samples)).slice(2);
  const answered = samples.filter(({ ms }) => ms !== undefined);
  const quantile = (key, q) => answered.map((sample) => sample[key]).sort((a, b) => a - b)[Math.floor(q * (answered.length - 1))];
  const count = (key, frames) => answered.filter((sample) => sample[key] === frames).length;
  const of = (key) => ({ median: quantile(key, 0.5), p95: quantile(key, 0.95) });
  const found = {
    n: 64, chromium: (await launch()).version(), moves: answered.length, unanswered: samples.length - answered.length,
    place: of('place'), numbers: of('numbers'), apart: { ...of('apart'), same: count('apart', 0) }, ms: of('ms'),
  };
  record('drag', found);
  console.log(JSON.stringify(found));
  await close();
} finally {
  await shutDown();
}
