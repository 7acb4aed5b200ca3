// How soon the numbers follow a token that is dragged: node benches/drag.mjs [MOVES]
// 64 tokens in the plane, on the built site (LIPSCOPE_DIST). Milliseconds from a pointer's movement to the new constant, the new
// bounds and the new attention matrix, all three, and to the frame after that.
import { openPage, shutDown } from '../tests/e2e/browser.mjs';
import { changed } from '../tests/e2e/reading.mjs';

const moves = Number(process.argv[2] ?? 80);

/** Runs in the page: takes hold of a token, moves it to and fro, and lets it go. */
async function drag(moves) {
  const canvas = document.querySelector('#token-stage');
  const { left, top } = canvas.getBoundingClientRect();
  const [x, y] = canvas.dataset.at.split(' ').map(Number);
  const point = (type, dx) => canvas.dispatchEvent(new PointerEvent(type, {
    bubbles: true, isPrimary: true, pointerId: 1, pointerType: 'mouse', clientX: left + x + dx, clientY: top + y + dx / 2,
  }));
  const digits = (id) => document.querySelector(`[data-testid="${id}"]`).dataset.value;
  // The attention matrix is put on its canvas as one image.
  let maps = 0;
  const { putImageData, drawImage } = CanvasRenderingContext2D.prototype;
  for (const [name, draw] of Object.entries({ putImageData, drawImage })) {
    CanvasRenderingContext2D.prototype[name] = function (...given) {
      if (this.canvas.id === 'attention-map') maps++;
      return draw.apply(this, given);
    };
  }
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const samples = [];
  let late = 0;
  point('pointerdown', 0);
  for (let move = 1; move <= moves; move++) {
    // From any point within a frame, as a hand would.
    await new Promise((resolve) => setTimeout(resolve, 120 + Math.random() * 40));
    const before = [digits('spectral'), digits('bound-local'), maps];
    const began = performance.now();
    point('pointermove', 6 + 2 * (move % 16));
    const isNew = () => digits('spectral') !== before[0] && digits('bound-local') !== before[1] && maps > before[2];
    while (!isNew() && performance.now() - began < 2000) await new Promise((resolve) => setTimeout(resolve, 1));
    if (!isNew()) { late++; continue; }
    const all = performance.now() - began;
    await frame();
    samples.push({ all, frame: performance.now() - began });
  }
  point('pointerup', 0);
  return { samples, late };
}

try {
  const { page, close } = await openPage({ hash: '#v2&plot=tokens&tokens=ball&n=64&d=2&R=2' });
  await changed(page, 'spectral');
  await page.focus('#token-stage');
  await page.keyboard.press('Home');
  await page.waitForFunction(() => document.querySelector('#token-stage').dataset.at);
  await page.waitForTimeout(2500);
  const { samples, late } = await page.evaluate(drag, moves);
  const quantile = (key, q) => samples.map((sample) => sample[key]).sort((a, b) => a - b)[Math.floor(q * (samples.length - 1))];
  console.log(`| ms, ${samples.length} moves, ${late} unanswered | median | 95th percentile |\n| --- | --- | --- |`);
  for (const [key, words] of [['all', 'constant, bounds and attention matrix are new'], ['frame', 'the frame after that']]) {
    console.log(`| ${words} | ${quantile(key, 0.5)?.toFixed(1)} | ${quantile(key, 0.95)?.toFixed(1)} |`);
  }
  await close();
} finally {
  await shutDown();
}
